"""The job *Command*: runs a program of the worker's host that the installation allows; its output is the log.

Off until COMMAND_STEPS names what may run. No shell ever reads what a plan says: it becomes arguments. A command ends
with its attempt: asked first, killed after a grace, with all that it started, also when the worker is killed.
"""

from __future__ import annotations

import codecs
import json
import os
import selectors
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from django.conf import settings

from scheduling import clock, conf
from scheduling.errands import guard
from scheduling.errands.values import LARGEST, ending, json_of
from scheduling.errors import FatalJobError, SchedulingError
from scheduling.jobs.context import JobContext
from scheduling.jobs.declare import job, retry
from scheduling.jobs.discover import switched_off
from scheduling.workloads.job_output import KEPT_ONLY
from staging.phrases import listed
from staging.wording import one_line, said_together, say, storable

LOOKS_EVERY_SECONDS = 0.2
LONGEST_LINE = 4_000  # characters; a longer one is several
LAST_LINES, TOLD_LINES = 20, 3  # in the result, and in the sentence of a failure
_LONGEST_TOLD = 500
_LONGEST_GRACE = timedelta(seconds=10)
_KILL_SECONDS = 15.0  # that the guard may take beyond the grace
_USUAL = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
_KNOWN = ("argv", "folder", "environment", "takes_arguments")

Argument = str | int | float | bool


class CommandFailed(SchedulingError):
    """A command did not end as expected; `returncode` as of `subprocess`: negative for a signal."""

    def __init__(self, text: str, returncode: int):
        self.returncode = returncode
        super().__init__(text)


@dataclass(frozen=True)
class AllowedCommand:
    """What COMMAND_STEPS says of a name: how the program is called, where, and with which variables of the worker."""

    argv: tuple[str, ...]
    folder: str = "/"
    environment: tuple[str, ...] = ()
    takes_arguments: bool = True


@job("Command", category="Steps", description="Runs a program that COMMAND_STEPS allows; its output is the log.")
@retry(attempts=1, interval_seconds=30, backoff=True, on=CommandFailed)
def command(
    context: JobContext,
    name: str,
    arguments: list[Argument] | None = None,
    warning_codes: list[int] | None = None,
) -> dict[str, Any]:
    """Run the program of this name to its end. Exit code 0 is well; those of `warning_codes` are with a warning.

    `arguments` follow what the setting says, each as one argument. Raises CommandFailed, with what it printed last.
    """
    allowed = _allowed(name, arguments or [])
    output = _Output(context)
    argv = [*allowed.argv, *map(_as_text, arguments or [])]
    end = _run(argv, allowed.folder, _environment(allowed, context), output, context.check_cancelled)
    if error := end.get("error"):
        raise FatalJobError(say("{program} cannot be run: {error}.", program=argv[0], error=error))
    code = end.get("code")
    if not isinstance(code, int):
        raise CommandFailed(say("{name} was killed, and what watched over it.", name=name), -signal.SIGKILL)
    if code in (warning_codes or []) and code != 0:
        context.warn(_told(name, code, output))
    elif code != 0:
        raise CommandFailed(_told(name, code, output), code)
    return {"exit_code": code, "output": output.value()}


def commands() -> dict[str, AllowedCommand]:
    """Return what the setting allows by name. Raises ValueError, with the name of an entry that cannot be read."""
    if not isinstance(settings.COMMAND_STEPS, Mapping):
        raise ValueError(say("COMMAND_STEPS is a JSON object: each name with what it runs."))
    return {name: _parsed(name, wanted) for name, wanted in settings.COMMAND_STEPS.items()}


def _parsed(name: str, wanted: Any) -> AllowedCommand:
    entry = wanted if isinstance(wanted, Mapping) else {"argv": wanted}
    argv, folder, names = entry.get("argv"), entry.get("folder", "/"), entry.get("environment", [])
    takes = entry.get("takes_arguments", True)
    are_texts = all(isinstance(each, list) and all(isinstance(text, str) for text in each) for each in (argv, names))
    if entry.keys() - set(_KNOWN) or not are_texts or not isinstance(folder, str) or not isinstance(takes, bool):
        known = listed(_KNOWN, "and")
        raise ValueError(say("COMMAND_STEPS: {name} is a list of texts, or has {known}.", name=name, known=known))
    if not argv or not all(Path(path).is_absolute() for path in (argv[0], folder)):
        raise ValueError(say("COMMAND_STEPS: {name} names its program and its folder by whole paths.", name=name))
    return AllowedCommand(tuple(argv), folder, tuple(names), takes)


def _allowed(name: str, arguments: Sequence[Argument]) -> AllowedCommand:
    """Return what the setting says of a command. Raises FatalJobError when it allows none of this name."""
    if off := switched_off(f"{__name__}.command"):
        raise FatalJobError(off)
    try:
        known = commands()
    except ValueError as error:
        raise FatalJobError(str(error)) from error
    if name not in known:
        likely = get_close_matches(name, list(known), n=1)
        hint = say("Did you mean {likely!r}?", likely=likely[0]) if likely else ""
        raise FatalJobError(said_together(say("COMMAND_STEPS allows no command {name!r}.", name=name), hint))
    if arguments and not known[name].takes_arguments:
        raise FatalJobError(say("COMMAND_STEPS allows {name} without arguments only.", name=name))
    return known[name]


def _environment(allowed: AllowedCommand, context: JobContext) -> dict[str, str]:
    """Return the variables that a command sees: none of the worker's but those that the setting names."""
    if missing := [name for name in allowed.environment if name not in os.environ]:
        raise FatalJobError(say("The worker has no variable {name} to hand over.", name=missing[0]))
    own = {"RUN_ID": context.task.run_id, "TASK_ID": context.task.pk, "ATTEMPT": context.attempt}
    told = {f"STAGING_SCHEDULER_{name}": str(value) for name, value in own.items()}
    return {**_USUAL, "HOME": allowed.folder, **told, **{name: os.environ[name] for name in allowed.environment}}


