"""Posted rows land in staging in sets; what cannot land is told by its position, and nothing is stored in part."""

import io
from copy import deepcopy
from typing import Any

import pytest
from django.db import connection

from staging.errors import BadFile
from staging.models import Entity
from staging.uploads.blocks import Objects
from staging.uploads.land import Delivery, Landed, Refused, Resumption, _Staging, land_array, land_csv, land_lines
from staging.uploads.posted import OtherStream, Taken, TooMuch, Unreadable
from tests.staging.batches.bench import define, run_batch, staged, text

pytestmark = pytest.mark.django_db


@pytest.fixture
def city() -> Entity:
    return define("city", text("country"), {"name": "people", "data_type": "integer"})


def array(entity: Entity, body: str, **how: Any) -> Any:
    """Land a JSON array."""
    return land_array(Delivery(entity, **how), body.encode())


def lines(entity: Entity, body: str, **how: Any) -> Any:
    """Land lines of JSON."""
    return land_lines(Delivery(entity, **how), io.BytesIO(body.encode()))


def csv(entity: Entity, body: str, **how: Any) -> Any:
    """Land CSV."""
    return land_csv(Delivery(entity, **how), io.BytesIO(body.encode()))


def landed(entity: Entity) -> list[tuple[Any, ...]]:
    """Return what was staged."""
    columns = ("code", "name", "country", "people", "import_action", "batch_tag", "import_status")
    return [tuple(row[column] for column in columns) for row in staged(entity)]


def test_each_kind_lands_the_same_rows(city: Entity) -> None:
    array(city, '[{"code":"a","people":1.10,"import_action":3},{"code":"b","name":"","country":"Ünï\\t\\n\\\\N"}]')
    lines(city, '{"code":"a","people":1.10,"import_action":3}\n{"code":"b","name":"","country":"Ünï\\t\\n\\\\N"}')
    csv(city, 'code,name,people,import_action,country\na,,1.10,3,\nb,,,,"Ünï\t\n\\N"\n')
    two = [("a", None, None, "1.10", 3, None, 0), ("b", None, "Ünï\t\n\\N", None, None, None, 0)]
    assert landed(city) == two * 3
    assert all(row["created_at"] for row in staged(city))


def test_true_false_and_null_are_words_and_nothing(city: Entity) -> None:
    array(city, '[{"code":"a","name":true,"country":false,"people":null}]')
    assert landed(city) == [("a", "true", "false", None, None, None, 0)]


def test_a_tag_for_all_stands_for_the_tags_of_rows(city: Entity) -> None:
    array(city, '[{"code":"a","batch_tag":"own"},{"code":"b"}]')
    array(city, '[{"code":"a","batch_tag":"own"},{"code":"b"}]', tag="ours")
    csv(city, "code,batch_tag\na,own\n", tag="ours")
    lines(city, '{"code":"a"}', tag="ours")
    assert [row[5] for row in landed(city)] == ["own", None, "ours", "ours", "ours", "ours"]
    with pytest.raises(BadFile):
        array(city, "[]", tag="x" * 201)


def test_an_empty_object_lands_and_the_batch_judges_it(city: Entity) -> None:
    assert array(city, "[{},{}]").landed == 2
    assert lines(city, "{}", tag="t").landed == 1
    run_batch(city)
    assert {row["error_code"] & 1 for row in staged(city)} == {1}


def test_nothing_lands_of_nothing(city: Entity) -> None:
    assert [done.landed for done in (array(city, "[]"), lines(city, "\n"), csv(city, "code,name\n"))] == [0, 0, 0]


def test_unusable_rows_are_refused_and_the_others_land(city: Entity) -> None:
    rows = ['{"code":"a"}', "7", '{"code":"b","name":[1]}', '{"code":"c","import_action":"nine"}', '{"code":"d"}']
    for done in (array(city, f"[{','.join(rows)}]"), lines(city, "\n".join(rows))):
        assert done.landed == 2 and done.refused_total == 3
        assert [(each.position, each.path) for each in done.refused] == [(2, ""), (3, "name"), (4, "import_action")]
    assert [row[0] for row in landed(city)] == ["a", "d", "a", "d"]


@pytest.mark.parametrize("first", ["no row", '{"code":"0","import_action":"1"}'])
def test_rows_keep_their_order_whatever_stands_between_them(city: Entity, first: str) -> None:
    """Of two rows for one member the later one may win."""
    rows = [f'{{"code":"{number}"}}' for number in range(1, 3_000)]
    lines(city, "\n".join([first, *rows]))
    assert [row[0] for row in landed(city)][-2_999:] == [str(number) for number in range(1, 3_000)]
    array(city, f"[{','.join(['7', *rows])}]")
    assert [row[0] for row in landed(city)][-2_999:] == [str(number) for number in range(1, 3_000)]


def test_all_or_none_lands_none(city: Entity) -> None:
    rows = ['{"code":"a"}', "7", '{"code":"b"}']
    for land, body in ((array, f"[{','.join(rows)}]"), (lines, "\n".join(rows)), (csv, 'code,name\na,x\nb,"\x00"\n')):
        with pytest.raises(Refused) as refused:
            land(city, body, is_atomic=True)
        assert refused.value.answer.landed == 0
        assert [each.position for each in refused.value.answer.refused] == [2]
        assert land(city, body.replace("7", "{}").replace("\x00", ""), is_atomic=True).refused == []
    assert len(landed(city)) == 8


