"""The two jobs of the demo: one counts members and shows its progress, one asks a bank that does not always answer."""

import random

from django.db import connection

from scheduling import clock
from scheduling.jobs.context import JobContext
from scheduling.jobs.declare import every, job, retry
from staging.identifiers import production_table, quote
from staging.models import Entity
from staging.wording import say

MODULE = __name__


@job("Count members", category="Demo", description="Counts the members of every entity, one after the other.")
@every(15, "minutes")
def count_members(context: JobContext) -> str:
    """Count with progress and lines, and stop when asked to."""
    entities, members = list(Entity.objects.filter(is_cancelled=False)), 0
    for number, entity in enumerate(entities, start=1):
        context.check_cancelled()
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT count(*) FROM {quote(production_table(entity.code))}")  # noqa: S608
            count = int(cursor.fetchone()[0])
        members += count
        context.logger.info("%s: %s members", entity.name, f"{count:,}")
        context.progress(number, len(entities), say("Counted {entity}.", entity=entity.name))
        clock.sleep(1)
    return say("{members:,} members of {entities} entities.", members=members, entities=len(entities))


@job("Exchange rates", category="Demo", description="Asks a bank for its rates; it answers two times out of three.")
@every(5, "minutes", jitter_seconds=30)
@retry(attempts=3, interval_seconds=15)
def exchange_rates(context: JobContext) -> str:
    """Fail sometimes, to show what a retry looks like."""
    context.logger.info("Asking the bank, attempt %s.", context.attempt)
    clock.sleep(2)
    if random.random() < 1 / 3:  # noqa: S311 - a demo, nothing secret
        raise ConnectionError(say("The bank did not answer."))
    return say("The rates are up to date.")
