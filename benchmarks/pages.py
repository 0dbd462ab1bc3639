"""What each page costs on 500 entities, 10,000,000 log events, 200,000 runs and a plan of 1,000 steps.

Beside each stands Django's own list of the same table in the same run. `--events 100000 --runs 5000 …` makes less;
`--keep` keeps the database, so that the next run with `--keep` need not make it: within some hours, for pages tell of
the last ones. `--only WORD` measures the pages with that word in their name.
"""

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median, quantiles
from time import perf_counter, process_time
from typing import Any

from benchmarks import _scratch
from benchmarks._world import Size, fill

ROUNDS, MOST_SECONDS = 20, 5.0
_WIDTHS = (8, 8, 7, 10, 6, 9, 7)
LIMIT_MS, LIMIT_STATEMENTS, LIMIT_BYTES = 100, 10, 300_000


@dataclass
class Cost:
    """What one page costs: seconds of the clock and of this process, statements, bytes."""

    wall: list[float]
    cpu: list[float]
    statements: int
    bytes: int

    @property
    def typical(self) -> float:
        """Return the median in milliseconds."""
        return median(self.wall) * 1000

    @property
    def seldom_more(self) -> float:
        """Return in milliseconds what 95 of 100 stay below."""
        return quantiles(self.wall, n=20)[-1] * 1000 if len(self.wall) > 1 else self.typical

    @property
    def is_too_much(self) -> bool:
        """Return whether it is over one of the limits."""
        return self.typical > LIMIT_MS or self.statements > LIMIT_STATEMENTS or self.bytes > LIMIT_BYTES


def main() -> None:
    """Make the installation or take the kept one, then print a line for each page, those over a limit marked."""
    options = _options()
    size = Size(options.entities, options.events, options.runs, options.steps)
    os.environ.setdefault("LOG_LEVEL", "ERROR")  # pages that the reader is refused are no news here
    _scratch.setup()
    from django.core.signals import request_finished
    from django.template import Template

    from scheduler_project.around import collect_between_pages, collect_garbage

    uninstrumented = Template._render
    with _scratch.scratch_database(keep=options.keep) as vendor:
        # The test environment copies the context of every template: time that no person waits for.
        Template._render = uninstrumented
        _fill_once(size)
        collect_between_pages()  # as the process of a web server does
        request_finished.disconnect(collect_garbage)  # it collects when the page is sent: see `_measure`
        get, pages = _reader(), [(name, url) for name, url in _pages() if options.only in name]
        print(f"{size} on {vendor}; a line with ! is over {LIMIT_MS} ms, {LIMIT_STATEMENTS} statements or "
              f"{LIMIT_BYTES // 1000} KB\n")  # fmt: skip
        heads = ("median", "p95", "cpu ms", "statements", "KB", "stock", "ratio")
        print(f"{'page':44}", *(f"{head:>{width}}" for head, width in zip(heads, _WIDTHS, strict=True)))
        costs, stock = dict[str, Cost](), dict[str, Cost | None]()
        for name, url in pages:
            if cost := _measure(get, url):
                costs[name], table = cost, _table_of(url)
                if table not in stock:
                    stock[table] = _measure_stock(get, table)
                _report(name, cost, stock[table])
        too_much = [name for name, cost in costs.items() if cost.is_too_much]
        print(f"\n{len(costs)} pages, {len(too_much)} over a limit")


def _options() -> Namespace:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--entities", type=int, default=500)
    parser.add_argument("--events", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=200_000)
    parser.add_argument("--steps", type=int, default=1_000)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--only", default="")
    return parser.parse_args()


def _fill_once(size: Size) -> None:
    """Make the installation, unless a kept one is there; one of another size is refused."""
    from scheduling import clock
    from scheduling.models import Run
    from staging.models import Entity

    found = (Entity.objects.count(), Run.objects.exclude(kind="plan").count())
    if found == (0, 0):
        fill(size, clock.now())
    elif found != (size.entities, size.runs + 1):
        sys.exit(f"The kept database has {found[0]} entities and {found[1]:,} runs: ask for these, or drop it.")


def _reader() -> Callable[[str], Any]:
    """Return how an Administrator, who is no superuser, gets a page."""
    from django.contrib.auth.models import Group, User
    from django.test import Client

    from scheduling.housekeeping.roles import sync_roles

    sync_roles()
    person, _ = User.objects.get_or_create(username="reader", is_staff=True)
    person.groups.set([Group.objects.get(name="Administrator")])
    client = Client()
    client.force_login(person)
    return client.get