def test_an_unknown_column_refuses_an_array_and_a_line(city: Entity) -> None:
    rows = ['{"code":"a"}', '{"code":"b","colour":"red","smell":1}', '{"id":7}', '{"import_status":1}']
    with pytest.raises(Unreadable) as unreadable:
        array(city, f"[{','.join(rows)}]")
    assert list(unreadable.value.errors) == ["[1].colour", "[1].smell", "[2].id", "[3].import_status"]
    with pytest.raises(Unreadable) as unreadable:
        csv(city, "code,colour\na,b\n")
    assert list(unreadable.value.errors) == ["colour"]
    assert landed(city) == []
    done = lines(city, "\n".join(rows))
    assert done.landed == 1 and [(each.position, each.path) for each in done.refused] == [
        (2, "colour"),
        (3, "id"),
        (4, "import_status"),
    ]


def test_nothing_lands_of_what_cannot_be_read_to_its_end(city: Entity) -> None:
    for land, body in ((array, '[{"code":"a"},{"code":'), (csv, 'code,name\na,b\nc,"d'), (csv, "code,name\na,b\nc\n")):
        with pytest.raises(Unreadable):
            land(city, body)
    assert landed(city) == []


class Breaking(io.BytesIO):
    """A body that breaks off at its end."""

    def read(self, size: int | None = -1) -> bytes:
        if piece := super().read(size):
            return piece
        raise OSError("the connection broke")


def test_a_stream_that_breaks_keeps_what_was_committed(city: Entity) -> None:
    body = b"".join(b'{"code":"%d","name":"%s"}\n' % (number, b"x" * 80) for number in range(25_000))
    with pytest.raises(OSError, match="broke"):
        land_lines(Delivery(city), Breaking(body))
    count = len(landed(city))
    assert 20_000 <= count < 25_000
    with pytest.raises(OSError, match="broke"):
        land_csv(Delivery(city), Breaking(b"code\na\n"))
    assert len(landed(city)) == count


def test_a_stream_goes_on_where_it_broke(city: Entity) -> None:
    rows = (b'{"code":"%d","name":"%s"}\n' % (number, b"x" * 80) for number in range(25_000))
    body = [row if number % 1_000 else b"no row\n\n" for number, row in enumerate(rows)]
    kept: list[tuple[Landed, int, str]] = []
    taken = Taken()
    first = Resumption(lambda done: kept.append((done, taken.lines, taken.digest())), taken=taken)
    with pytest.raises(OSError, match="broke"):
        land_lines(Delivery(city, resumption=first), Breaking(b"".join(body)))
    done, *place = kept[-1]
    assert 20_000 <= place[0] < 25_000
    assert len(landed(city)) == done.landed == sum(line != b"no row\n\n" for line in body[: place[0]])
    again = Resumption(kept.append, deepcopy(done), Taken(*place))
    whole = land_lines(Delivery(city, resumption=again), io.BytesIO(b"".join(body)))
    assert [row[0] for row in landed(city)] == [str(number) for number in range(25_000) if number % 1_000]
    assert whole.landed == 24_975 and [each.position for each in whole.refused] == list(range(1, 25_000, 1_000))
    other = Resumption(kept.append, deepcopy(done), Taken(*place))
    with pytest.raises(OtherStream):
        land_lines(Delivery(city, resumption=other), io.BytesIO(b"".join(body[1:])))
    assert len(landed(city)) == 24_975


def test_what_is_kept_and_what_landed_are_one(city: Entity) -> None:
    def refuse(_: Landed) -> None:
        raise KeyError("somebody else went on")

    for land, body in (
        (land_lines, b'{"code":"a"}\n' * 2_000),
        (land_lines, b'{"code":"a"}\n'),
        (land_csv, b"code\na\n"),
    ):
        with pytest.raises(KeyError):
            land(Delivery(city, resumption=Resumption(refuse)), io.BytesIO(body))
    assert landed(city) == []


def test_of_many_refusals_a_thousand_are_told(city: Entity) -> None:
    done = lines(city, "x\n" * 2_500 + '{"code":"a"}')
    assert (done.landed, len(done.refused), done.refused_total) == (1, 1_000, 2_500)


def test_a_body_that_is_too_large_is_refused(city: Entity, settings: Any) -> None:
    settings.UPLOAD_MAX_BYTES = 100
    with pytest.raises(TooMuch, match="x-ndjson"):
        csv(city, "code\n" + "a\n" * 100)


def test_whoever_asks_is_told_which_rows_landed(city: Entity) -> None:
    told: list[tuple[int, int]] = []
    array(city, '[{"code":"a"},{"code":"b"}]', also=lambda first, last: told.append((first, last)))
    ids = [row["id"] for row in staged(city)]
    assert told == [(ids[0], ids[-1])]


def test_rows_land_in_sets(city: Entity, django_assert_max_num_queries: Any) -> None:
    body = "[" + ",".join(f'{{"code":"c{number}","people":{number}}}' for number in range(10_000)) + "]"
    with django_assert_max_num_queries(25):
        assert array(city, body).landed == 10_000
    codes = [row[0] for row in landed(city)]
    assert codes == [f"c{number}" for number in range(10_000)]
    assert connection.queries_log is not None


def test_long_rows_that_are_looked_at_one_by_one_are_few_at_a_time(city: Entity) -> None:
    """Else a thousand of them, of a megabyte each, would be in memory together."""
    rows = [Objects(position, [{"code": "a", "import_action": "0"}], 1 << 20) for position in range(1, 41)]
    fitted = list(_Staging(Delivery(city)).fitting(iter(rows), Landed()))
    assert [len(block) for block in fitted] == [17, 17, 6]
