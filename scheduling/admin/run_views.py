"""The three views of one run, steps, times and order: what each shows, for its page and for its polled part alike."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from scheduling.admin.keyset import link
from scheduling.admin.run_order import order_of
from scheduling.admin.run_state import RunState, counts_of, run_state
from scheduling.admin.run_times import MARKS, chart_of
from scheduling.models import Run

VIEWS = {
    "steps": "scheduling/run_state.html",
    "times": "scheduling/run_times.html",
    "order": "scheduling/run_order.html",
}
_RESTARTS = 20


def view_of(run: Run, view: str, asked: Mapping[str, str], now: datetime) -> dict[str, Any]:
    """Return what the template of a view shows; `query` asks the fragment for the same. Few queries, however big."""
    state = RunState(run, counts_of(run)) if view == "order" else run_state(run, asked, now)
    context = {
        "run": run,
        "state": state,
        "view": view,
        "fragment": VIEWS[view],
        "restarts": list(run.restarts.order_by("id").values_list("pk", flat=True)[:_RESTARTS]),
        "query": link({"view": view, "state": state.asked, "steps": str(state.page) if state.page > 1 else ""}),
    }
    if view == "times":
        context |= {"chart": chart_of(state, now), "marks": MARKS.items()}
    elif view == "order":
        context |= {"order": order_of(run)}
    return context