def _pages() -> list[tuple[str, str]]:
    """Return every page by its name, and the questions that people ask them beside the plain one."""
    from tests.scheduling.admin.addresses import OURS, filled

    things = _things()
    pages = [("home", "/admin/"), *((name, filled(pattern, things)) for pattern, name in OURS if name)]
    by_name = dict(pages)
    for name, query in (
        ("scheduling_schedulerconfiguration_changelist", "?attention=first"),
        ("scheduling_schedulerconfiguration_changelist", "?attention=yes"),
        ("scheduling_schedulerconfiguration_forecast", "?span=7d"),
        ("scheduling_schedulerlog_changelist", "?period=all"),
        ("scheduling_schedulerlog_changelist", "?period=all&entity=entity_0001"),
        ("scheduling_schedulerlog_changelist", "?period=24h&event_type=error"),
        ("scheduling_run_changelist", "?status=failed"),
        ("staging_batch_changelist", "?status__exact=failed"),
        ("staging_rows", "?status=rejected"),
        ("scheduling_schedulerconfiguration_search", "?q=entity_00"),
        ("scheduling_schedulerconfiguration_search", "?q=everything"),
        ("scheduling_schedulerconfiguration_search_options", "?q=c1000"),
        ("scheduling_schedulerconfiguration_search_options", "?q=once"),
        ("scheduling_schedulerconfiguration_search_options", "?q=report"),
        ("scheduling_schedulerconfiguration_search_options", "?q=nothing"),
    ):
        pages.append((name + query, by_name[name] + query))
    for name in ("change", "times", "order", "restart"):
        url = by_name[f"scheduling_run_{name}"]
        pages.append((f"scheduling_run_{name} of the plan", url.replace(f"/{things['run']}/", f"/{_run_of_plan()}/")))
    return pages


def _things() -> dict[str, int]:
    """Return a key for each kind of thing that pages are about: the entity with many rows, and what belongs to it."""
    from django.contrib import admin

    from scheduling.models import Run, SchedulerConfiguration
    from staging.models import Attribute, Entity

    of_ours = [model for model in admin.site._registry if model._meta.app_label in ("staging", "scheduling")]
    things = {each._meta.model_name: each._default_manager.values_list("pk", flat=True).first() for each in of_ours}
    entity = Entity.objects.order_by("pk")[0]
    run = Run.objects.filter(kind="batch", entity=entity).order_by("pk")[5].pk  # of the last hours
    own = {"entity": entity.pk, "run": run, "task": run, "batch": run, "member": 1, "row": 1,
           "schedulerconfiguration": SchedulerConfiguration.objects.get(entity=entity).pk,
           "attribute": Attribute.objects.filter(entity=entity)[0].pk}  # fmt: skip
    return things | own


def _run_of_plan() -> int:
    from scheduling.models import Run

    return Run.objects.get(kind="plan").pk


def _table_of(url: str) -> str:
    """Return the app and the model that a page is about; the start page is about configurations."""
    parts = url.split("/")
    return "/".join(parts[2:4]) if parts[2] else "scheduling/schedulerconfiguration"


def _measure(get: Callable[[str], Any], url: str) -> Cost | None:
    """Return what a page costs; None when it is none: it only does something, leads on, or is a file."""
    from scheduler_project.around import collect_garbage

    response = get(url)
    if response.status_code != 200 or response.streaming or "html" not in response.headers["Content-Type"]:
        return None
    size, sent = len(response.content), _scratch.statements(lambda: get(url))
    walls, cpus = list[float](), list[float]()
    while len(walls) < ROUNDS and sum(walls) < MOST_SECONDS:
        wall, cpu = perf_counter(), process_time()
        get(url)
        walls.append(perf_counter() - wall)
        cpus.append(process_time() - cpu)
        collect_garbage()
    return Cost(walls, cpus, sent, size)


def _measure_stock(get: Callable[[str], Any], table: str) -> Cost | None:
    """Return what Django's own list of a table costs."""
    from benchmarks._stock import stock_pages

    with stock_pages():
        return _measure(get, f"/stock/{table}/")


def _report(name: str, cost: Cost, stock: Cost | None) -> None:
    """Print one line."""
    beside = (f"{stock.typical:.1f}", f"{cost.typical / stock.typical:.1f}x") if stock else ("", "")
    shown = (f"{cost.typical:.1f}", f"{cost.seldom_more:.1f}", f"{median(cost.cpu) * 1000:.1f}", cost.statements,
             f"{cost.bytes / 1000:.1f}", *beside)  # fmt: skip
    columns = (f"{value:>{width}}" for value, width in zip(shown, _WIDTHS, strict=True))
    print(f"{name.removeprefix('scheduling_'):44}", *columns, "!" if cost.is_too_much else "", flush=True)


if __name__ == "__main__":
    main()
