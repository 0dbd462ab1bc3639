"""Saved SQL scripts: values enter as parameters only."""

import pytest

from scheduling.errors import InvalidPlan
from scheduling.models import SqlScript
from scheduling.plans.scripts import argument_errors, save_script, script_errors


def script(sql="SELECT 1", **fields):
    return SqlScript(**{"name": "Refresh", "sql": sql, **fields})


CASES = [
    (script("  "), "sql", "A script needs its statement."),
    (script(name=" "), "name", "A script needs a name, on one line."),
    (script("SELECT 100 % 3"), "sql", "A percent sign is written %%; a parameter %(name)s."),
    (script("SELECT %(year)s"), "sql", "%(year)s is no parameter of this script; declare it."),
    (script(parameters={"year": "integer"}), "sql", "The parameter year is not used: %(year)s."),
    (script(parameters={"Year": "integer"}), "parameters", "'Year' is no name for a parameter; use small letters"),
    (script("SELECT %(a)s", parameters={"a": "int"}), "parameters", "a: 'int' is not known; write one of text"),
    (script(parameters=["a"]), "parameters", 'Write the parameters like {"region": "text"}'),
    (script(parameters={"region": ["text"]}), "parameters", "region: ['text'] is not known; write one of text"),
    (script(timeout_seconds=0), "timeout_seconds", "Write a number of seconds from 1 to 86400."),
]


@pytest.mark.parametrize(("wrong", "field", "text"), CASES)
def test_a_fault_is_told_at_its_field(db, wrong, field, text):
    errors = script_errors(wrong)
    assert set(errors) == {field} and errors[field][0].startswith(text)
    with pytest.raises(InvalidPlan):
        save_script(wrong)
    assert not SqlScript.objects.exists()


def test_a_script_whose_percent_signs_and_parameters_are_right_is_stored(db):
    save_script(script("DELETE FROM t WHERE name LIKE 'a%%' AND n = %(n)s", parameters={"n": "integer"}))
    assert SqlScript.objects.get().parameters == {"n": "integer"}


@pytest.mark.parametrize(
    ("arguments", "faults"),
    [
        ({"n": 3, "flag": True}, []),
        ({"n": None, "flag": False}, []),
        ({"n": 3}, ["The parameter flag needs a value (boolean)."]),
        ({"n": True, "flag": True}, ["The parameter n takes values of the type integer, not True."]),
        ({"n": 1, "flag": 1}, ["The parameter flag takes values of the type boolean, not 1."]),
        ({"n": 1, "flag": True, "m": 2}, ["There is no parameter m."]),
        ([1], ['Write the values like {"region": "north"}.']),
    ],
)
def test_the_values_of_a_step_match_the_parameters(arguments, faults):
    assert argument_errors(SqlScript(parameters={"n": "integer", "flag": "boolean"}), arguments) == faults
