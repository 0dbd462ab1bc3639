"""Promise: a task with other values is the one that `replace` makes, and the task itself stays as it was."""

from dataclasses import replace

from scheduling.dag.manifest import ManifestTask


def test_a_task_with_other_values_is_what_replace_makes():
    task = ManifestTask("a", "batch", 1, arguments={"year": 2026})
    other = task.but(depends_on=frozenset({"b"}), step_index=3)
    assert other == replace(task, depends_on=frozenset({"b"}), step_index=3) != task
    assert (task.depends_on, task.step_index, other.arguments) == (frozenset(), 0, {"year": 2026})
    assert task.but() == task and task.but() is not task
