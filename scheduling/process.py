"""Knows processes of this machine apart: one that is gone is known to be gone, and never mistaken for another."""

import os
from functools import cache
from pathlib import Path

_START = 19  # of the fields of /proc/PID/stat after the name in parentheses: when it was started


def identity() -> str:
    """Return what tells this process from all others, on any machine; empty where that cannot be known."""
    return _identity(os.getpid())


def is_gone(told: str) -> bool:
    """Return whether the process of an `identity` ended for certain; False for unknown ones, as of other machines."""
    machine, _, rest = told.rpartition("|")[0].rpartition("|")
    number = rest
    if not machine or machine != _machine() or not number.isdecimal():
        return False
    started = _started(int(number))
    return started is None or f"{machine}|{number}|{started}" != told


@cache
def _identity(pid: int) -> str:
    started = _started(pid)
    return f"{_machine()}|{pid}|{started}" if _machine() and started else ""


def _machine() -> str:
    """Return what this boot of this machine, and this container, has alone; empty where that cannot be known."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}|{Path('/proc/self/ns/pid').readlink()}".replace("|", "/")
    except OSError:
        return ""


def _started(pid: int) -> str | None:
    """Return when a process was started, in ticks; None when there is none, or it is a body nobody has buried."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in ("Z", "X") else fields[_START]
