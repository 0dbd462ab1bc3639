"""What a type checker finds in calls of `given`: a comment that hides a mistake which is not found is told itself."""

from datetime import timedelta

from scheduling.jobs.context import JobContext
from scheduling.jobs.declare import job, retry
from scheduling.runs.enqueue import enqueue, enqueue_many, given


@job("Letter")
@retry(attempts=3)
def letter(context: JobContext, member: int, *, urgent: bool = False) -> str:
    """Take two arguments."""
    return f"{member} {urgent}"


@job("Later")
async def later(context: JobContext, region: str) -> None:
    """Take one, and be async."""


def right() -> None:
    """Nothing is wrong here."""
    enqueue(given(letter, 5, urgent=True), after=timedelta(hours=1), key="5")
    enqueue(given(later, region="EU"), overlap="replace")
    enqueue_many(given(letter, member).when(priority=2) for member in range(3))
    enqueue(letter, {"member": 5}, queue="mail")


def wrong() -> None:
    """Everything is wrong here."""
    given(letter, "five")  # type: ignore[arg-type]
    given(letter)  # type: ignore[call-arg]
    given(letter, 5, urgent="very")  # type: ignore[arg-type]
    given(letter, 5, True)  # type: ignore[call-arg]
    given(letter, 5, colour="red")  # type: ignore[call-arg]
    given(later, region=5)  # type: ignore[arg-type]
    enqueue(given(letter, 5), overlap="skipp")  # type: ignore[arg-type]
    enqueue(given(letter, 5), after=5)  # type: ignore[arg-type]
    enqueue(letter, ["member"])  # type: ignore[arg-type]
    given(letter, 5).when(keyy="5")  # type: ignore[call-arg]
