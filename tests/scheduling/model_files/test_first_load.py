"""Promise: the first load of a large file makes each table at once; it does not hold the writer of SQLite for minutes.

SQLite reads its whole schema again for each column that is added to a table: 310 entities took a minute of computing.
"""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scheduling.model_files.load import load
from staging.models import Entity
from staging.tables.columns import table_problems
from tests.scheduling.conftest import NOW

pytestmark = pytest.mark.django_db

ENTITIES = 6


def model(refers_to):
    """Return a file of entities with history, each referring to those whose numbers `refers_to` says."""
    entities = []
    for number in range(ENTITIES):
        attributes = [{"name": f"a{n}", "type": "text", "unique": n == 0} for n in range(3)]
        attributes += [
            {"name": f"r{other}", "type": "reference", "reference": f"e{other}"} for other in refers_to(number)
        ]
        entities.append({"code": f"e{number}", "name": "E", "attributes": attributes, "keep_history": True})
    return {"version": 1, "entities": entities}


ORDERS = {
    "none": lambda n: [],
    "itself": lambda n: [n],
    "those before": lambda n: list(range(n)),
    "those that come later in the file": lambda n: list(range(n + 1, ENTITIES)),
}


def altered_by(document):
    with CaptureQueriesContext(connection) as captured:
        load(document, now=NOW)
    assert [problem for entity in Entity.objects.all() for problem in table_problems(entity)] == []
    return [query["sql"] for query in captured if query["sql"].startswith("ALTER TABLE")]


@pytest.mark.parametrize("refers_to", ORDERS.values(), ids=list(ORDERS))
def test_the_first_load_makes_each_table_with_all_its_columns(refers_to):
    assert altered_by(model(refers_to)) == []


def test_in_a_circle_only_the_first_gets_its_columns_one_by_one():
    altered = altered_by(model(lambda number: [(number + 1) % ENTITIES]))
    assert altered and all('_e1"' in statement for statement in altered), altered
