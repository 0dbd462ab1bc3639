"""What every test of the matrix is asked: each fault at each of its points. Only a broker can be wiped."""

import pytest

each_fault = pytest.mark.parametrize(
    "fault", ["kill", "freeze", "drop", pytest.param("wipe", marks=pytest.mark.services)]
)


def at(prefix: str, *names: str) -> pytest.MarkDecorator:
    """Parametrize a test with these points, named below a package."""
    return pytest.mark.parametrize("point", [f"{prefix}.{name}" for name in names])
