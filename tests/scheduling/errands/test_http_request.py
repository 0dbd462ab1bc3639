"""Promise: a request goes where settings allow and nowhere else, once at a time, and its answer is told in words."""

import base64
import json
import socket
import threading
import time as real_time
from datetime import timedelta
from email.utils import format_datetime
from urllib.parse import parse_qs, urlsplit

import pytest

from scheduling import clock
from scheduling.errands import http_request as module
from scheduling.errands import values
from scheduling.errands.addresses import allows
from scheduling.models import Attempt, Job, Run, Task
from scheduling.queues import claim_next
from scheduling.runs.by_hand import start_job_now
from scheduling.runs.cancel import cancel_run
from scheduling.runs.execute import run_attempt
from scheduling.testing import call, know_jobs
from tests.scheduling.errands.conftest import log_of, run_and_close
from tests.scheduling.errands.server import Server, say

pytestmark = pytest.mark.django_db


@pytest.fixture
def server(settings):
    made = Server()
    settings.HTTP_STEPS = [made.url]
    settings.HTTP_STEPS_INTERNAL_ADDRESSES = True
    yield made
    made.close()


@pytest.fixture
def ask(run, server):
    """Return a function that asks a path of the server as a step would, once, and returns the task."""
    return lambda path="/", **more: run("HTTP request", url=server.url + path, **more)


def test_the_answer_is_the_result(ask, server):
    task = ask("/orders", query={"day": "2026-03-01", "all": True, "none": None, "text": "a b&c"})
    (_, path, _, _) = server.got[0]
    assert path.startswith("/orders?") and parse_qs(urlsplit(path).query) == {  # PostgreSQL keeps no order of names
        "day": ["2026-03-01"], "all": ["true"], "text": ["a b&c"],
    }  # fmt: skip
    assert task.status == "completed"
    assert task.result == {"status": 200, "headers": {}, "body": {"path": path}, "is_whole": True}
    ((method, asked, headers, body),) = server.got
    assert (method, asked, body) == ("GET", path, b"") and headers["host"] == urlsplit(server.url).netloc
    assert f"INFO GET {server.url}/orders" in log_of(task) and "It answered 200 OK" in log_of(task)


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
def test_every_method_may_carry_json(ask, server, method):
    task = ask("/x", method=method, json={"name": "é", "rows": [1, None]}, headers={"X-Team": "night"})
    ((asked, _, headers, body),) = server.got
    assert (task.status, asked, json.loads(body)) == ("completed", method, {"name": "é", "rows": [1, None]})
    assert headers["content-type"] == "application/json" and headers["x-team"] == "night"
    assert headers.get("idempotency-key", "").startswith("staging-scheduler-") is (method in ("POST", "PATCH"))


def test_the_key_of_a_request_is_that_of_each_attempt_and_of_no_other_installation(ask, server):
    server.paths["/busy"] = lambda asked: say(asked, 503)
    task = ask("/busy", method="POST")
    Task.objects.filter(pk=task.pk).update(next_attempt_at=clock.now())
    run_attempt(claim_next(worker="test", now=clock.now()))
    Run.objects.filter(pk=task.run_id).update(fire_key="as the same number has it elsewhere")
    Task.objects.filter(pk=task.pk).update(next_attempt_at=clock.now())
    run_attempt(claim_next(worker="test", now=clock.now()))
    first, second, elsewhere = [headers["idempotency-key"] for _, _, headers, _ in server.got]
    assert first == second != elsewhere


def test_text_is_sent_as_it_is(ask, server):
    ask("/x", method="PUT", body="a;b\n", headers={"content-type": "text/csv"})
    ((_, _, headers, body),) = server.got
    assert (headers["content-type"], body) == ("text/csv", b"a;b\n")
    assert "not both" in ask("/x", body="a", json=1).message


