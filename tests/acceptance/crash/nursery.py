"""A process with everything imported that forks a child for each minute: a real process that can really be killed.

It reads one order a line as JSON and answers each with one line, when the child has ended or stopped.
"""

import json
import os
import signal
import sys
import traceback
from pathlib import Path
from typing import Any

import django


def main() -> None:
    """Serve orders until there are no more; nothing here opens a connection that a child could inherit."""
    django.setup()
    from tests.acceptance.crash import faults, minute  # noqa: F401 (imported once, for all children)

    _answer(ready=True)
    for line in sys.stdin:
        order = json.loads(line)
        if order.get("wipe"):
            faults.wipe_broker()
            _answer(code=0)
            continue
        pid = order.get("go_on") or order.get("kill")
        if "kill" in order:
            os.kill(pid, signal.SIGKILL)
        elif pid:
            os.kill(pid, signal.SIGCONT)
        else:
            pid = _fork(order)
        _, status = os.waitpid(pid, os.WUNTRACED)
        code = "stopped" if os.WIFSTOPPED(status) else os.waitstatus_to_exitcode(status)
        _answer(pid=pid, code=code)


def _answer(**answer: Any) -> None:
    """Tell the test how it went."""
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def _fork(order: dict[str, Any]) -> int:
    """Start a child that lives the minute; return its process id."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        _child(order)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _child(order: dict[str, Any]) -> None:
    """Live one minute in the place that the order names; its output goes to a file."""
    log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for stream in (1, 2):
        os.dup2(log, stream)
    from django.db import connections

    from scheduling.dispatch import recover
    from tests.acceptance.crash import faults, minute
    from tests.acceptance.soak.apps import unfence
    from tests.acceptance.soak.breaks import put

    place = connections.settings["default"]
    place["NAME"] = order["database"]
    if order["patience"]:
        place["OPTIONS"] = {**place["OPTIONS"], "timeout": order["patience"]}
    # The server's start is of real time, the minutes are not: one started within half an hour would be all grace.
    put(recover, _SINCE_START="SELECT 1000000000")
    if order["unfenced"]:
        unfence()
    if order["point"]:
        faults.strike_at(order["point"], order["nth"], order["fault"])
    minute.live(order["wish"], minute.shared_time(Path(order["clock"])))
    connections.close_all()
    if order["point"] and not faults.STRUCK:
        raise RuntimeError(f"{order['point']} was not reached")


if __name__ == "__main__":
    main()
