"""A row that lands while its entity is being deleted is never lost: the deletion waits for it and is refused."""

import threading

import pytest
from django.db import connection, transaction

from staging.entities.remove import remove_attribute, remove_entity
from staging.entities.save import save_entity
from staging.errors import WouldLoseData
from staging.models import Attribute, Entity

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db(transaction=True)]


def _deliver(inserted: threading.Event, go_on: threading.Event) -> None:
    """Insert a row and commit it only later, as a long load does."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("INSERT INTO stg_harbour (code, depth) VALUES ('H1', '12')")
            inserted.set()
            go_on.wait(5)
    finally:
        connection.close()


@pytest.mark.parametrize("what", ["entity", "attribute"])
def test_a_deletion_waits_for_a_load_under_way_and_is_refused(what: str) -> None:
    entity = Entity(code="harbour", name="Harbour")
    save_entity(entity, [Attribute(name="depth")])
    inserted, go_on = threading.Event(), threading.Event()
    load = threading.Thread(target=_deliver, args=(inserted, go_on))
    try:
        load.start()
        assert inserted.wait(5)
        threading.Timer(0.5, go_on.set).start()
        with pytest.raises(WouldLoseData):
            remove_entity(entity) if what == "entity" else remove_attribute(entity.attributes.get())
        load.join()
        with connection.cursor() as cursor:
            cursor.execute("SELECT code, depth FROM stg_harbour")
            assert cursor.fetchall() == [("H1", "12")]
    finally:
        go_on.set()
        load.join()
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE IF EXISTS stg_harbour, mdm_harbour")