def test_a_secret_is_named_and_stands_nowhere(ask, server, monkeypatch):
    monkeypatch.setenv("HTTP_SECRET_SHOP", "Bearer canary-1234")
    monkeypatch.setenv("SECRET_KEY", "canary-key")
    server.paths["/echo"] = lambda asked: say(asked, 200, {"got": asked.headers["Authorization"]}, ETag="canary-1234")
    server.paths["/no"] = lambda asked: say(asked, 403, f"who is {asked.headers['Authorization']}?")
    secret = {"secret_headers": {"Authorization": "HTTP_SECRET_SHOP"}}
    well, badly = ask("/echo", **secret), ask("/no", **secret)
    assert [headers["authorization"] for _, _, headers, _ in server.got] == ["Bearer canary-1234"] * 2
    assert well.result["body"] == {"got": "•••"}
    told = f"{well.result} {badly.message} {log_of(well)} {log_of(badly)} {well.arguments}"
    assert "canary" not in told
    for name in ("SECRET_KEY", "HTTP_SECRET_OTHER"):
        refused = ask("/echo", secret_headers={"Authorization": name})
        assert f"There is no secret '{name}' here" in refused.message
    assert len(server.got) == 2


ECHOES = {
    "without its scheme": ("Bearer canary-1234", "no such token: canary-1234"),
    "as a password": (f"Basic {base64.b64encode(b'ann:canary-1234').decode()}", "ann, canary-1234 is wrong"),
    "as JSON escapes it": ("Bearer canary/12+34", '{"was": "canary\\/12\\u002b34"}'),
    "as a name": ("Bearer canary-1234", '{"canary-1234": 1}'),
    "as a number": ("Bearer 9876543210", "9876543210"),
    "encoded": ("Bearer canary/12+34", "canary%2F12%2B34 canary/12%2B34"),
}


@pytest.mark.parametrize("status", [200, 403])
@pytest.mark.parametrize(("secret", "echo"), ECHOES.values(), ids=list(ECHOES))
def test_a_secret_is_hidden_however_it_is_answered(ask, server, monkeypatch, secret, echo, status):
    monkeypatch.setenv("HTTP_SECRET_SHOP", secret)
    server.paths["/echo"] = lambda asked: say(asked, status, echo, ETag=secret.partition(" ")[2])
    task = ask("/echo", secret_headers={"Authorization": "HTTP_SECRET_SHOP"})
    told = f"{task.result} {task.message} {log_of(task)}"
    assert "•••" in told and "canary" not in told and "9876543210" not in told


def test_a_secret_in_what_is_no_answer_is_hidden_in_the_trace_too(ask, server, monkeypatch):
    monkeypatch.setenv("HTTP_SECRET_SHOP", "Bearer canary-1234")
    server.paths["/odd"] = lambda asked: asked.wfile.write(b"canary-1234 is no status line\r\n\r\n")
    task = ask("/odd", secret_headers={"Authorization": "HTTP_SECRET_SHOP"})
    assert task.status == "queued" and "•••" in task.message and "canary" not in f"{task.message} {log_of(task)}"


@pytest.mark.parametrize(
    ("entry", "url", "expected"),
    [
        ("https://api.example.com/v1", "https://api.example.com/v1", True),
        ("https://api.example.com/v1", "https://api.example.com/v1/orders?x=1", True),
        ("https://api.example.com/v1/", "https://api.example.com/v1/orders", True),
        ("https://api.example.com", "https://api.example.com/anything", True),
        ("https://api.example.com", "https://API.example.com:443/anything", True),
        ("https://api.example.com/v1", "https://api.example.com/v10", False),
        ("https://api.example.com/v1", "https://api.example.com/", False),
        ("https://api.example.com/v1", "http://api.example.com/v1", False),
        ("https://api.example.com/v1", "https://api.example.com:8443/v1", False),
        ("https://api.example.com", "https://api.example.com.evil.org/", False),
        ("https://api.example.com", "https://evil.org/https://api.example.com/", False),
        ("https://api.example.com", "https://api.example.com@evil.org/", False),
        (" https://api.example.com/v1 ", "https://api.example.com/v1/x", True),
        ("https://bücher.example/café", "https://xn--bcher-kva.example/caf%C3%A9/x", True),
    ],
)
def test_an_entry_allows_its_own_host_and_what_is_below_its_path(entry, url, expected):
    assert allows(entry, urlsplit(url)) is expected


