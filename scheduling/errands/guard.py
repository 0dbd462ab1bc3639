"""The process between a worker and a command: it ends the command, with all that came of it, also when the worker dies.

A program by itself, started by `command`: it knows nothing of Django, so that it is there within milliseconds. Its
standard input is held by the worker; when a byte comes, or the end because the worker died, the command is ended: asked
first (SIGTERM), killed after a grace. What the command leaves running when it ends is ended in the same way. How it
ended is written to the descriptor that the arguments name, as JSON.
"""

import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def main(report: int, grace: float, command: list[str]) -> None:
    """Run a command to its end, and everything that came of it."""
    libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
    if libc is not None:
        libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # whose parent ended becomes our child, in whatever session
    woken, wake = os.pipe()
    os.set_blocking(woken, False)
    os.set_blocking(wake, False)
    for number in (*_SIGNALS, signal.SIGCHLD):
        signal.signal(number, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    parent = os.getpid()

    def die_with_parent() -> None:
        if libc is not None:
            libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            if os.getppid() != parent:
                os._exit(1)

    try:
        child = subprocess.Popen(  # noqa: S603 - what the setting allows, without a shell
            command, stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=die_with_parent
        )
    except OSError as error:
        tell(report, {"error": error.strerror or str(error)})
        return
    for output in (1, 2):  # they are the command's alone: when it has ended, and all of it, they end
        os.close(output)
    code = watch(child.pid, woken)
    end_all(child.pid, grace)
    tell(report, {"code": child_code(child.pid) if code is None else code})


def watch(pid: int, woken: int) -> int | None:
    """Wait until the command has ended, or is to end; return its code, None while it runs."""
    while (code := reaped(pid)) is None:
        ready, _, _ = select.select([0, woken], [], [])
        if 0 in ready or any(number in _SIGNALS for number in os.read(woken, 4096)):
            return reaped(pid)
    return code


_codes: dict[int, int] = {}


def reaped(pid: int) -> int | None:
    """Take note of every child that ended; return the code of this one, None while it runs."""
    while True:
        try:
            ended, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            break
        if ended == 0:
            break
        if ended == pid:
            _codes[pid] = os.waitstatus_to_exitcode(status)
    return _codes.get(pid)


def child_code(pid: int) -> int | None:
    """Return the code of the command, which has been killed."""
    until = time.monotonic() + 5
    while (code := reaped(pid)) is None and time.monotonic() < until:
        time.sleep(0.01)
    return code


def end_all(pid: int, grace: float) -> None:
    """Ask what is left to end, then kill it; return when nothing is left, or cannot be killed."""
    if not left(pid):
        return
    send(signal.SIGTERM, pid)
    until = time.monotonic() + grace
    while left(pid) and time.monotonic() < until:
        time.sleep(0.02)
        reaped(pid)
    until = time.monotonic() + 5
    while left(pid) and time.monotonic() < until:
        send(signal.SIGKILL, pid)
        time.sleep(0.02)
        reaped(pid)


def left(pid: int) -> set[int]:
    """Return the processes that came of the command and run; without /proc what is left of its group."""
    reaped(pid)
    try:
        return descendants()
    except OSError:
        try:
            os.killpg(pid, 0)
        except OSError:
            return set()
        return {pid}


def send(number: int, pid: int) -> None:
    """Send a signal to the command's group, and to all that left it."""
    with suppress(OSError):
        os.killpg(pid, number)
    for each in left(pid):
        with suppress(OSError):
            os.kill(each, number)


def descendants() -> set[int]:
    """Return our children and what they started, but for those that have ended. Raises OSError without /proc."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):  # it has ended meanwhile
                state, parent = (folder / "stat").read_bytes().rpartition(b")")[2].split()[:2]
                if state not in (b"Z", b"X"):
                    parents[int(folder.name)] = int(parent)
    found: set[int] = set()
    new = {os.getpid()}
    while new:
        new = {pid for pid, parent in parents.items() if parent in new} - found
        found |= new
    return found


def tell(report: int, end: dict[str, object]) -> None:
    """Write how it ended; a worker that died reads nothing."""
    with suppress(OSError):
        os.write(report, json.dumps(end).encode())


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:])
