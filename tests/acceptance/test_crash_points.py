"""Struck at any point of a minute: each row has one outcome, nothing is stuck, and the poisoned neighbour is alone."""

import pytest

from tests.acceptance.crash.matrix import struck_at
from tests.acceptance.crash.site import Site
from tests.acceptance.installation import assert_each_row_once

ROWS = 200
POINTS = [
    "scheduling.dispatch.cycle.recover",
    "scheduling.kinds.measure",
    "scheduling.dispatch.firing.decide",
    "scheduling.runs.start.take_guards",
    "scheduling.runs.start.events.record_all",
    "scheduling.runs.start.wake_lines_after_commit",
    "scheduling.queues.conf.is_embedded",
    "scheduling.queues.take_place",
    "scheduling.queues.begin_attempt",
    "scheduling.workloads.batch.process",
    "staging.batches.judging.judge.classify",
    "staging.batches.judging.judge.cascade",
    "staging.batches.pipeline.decisions.keep_work_table",
    "staging.batches.pipeline.record.keep_decisions",
    "staging.batches.merging.merge._mark",
    "staging.batches.merging.merge.settle_chunk",
    "staging.batches.merging.merge.update_members",
    "staging.batches.merging.merge.insert_members",
    "staging.batches.merging.merge.record.add_counts",
    "staging.batches.pipeline.decisions.forget",
    "staging.batches.pipeline.record.complete_batch",
    "scheduling.runs.advance.end_attempt",
    "scheduling.runs.advance.end_task",
    "scheduling.runs.advance.advance",
    "scheduling.runs.advance.end_run",
    "scheduling.workloads.batch.release_completed",
    "scheduling.runs.advance.wake_freed",
]


@pytest.fixture
def delivered(site: Site) -> Site:
    """A site with one region, 200 branches that wait, four chunks of them, and a row that poisons its batch."""
    site.sql("INSERT INTO stg_region (code, name) VALUES ('north', 'North')")
    site.minute(0)
    site.installation.deposit_branches(ROWS)
    site.sql("INSERT INTO stg_poison (code, name) VALUES ('x', 'X')")
    return site


@struck_at(*POINTS)
def test_struck_at_this_point_nothing_is_lost_doubled_or_stuck(delivered: Site, point: str, fault: str) -> None:
    delivered.strike(point, fault, 3)
    delivered.pass_time(3)
    assert delivered.audit() == [], delivered.log()
    assert_each_row_once(delivered.installation, ROWS)
    assert delivered.number("SELECT count(*) FROM scheduling_schedulerlog WHERE message LIKE '%poison%'") > 0