@pytest.mark.parametrize(
    "path", ["/v1/../admin", "/v1/%2e%2e/admin", "/v1/..%2fadmin", "/v1/%252e%252e/admin", "/v1/..;/admin", "/v1/./x",
             "/v1\\..\\admin", "/v1/x y", "/v1/\n"],
)  # fmt: skip
def test_no_path_climbs_out_of_what_is_allowed(ask, server, settings, path):
    settings.HTTP_STEPS = [f"{server.url}/v1"]
    task = ask(path)
    assert task.status == "failed" and server.got == []
    assert "may not climb" in task.message or "no URL may have" in task.message


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("http://127.0.0.1:1/v1", "is not allowed: the setting HTTP_STEPS names what is."),
        ("http://user:w0rd@127.0.0.1/", "name a secret header"),
        ("file:///etc/passwd", "is not allowed"),
        ("gopher://127.0.0.1/x", "is not allowed"),
        ("http://127.0.0.1:99999/", "no URL may have"),
        ("//127.0.0.1/", "is not allowed"),
        (f"http://ü{'x' * 80}.example/", "no URL may have"),
        ("http://ü..example/", "no URL may have"),
        ("", "is not allowed"),
    ],
)
def test_what_is_not_allowed_is_not_asked(run, server, url, told):
    task = run("HTTP request", url=url)
    assert task.status == "failed" and told in task.message and server.got == [] and "w0rd" not in task.message


def test_no_address_inside_is_called_unless_settings_allow_it(ask, server, settings):
    settings.HTTP_STEPS_INTERNAL_ADDRESSES = False
    settings.ALERTS_INTERNAL_ADDRESSES = True  # which is about something else
    task = ask("/")
    assert task.status == "failed" and server.got == []
    assert "is an address inside (127.0.0.1). HTTP_STEPS_INTERNAL_ADDRESSES allows these." in task.message


def test_a_name_that_leads_inside_is_not_called(run, server, settings, monkeypatch):
    settings.HTTP_STEPS, settings.HTTP_STEPS_INTERNAL_ADDRESSES = ["http://api.example.com"], False
    port = urlsplit(server.url).port
    answer = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answer)
    assert "is an address inside" in run("HTTP request", url="http://api.example.com/").message


def test_a_redirect_is_told_and_not_followed(ask, server):
    server.paths["/old"] = lambda asked: say(asked, 302, Location=f"{server.url}/new")
    task = ask("/old")
    assert task.status == "failed" and len(server.got) == 1
    assert f"it has moved to {server.url}/new. No redirect is followed." in task.message


@pytest.mark.parametrize("name", ["Host", "Content-Length", "Transfer-Encoding", "X Y", "X:Y", "", "X\r\nY"])
def test_headers_that_would_change_the_request_itself_are_refused(ask, server, name):
    assert "cannot have the header" in ask("/", headers={name: "1"}).message and server.got == []


def test_a_header_is_sent_once(ask, server, monkeypatch):
    monkeypatch.setenv("HTTP_SECRET_SHOP", "canary")
    assert ask("/", headers={"user-agent": "ours", "content-type": "text/x"}, json=1).status == "completed"
    ((_, _, headers, _),) = server.got  # a header that is there twice is joined by who reads it
    assert (headers["user-agent"], headers["content-type"]) == ("ours", "text/x")
    task = ask("/", headers={"authorization": "none"}, secret_headers={"Authorization": "HTTP_SECRET_SHOP"})
    assert "each header once" in task.message and len(server.got) == 1


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\nb", "é"])
def test_a_header_is_one_line(ask, server, value):
    assert "printable" in ask("/", headers={"X-Team": value}).message and server.got == []


