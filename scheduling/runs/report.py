"""A run as commands and the API show it (docs/commands.md: run_plan, show_run and their kin)."""

from typing import Any

from scheduling.models import Run


def run_document(run: Run) -> dict[str, Any]:
    """Return a run with its tasks in their order, as it is stored now."""
    run.refresh_from_db()
    tasks = run.tasks.order_by("step_index", "id").values_list("key", "status", "attempts_made", "message")
    return {
        "run": run.pk,
        "status": run.status,
        "tasks": [
            {"task": key, "status": status, "attempts": attempts, "message": message}
            for key, status, attempts, message in tasks
        ],
    }
