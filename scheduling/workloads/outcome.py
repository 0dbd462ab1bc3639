"""How a piece of work ended, whatever kind it was."""

from dataclasses import dataclass

from scheduling.states import TaskStatus


@dataclass(frozen=True)
class Outcome:
    """The end of an attempt's work: a final task state, a sentence, and the rows it went through."""

    status: TaskStatus
    message: str
    rows: int | None = None
    batch_id: int | None = None
    duration_ms: int | None = None