@pytest.mark.parametrize(("status", "expected", "ends"), [
    (404, None, "failed"), (404, [200, 404], "completed"), (201, None, "completed"), (200, [204], "failed"),
    (302, [302], "completed"),
])  # fmt: skip
def test_which_statuses_are_well_may_be_said(ask, server, status, expected, ends):
    server.paths["/x"] = lambda asked: say(asked, status, "nothing\nhere")
    task = ask("/x", **({"expected": expected} if expected else {}))
    assert task.status == ends
    if ends == "completed":
        assert (task.result["status"], task.result["body"]) == (status, "nothing\nhere")
    else:
        assert f"was answered {status} " in task.message and "nothing here" in task.message


@pytest.mark.parametrize(
    ("status", "method", "more", "is_tried_again"),
    [
        (429, "GET", {}, True), (429, "POST", {}, True), (503, "POST", {}, True), (500, "GET", {}, True),
        (502, "DELETE", {}, True), (500, "POST", {}, False), (504, "PATCH", {}, False),
        (500, "POST", {"may_repeat": True}, True), (500, "GET", {"may_repeat": False}, False), (404, "GET", {}, False),
        (400, "PUT", {}, False),
    ],
)  # fmt: skip
def test_what_is_worth_another_try_is_tried_again(ask, server, status, method, more, is_tried_again):
    server.paths["/x"] = lambda asked: say(asked, status, "busy")
    task = ask("/x", method=method, **more)
    assert task.status == ("queued" if is_tried_again else "failed")


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_retry_after_is_waited(ask, server, form):
    told = "900" if form == "seconds" else format_datetime(clock.now() + timedelta(seconds=900), usegmt=True)
    server.paths["/x"] = lambda asked: say(asked, 429, Retry_After=told)
    task = ask("/x")
    waits = task.next_attempt_at - Attempt.objects.get(task=task).finished_at
    assert timedelta(seconds=890) < waits < timedelta(seconds=910)


@pytest.mark.parametrize(
    ("told", "longest"),
    [
        ("soon", 100),
        ("-5", 100),
        ("", 100),
        ("999999999", 86_400),
        ("1" * 40, 100),
        (f"Mon, 01 Jan 2026 00:00:00 +{'9' * 30}", 100),
        ("Mon, 01 Jan 9999 00:00:00 GMT", 86_400),
    ],
)
def test_a_retry_after_that_makes_no_sense_or_asks_for_years_is_bounded(ask, server, told, longest):
    server.paths["/x"] = lambda asked: say(asked, 503, Retry_After=told)
    task = ask("/x")
    waits = task.next_attempt_at - Attempt.objects.get(task=task).finished_at
    assert waits <= timedelta(seconds=longest)


def test_nobody_answers(run, server, settings):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    settings.HTTP_STEPS = [url]
    for method in ("GET", "POST"):  # nothing was sent, so both may be sent again
        task = run("HTTP request", url=url, method=method)
        assert task.status == "queued" and "127.0.0.1 did not answer: " in task.message
        cancel_run(task.run, by="ann", now=clock.now())


def hang_up(asked):
    asked.connection.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize(("method", "status"), [("GET", "queued"), ("POST", "failed")])
def test_what_may_have_been_carried_out_is_not_sent_twice(ask, server, method, status):
    server.paths["/x"] = hang_up
    task = ask("/x", method=method)
    assert task.status == status and ("is not sent again" in task.message) == (status == "failed")


def test_who_answers_too_slowly_is_given_up(ask, server):
    server.paths["/slow"] = lambda asked: server.held.wait()
    task = ask("/slow", limit_seconds=1)
    assert task.status == "queued" and "It took longer than" in task.message


def drip(server, asked):
    """Send a byte now and then, for as long as somebody listens."""
    asked.send_response(200)
    asked.end_headers()
    while not server.held.wait(0.1):
        asked.wfile.write(b"x")
        asked.wfile.flush()


def test_who_answers_a_byte_now_and_then_is_given_up(ask, server):
    server.paths["/drip"] = lambda asked: drip(server, asked)
    assert "It took longer than" in ask("/drip", limit_seconds=1).message


