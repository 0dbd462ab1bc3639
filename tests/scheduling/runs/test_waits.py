"""Promises of a step that waits: no worker, no place, no attempt; people and crashes find it as any other step."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission, User
from django.db import transaction

from scheduling.dag.manifest import ManifestTask
from scheduling.dispatch.cycle import run_cycle
from scheduling.dispatch.recover import release, stuck_runs, wake_due
from scheduling.errors import NotAllowed
from scheduling.models import Attempt, Queue, Run, SchedulerLog, SqlScript
from scheduling.queues import claim, claim_next
from scheduling.runs.advance import hand_back
from scheduling.runs.by_hand import run_document
from scheduling.runs.cancel import cancel_run
from scheduling.runs.execute import run_attempt
from scheduling.runs.fire import refuse_without_right
from scheduling.runs.intervene import complete_step, hold_step, let_step_go_on, retry_now, skip_step
from scheduling.runs.restart import restart_run
from scheduling.states import RunKind
from scheduling.usual_runs import pieces_left
from scheduling.workloads import waits
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.auditor import audit
from tests.scheduling.runs.pieces import RAN, item, of, start, states, status, work

pytestmark = pytest.mark.django_db(transaction=True)
MINUTE = timedelta(minutes=1)


def wait_for(entity, rows=1, **fields):
    """Return a wait for rows, as a plan makes it."""
    asked = {"rows": rows, "entity": entity.pk}
    return ManifestTask("wait", RunKind.WAIT, None, arguments=asked, attempts=5, **fields)


def minutes_wait(minutes, **fields):
    """Return a wait for so many minutes, as a plan makes it."""
    return ManifestTask("wait", RunKind.WAIT, None, arguments={"minutes": minutes}, attempts=5, **fields)


@pytest.fixture
def entity(make_entity):
    return make_entity().entity


@pytest.fixture
def run(entity):
    """A run that waits for rows between two pieces of work, and has looked once."""
    made = start(
        item("before"), wait_for(entity, depends_on=frozenset(["before"]), timeout_seconds=3600), item("after", "wait")
    )
    work()
    return made


def test_it_is_queued_without_an_attempt_and_looked_at_once_a_minute(run, deposit):
    for minute in range(30):
        assert work(NOW + minute * MINUTE + timedelta(seconds=59)) == []
        task = of(run, "wait")
        assert (task.status, task.attempts_made, task.waits_since) == ("queued", 0, NOW)
        assert task.shown_status == "awaiting"
        assert not task.attempts.exists() and audit() == []
        assert not stuck_runs().exists()
    deposit()
    assert work(NOW + 31 * MINUTE) == ["after"]
    assert status(run) == "completed" and audit() == []
    task = of(run, "wait")
    assert (task.started_at, task.attempts.count()) == (NOW, 1)
    events = SchedulerLog.objects.filter(run_id=run.pk, message__startswith="wait:")
    assert [event.event_type for event in events] == ["completed"], "a look is no event"


def test_it_keeps_nobody_from_the_only_place_of_its_queue(run):
    Queue.objects.update(max_running=1)
    other = start(item("other"), key="other")
    assert work() == ["other"] and status(other) == "completed"


def test_it_looks_once_between_its_times(run, monkeypatch):
    looks = []
    real = waits.pending_statistics
    monkeypatch.setattr(waits, "pending_statistics", lambda *of: looks.append(1) or real(*of))
    for second in range(0, 181, 5):
        work(NOW + timedelta(seconds=second))
    assert len(looks) == 3


def test_a_cycle_and_a_worker_put_it_in_line_when_its_time_has_come(run):
    run_cycle(NOW + timedelta(seconds=30))
    assert of(run, "wait").next_attempt_at == NOW + MINUTE
    assert wake_due(NOW + MINUTE) == 1
    task = of(run, "wait")
    assert task.next_attempt_at is None and task.queued_at == NOW + MINUTE, "it has waited for no worker yet"


def test_while_it_waits_the_run_is_alive(run):
    report = run_cycle(NOW + timedelta(seconds=59))
    assert (report.zombies, report.errors) == (0, []) and not stuck_runs().exists()


@pytest.mark.parametrize("may", [False, True])
def test_its_time_out_fails_it_and_what_comes_after_as_any_failure(entity, may):
    made = start(
        wait_for(entity, timeout_seconds=60, continue_on_failure=may), item("after", "wait"),
        item("told", "wait", run_if="any_failed"),
    )  # fmt: skip
    work()
    ran = work(NOW + MINUTE)
    assert status(made) == "failed" and of(made, "wait").status == "failed"
    assert sorted(ran) == (["after", "told"] if may else ["told"])
    assert of(made, "wait").attempts.count() == 1, "it was tried again"
    assert audit() == []


def test_a_person_lets_it_wait_anew_after_its_time_out(run, deposit):
    RAN.clear()
    work(NOW + 60 * MINUTE)
    assert of(run, "wait").status == "failed" and status(run) == "failed"
    again = restart_run(run, only_failed=True, started_by="ann", now=NOW + 61 * MINUTE)
    work(NOW + 61 * MINUTE)
    assert of(again, "wait").waits_since == NOW + 61 * MINUTE
    deposit()
    assert work(NOW + 62 * MINUTE) == ["after"] and status(again) == "completed"


def test_a_person_releases_it_again_and_its_time_begins_anew(entity):
    other = ManifestTask("long", RunKind.WAIT, None, arguments={"minutes": 600}, attempts=5)
    made = start(wait_for(entity, timeout_seconds=60), other)
    work()
    work(NOW + MINUTE)
    assert of(made, "wait").status == "failed"
    retry_now(of(made, "wait"), by="ann", now=NOW + 5 * MINUTE)
    work(NOW + 5 * MINUTE)
    task = of(made, "wait")
    assert (task.status, task.waits_since, task.next_attempt_at) == ("queued", NOW + 5 * MINUTE, NOW + 6 * MINUTE)
    assert audit() == []


def test_a_person_lets_it_look_now(run, deposit):
    deposit()
    retry_now(of(run, "wait"), by="ann", now=NOW + timedelta(seconds=10))
    assert work(NOW + timedelta(seconds=10)) == ["after"]


@pytest.mark.parametrize(("verb", "ends"), [(skip_step, "skipped"), (complete_step, "completed")])
def test_a_person_ends_it(run, verb, ends):
    verb(of(run, "wait"), by="ann", now=NOW + MINUTE)
    assert work(NOW + MINUTE) == ["after"]
    assert states(run)["wait"] == ends and status(run) == "completed" and audit() == []


def test_a_person_holds_it_and_lets_it_go_on(run, deposit):
    hold_step(of(run, "wait"), by="ann", now=NOW + timedelta(seconds=10))
    assert of(run, "wait").shown_status == "held"
    deposit()
    assert work(NOW + 10 * MINUTE) == []
    let_step_go_on(of(run, "wait"), by="ann", now=NOW + 10 * MINUTE)
    assert work(NOW + 10 * MINUTE) == ["after"] and audit() == []


def test_a_cancel_ends_it_at_once(run):
    cancel_run(run, by="ann", now=NOW + timedelta(seconds=10))
    assert states(run) == {"before": "completed", "wait": "cancelled", "after": "cancelled"}
    assert status(run) == "cancelled" and audit() == []


def test_a_cancel_while_it_looks_ends_it(run, monkeypatch):
    real = waits.pending_statistics

    def asked(*of_entities):
        cancel_run(run, by="ann", now=NOW + MINUTE)
        return real(*of_entities)

    monkeypatch.setattr(waits, "pending_statistics", asked)
    work(NOW + MINUTE)
    assert of(run, "wait").status == "cancelled" and status(run) == "cancelled"
    assert of(run, "wait").attempts.get().outcome == "cancelled" and audit() == []


def test_a_look_that_was_given_up_writes_nothing_and_is_made_again(run, deposit):
    later = NOW + MINUTE
    attempt = claim_next(worker="frozen", now=later)
    with pytest.MonkeyPatch.context() as patch:
        real = waits.pending_statistics

        def slept(*of_entities):
            found = real(*of_entities)
            run_cycle(later + 31 * MINUTE)
            return found

        patch.setattr(waits, "pending_statistics", slept)
        run_attempt(attempt, time=lambda: later)
    assert Attempt.objects.get(task__key="wait").outcome == "lost"
    task = of(run, "wait")
    assert (task.status, task.waits_since, task.attempts_made) == ("queued", NOW, 1)
    deposit()
    assert work(later + 33 * MINUTE) == ["after"] and audit() == []


def test_looks_that_always_kill_their_worker_come_to_an_end(run):
    for number in range(1, 6):
        at = NOW + number * 10 * MINUTE
        attempt = claim_next(worker="w", now=at)
        lost = Attempt.objects.get(pk=attempt.pk)
        assert lost.number == number
        with transaction.atomic():
            assert release(Attempt.objects.select_related("task__run", "task__entity").get(pk=lost.pk), "gone", at)
    assert of(run, "wait").status == "failed" and audit() == []


def test_a_worker_that_is_told_to_stop_hands_its_look_back(run, deposit):
    attempt = claim_next(worker="w", now=NOW + MINUTE)
    assert hand_back(attempt, attempt.task, now=NOW + MINUTE)
    task = of(run, "wait")
    assert (task.status, task.waits_since) == ("queued", NOW)
    deposit()
    assert work(NOW + MINUTE) == ["after"] and audit() == []


def test_a_doubled_message_finds_nothing_to_look_at(run):
    task = of(run, "wait")
    assert claim(task.pk, worker="w", now=NOW + timedelta(seconds=30)) is None
    assert claim(task.pk, worker="w", now=NOW + MINUTE) is not None
    assert claim(task.pk, worker="w", now=NOW + MINUTE) is None


def test_programs_read_since_when_it_waits(run):
    told = {task["task"]: task for task in run_document(run)["tasks"]}
    assert told["wait"]["waits_since"] == NOW.isoformat()
    assert told["wait"]["looks_again_at"] == (NOW + MINUTE).isoformat()
    assert "waits_since" not in told["before"] and told["wait"]["status"] == "queued"


def test_what_is_left_of_a_run_counts_the_rest_of_a_known_wait():
    long = ManifestTask("long", RunKind.WAIT, None, arguments={"minutes": 60}, attempts=5)
    made = start(long, item("after", "long"))
    work()
    (piece,) = pieces_left([made.pk], NOW + 20 * MINUTE)[made.pk]
    assert (piece.after, piece.is_first) == (40 * MINUTE, False)


def test_whoever_may_not_run_scripts_starts_no_wait_for_a_query(db):
    script = SqlScript.objects.create(name="Ready", sql="SELECT 1")
    ann = User.objects.create_user("ann")
    ann.user_permissions.set(Permission.objects.filter(codename="run_plan"))
    asks = ManifestTask("wait", RunKind.WAIT, None, arguments={"script": script.pk})
    with pytest.raises(NotAllowed):
        refuse_without_right([asks], ann)
    refuse_without_right([ManifestTask("wait", RunKind.WAIT, None, arguments={"minutes": 1})], ann)


def test_ten_looks_leave_no_row_and_cost_few_statements(run, django_assert_max_num_queries):
    rows = (Attempt.objects.count(), SchedulerLog.objects.count(), Run.objects.count())
    with django_assert_max_num_queries(10 * 32):
        for minute in range(1, 11):
            work(NOW + minute * MINUTE)
    assert rows == (Attempt.objects.count(), SchedulerLog.objects.count(), Run.objects.count())


def test_its_time_goes_on_while_it_is_held_also_before_anybody_looked():
    made = start(minutes_wait(5), item("after", "wait"))
    hold_step(of(made, "wait"), by="ann", now=NOW)
    let_step_go_on(of(made, "wait"), by="ann", now=NOW + 4 * MINUTE)
    assert of(made, "wait").shown_status == "awaiting" and work(NOW + 4 * MINUTE) == []
    assert work(NOW + 5 * MINUTE) == ["after"] and audit() == []


def test_what_was_held_before_its_turn_waits_from_its_turn_on():
    made = start(item("before"), minutes_wait(5, depends_on=frozenset(["before"])), item("after", "wait"))
    hold_step(of(made, "wait"), by="ann", now=NOW)
    work(NOW + MINUTE)
    let_step_go_on(of(made, "wait"), by="ann", now=NOW + 2 * MINUTE)
    assert work(NOW + 6 * MINUTE) == [] and work(NOW + 7 * MINUTE) == ["after"]
