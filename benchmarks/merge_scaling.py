"""Measures whether a batch keeps its pace, and the statistics of pending rows theirs, however many rows there are.

    python -m benchmarks.merge_scaling [--rows 10000,100000,1000000,5000000]

So many rows are staged into as many members. Targets: rows per second within 25 % of one another, memory that does not
grow, and statistics of the pending rows in less than 5 ms whatever the staging table holds.
"""

import argparse
from time import perf_counter

from benchmarks import merge
from benchmarks._scratch import vacuum


def main() -> None:
    """Print the pace and the memory at each size, and the spread of the paces."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rows", default="10000,100000,1000000,5000000")
    sizes = [int(text) for text in options.parse_args().rows.split(",")]
    with merge.own_database():
        from django.db import connection

        merge.define()
        merge.fill(1_000)
        merge.timed_batch()  # not counted: the first batch of a process also fills caches
        paces = {rows: pace(rows) for rows in sizes}
        middle = (max(paces.values()) + min(paces.values())) / 2
        print(
            f"{connection.vendor}: the paces lie within ±{(max(paces.values()) / middle - 1) * 100:.0f} % (target 25)"
        )


def pace(rows: int) -> float:
    """Process so many rows and return how many a second."""
    merge.fill(rows)
    with merge.memory() as used:
        _, took = merge.timed_batch()
    known = statistics()
    print(
        f"  {rows:9,} rows {took:7.1f} s {rows / took:9,.0f} rows/s, peak memory {used['most']:.0f} MiB,"
        f" statistics of pending rows {known * 1000:.1f} ms"
    )
    return rows / took


def statistics() -> float:
    """Return the seconds that the statistics of a fully processed staging table take, the best of five."""
    from staging.models import Entity
    from staging.tables.columns import pending_statistics

    vacuum("stg_ours")
    entity = Entity.objects.get(code="ours")
    times = []
    for _ in range(5):
        started = perf_counter()
        pending_statistics([entity])
        times.append(perf_counter() - started)
    return min(times)


if __name__ == "__main__":
    main()