@pytest.mark.django_db(transaction=True)
def test_a_cancel_is_heard_while_it_waits(run, server):
    server.paths["/slow"] = lambda asked: server.held.wait()
    know_jobs()
    arguments = {"url": f"{server.url}/slow"}
    started = start_job_now(Job.objects.get(name="HTTP request"), arguments, started_by="ann", now=clock.now())
    thread = threading.Thread(target=run_and_close, args=(claim_next(worker="test", now=clock.now()),))
    thread.start()
    assert server.asked.wait(20)
    cancel_run(started, by="ann", now=clock.now())
    thread.join(30)
    assert not thread.is_alive() and Task.objects.get(run=started).status == "cancelled"
    until = real_time.monotonic() + 20
    while any(each.name == "http request" for each in threading.enumerate()):
        assert real_time.monotonic() < until, "the thread that waited was left behind"
        real_time.sleep(0.02)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_half_an_answer_is_none(ask, server, method):
    server.paths["/half"] = lambda asked: say(asked, 200, "[1, 2", Content_Length="100", Connection="close")
    task = ask("/half", method=method)
    assert task.status == ("queued" if method == "GET" else "failed") and "IncompleteRead" in task.message


def test_what_would_write_over_lines_of_a_log_is_blank(ask, server):
    server.paths["/x"] = lambda asked: asked.wfile.write(b"HTTP/1.0 200 a\x1b[2J\x9bb\r\nETag: \x1b[2Jc\r\n\r\n")
    task = ask("/x")
    assert task.result["headers"] == {"etag": " [2Jc"} and "It answered 200 a [2J b" in log_of(task)


def test_a_huge_answer_is_cut(ask, server):
    server.paths["/huge"] = lambda asked: say(asked, 200, b"[" + b"1," * 5_000_000 + b"1]")
    result = ask("/huge").result
    assert len(result["body"]) == values.LONGEST_TEXT and result["is_whole"] is False


def test_json_that_is_too_long_for_a_result_is_text(ask, server):
    server.paths["/long"] = lambda asked: say(asked, 200, ["x" * 100] * 1000)
    result = ask("/long").result
    assert len(result["body"]) == values.LONGEST_TEXT and result["is_whole"] is False


@pytest.mark.parametrize(
    ("content", "kind", "body"),
    [
        (b"caf\xe9", "text/plain; charset=latin-1", "café"),
        (b"\xff\x00a", "application/octet-stream", "\ufffda"),
        (b"a", "text/plain; charset=nonsense", "a"),
        (b"NaN", "application/json", "NaN"),
        (b"12", "application/json", 12),
        (b"", "text/plain", ""),
        (b"[" * 100_000, "application/json", "[" * values.LONGEST_TEXT),
        (b"1e999", "application/json", "1e999"),
        (b'["a\\u0000b", "\\ud800"]', "application/json", ["ab", "\\ud800"]),
        (b'"a\\\\u0000b"', "application/json", '"a\\\\u0000b"'),
        (b"ab-c", "text/plain; charset=punycode", "ab-c"),
        (b"ab", "text/plain; charset=undefined", "ab"),
        (b"ab", "text/plain; charset=idna", "ab"),
        (b"\\x41", "text/plain; charset=unicode_escape", "\\x41"),
        (b"\xe9", "text/plain; charset=windows-1252", "é"),
        (("\x01" * 20_000).encode(), "text/plain", "\x01" * 5_000),
        (b"[" * 950 + b"]" * 950, "application/json", "[" * 950 + "]" * 950),
    ],
)
def test_whatever_is_answered_can_be_kept(ask, server, content, kind, body):
    server.paths["/x"] = lambda asked: say(asked, 200, content, Content_Type=kind)
    task = ask("/x")
    assert (task.status, task.result["body"]) == ("completed", body)
    assert task.result["headers"]["content-type"] == kind


def test_it_is_called_in_a_test_of_own_code_too(server):
    assert call(module.http_request, url=f"{server.url}/x").result["body"] == {"path": "/x"}