def _as_text(value: Argument) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _run(
    argv: Sequence[str], folder: str, environment: Mapping[str, str], output: _Output, look: Callable[[], None]
) -> dict[str, Any]:
    """Run a program under its guard and return what that tells of its end; what `look` raises ends it before."""
    grace = min(_LONGEST_GRACE, conf.cancel_grace() / 2, conf.stop_grace() / 2).total_seconds()
    told, tell = os.pipe()
    try:
        watched = subprocess.Popen(  # noqa: S603 - our own guard, and what the setting allows; without a shell
            [sys.executable, "-I", "-S", str(Path(guard.__file__)), str(tell), str(grace), *argv],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            cwd=folder, env=environment, start_new_session=True, pass_fds=(tell,),
        )  # fmt: skip
    except (OSError, ValueError) as error:  # ValueError: a NUL, or what is no text, in an argument
        os.close(told)
        return {"error": one_line(error)}
    finally:
        os.close(tell)
    with watched, selectors.DefaultSelector() as streams:
        reading = _Reading(streams, output, told)
        reading.add(watched.stdout, output.take_out)
        reading.add(watched.stderr, output.take_error)
        try:
            while reading.once():
                look()
        except BaseException:
            watched.stdin.close()  # type: ignore[union-attr]
            until = clock.monotonic() + grace + _KILL_SECONDS
            while reading.once() and clock.monotonic() < until:
                pass
            raise
        finally:
            watched.kill()  # which has ended, but for one that nothing can end
            reading.rest()
            os.close(told)
    output.end()
    return reading.end()


@dataclass
class _Reading:
    """Reads what a command prints until its guard has told how it ended."""

    streams: selectors.BaseSelector
    output: _Output
    told: int
    said: bytes = b""
    is_over: bool = False

    def __post_init__(self) -> None:
        self.streams.register(self.told, selectors.EVENT_READ, self._hear)

    def add(self, stream: Any, take: Callable[[bytes], None]) -> None:
        """Read this, too."""
        self.streams.register(stream.fileno(), selectors.EVENT_READ, take)

    def once(self, seconds: float = LOOKS_EVERY_SECONDS) -> bool:
        """Read what is there, or wait a moment for it; return whether the command may still run."""
        for key, _ in self.streams.select(seconds):
            if data := os.read(key.fd, 65_536):
                key.data(data)
            else:
                self.is_over = self.is_over or key.fd == self.told
                self.streams.unregister(key.fd)
        return not self.is_over

    def rest(self) -> None:
        """Read what was printed last."""
        while len(self.streams.get_map()) and self.streams.select(0):
            self.once(0)

    def end(self) -> dict[str, Any]:
        """Return what the guard told; nothing when it was killed."""
        with suppress(ValueError):
            return dict(json.loads(self.said))
        return {}

    def _hear(self, data: bytes) -> None:
        self.said += data


@dataclass
class _Output:
    """What a command prints: line by line into the log of the attempt, and the beginning of it for the result."""

    context: JobContext
    last: deque[str] = field(default_factory=lambda: deque(maxlen=LAST_LINES))
    printed: bytes = b""
    is_whole: bool = True

    def __post_init__(self) -> None:
        self._out = _Lines(lambda line: self._log(line, self.context.logger.info))
        self._error = _Lines(lambda line: self._log(line, self.context.logger.warning))

    def take_out(self, data: bytes) -> None:
        """Take what came by standard output."""
        self.is_whole = self.is_whole and len(self.printed) + len(data) <= LARGEST
        if self.is_whole:
            self.printed += data
        self._out.take(data)

    def take_error(self, data: bytes) -> None:
        """Take what came by standard error."""
        self._error.take(data)

    def end(self) -> None:
        """Take lines that have no end."""
        self._out.take(b"", is_last=True)
        self._error.take(b"", is_last=True)

    def value(self) -> Any:
        """Return the JSON that was printed, else the last lines as text."""
        with suppress(ValueError):
            if self.is_whole and self.printed:
                return json_of(self.printed.decode())
        return ending("\n".join(self.last))

    def _log(self, line: str, log: Callable[..., None]) -> None:
        self.last.append(storable(line, LONGEST_LINE))
        log("%s", line, extra=KEPT_ONLY)


class _Lines:
    """Bytes in, lines out."""

    def __init__(self, line: Callable[[str], None]) -> None:
        self._line, self._begun = line, ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def take(self, data: bytes, *, is_last: bool = False) -> None:
        """Take what came; each whole line goes out, and the last without its end."""
        *lines, self._begun = (self._begun + self._decoder.decode(data, is_last)).split("\n")
        while len(self._begun) > LONGEST_LINE or (is_last and self._begun):
            lines.append(self._begun[:LONGEST_LINE])
            self._begun = self._begun[LONGEST_LINE:]
        for line in lines:
            self._line(line.rstrip("\r"))


def _told(name: str, code: int, output: _Output) -> str:
    """Return how a command ended, with what it printed last."""
    how = say("{name} ended with exit code {code}.", name=name, code=str(code))
    if code < 0:
        with suppress(ValueError):
            how = say("{name} was ended by {signal}.", name=name, signal=signal.Signals(-code).name)
    lines = [line for line in output.last if line.strip()][-TOLD_LINES:]
    if not lines:
        return how
    last = " / ".join(lines)[-_LONGEST_TOLD:]
    return said_together(how, say("It printed last: {lines}", lines=last))
