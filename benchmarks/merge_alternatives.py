"""Measures a whole batch beside what people write today for the same job, each with the same rows on the same database.

    python -m benchmarks.merge_alternatives [--rows 50000]

Every way reads the same staged rows, rejects the same bad ones and must leave the same production rows. The others
check values in Python (a careful hand-written function, the same for all) and then write: Django's ORM row by row,
`bulk_create(update_conflicts=True)`, django-import-export in bulk mode, and dlt's merge where they are installed
(`pip install -r benchmarks/requirements.txt`). None of them marks staged rows or says why one was rejected; ours does.
Target: at least five times the rows per second of the fastest of them.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from time import perf_counter
from typing import Any
from urllib.parse import urlsplit

from benchmarks import merge

Row = dict[str, Any]

_TRUE, _FALSE = {"true", "1", "yes", "y", "t"}, {"false", "0", "no", "n", "f"}
COLUMNS = ["code", "name", *merge.STAGED]


def main() -> None:
    """Run every way on fresh tables and print rows per second beside ours."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rows", type=int, default=50_000)
    rows = options.parse_args().rows
    with merge.own_database():
        from django.db import connection

        merge.define()
        merge.fill(rows, trusted_bad=True)
        _, ours = merge.timed_batch()
        expected = stored("ours")
        print(f"{connection.vendor}, {rows:,} staged rows into {rows:,}, same production afterwards")
        print(f"  {'our batch':34} {ours:7.1f} s  {rows / ours:9,.0f} rows/s")
        for name, way in WAYS.items():
            merge.fill(rows, trusted_bad=True)
            try:
                took = timed(way)
            except ImportError as missing:
                print(f"  {name:34} not measured: {missing}")
                continue
            same = way is with_dlt or stored("trusted") == expected
            print(
                f"  {name:34} {took:7.1f} s  {rows / took:9,.0f} rows/s  ours is {took / ours:.1f} times as fast"
                + ("" if same else "  BUT ITS PRODUCTION ROWS DIFFER")
            )


def timed(way: Callable[[], float | None]) -> float:
    """Return the seconds a way takes; one that has to prepare something first measures itself."""
    started = perf_counter()
    measured = way()
    return measured if measured is not None else perf_counter() - started


# --- what a careful developer writes ---------------------------------------------------------------------------------


def good_rows() -> Iterator[Row]:
    """Yield the staged rows that may be merged, checked and typed in Python."""
    staged = fetch(f"SELECT {', '.join(COLUMNS)} FROM stg_trusted ORDER BY id")
    regions = dict(fetch("SELECT code, id FROM mdm_region"))
    copies = Counter(row[0] for row in staged)
    for values in staged:
        row = dict(zip(COLUMNS, values, strict=True))
        if row["code"] and copies[row["code"]] == 1 and (clean := checked(row, regions)):
            yield clean


def checked(row: Row, regions: dict[str, int]) -> Row | None:
    """Return a row with typed values; None when one of them is wrong."""
    try:
        found = {
            **row,
            "quantity": int(row["quantity"]),
            "price": price(row["price"]),
            "is_open": truth(row["is_open"]),
            "since": date.fromisoformat(row["since"]),
            "seen_at": datetime.fromisoformat(row["seen_at"]).replace(tzinfo=UTC),
            "region": regions[row["region"]],
        }
    except (ValueError, KeyError, InvalidOperation):
        return None
    fits = row["label"] and len(row["label"]) <= 80 and row["grade"] in ("gold", "silver", "bronze")
    return found if fits and 0 <= found["quantity"] <= 5000 else None


def price(text: str) -> Decimal | str:
    """Return a decimal as the production table keeps it; SQLite has no type for one. Raises InvalidOperation."""
    from django.db import connection

    found = Decimal(text)
    return found if connection.vendor == "postgresql" else format(found.normalize(), "f")


def truth(text: str) -> bool:
    """Return what a text says; raises ValueError when it says nothing."""
    if text.lower() in _TRUE | _FALSE:
        return text.lower() in _TRUE
    raise ValueError(text)


# --- the ways --------------------------------------------------------------------------------------------------------


def row_by_row() -> None:
    """`update_or_create` for each row, in one transaction."""
    from django.db import transaction

    model = production_model()
    with transaction.atomic():
        for row in good_rows():
            model.objects.update_or_create(code=row["code"], defaults=as_fields(row))


def in_bulk() -> None:
    """`bulk_create` with `update_conflicts`, in one transaction."""
    from django.db import transaction

    model = production_model()
    changed = list(as_fields(dict.fromkeys(COLUMNS)))
    members = [model(code=row["code"], **as_fields(row)) for row in good_rows()]
    with transaction.atomic():
        model.objects.bulk_create(
            members, batch_size=1000, update_conflicts=True, unique_fields=["code"], update_fields=changed
        )


def with_import_export() -> None:
    """A resource in bulk mode that skips unchanged rows."""
    import tablib
    from import_export import resources

    model = production_model()
    options = {
        "model": model,
        "fields": ["code", *as_fields(dict.fromkeys(COLUMNS))],
        "import_id_fields": ["code"],
        "use_bulk": True,
        "batch_size": 1000,
        "skip_diff": True,
        "skip_unchanged": True,
    }
    resource = resources.modelresource_factory(model, meta_options=options)()
    data = tablib.Dataset(headers=["code", *as_fields(dict.fromkeys(COLUMNS))])
    for row in good_rows():
        data.append([row["code"], *as_fields(row).values()])
    result = resource.import_data(data, raise_errors=True)
    assert not result.has_errors()


def with_dlt() -> float:
    """dlt's merge by upsert into a table of its own with the same members and keys; making that is not counted."""
    import os

    from django.db import connection

    if not os.environ["DATABASE_URL"].startswith("postgres"):
        raise ImportError("dlt is measured on PostgreSQL")
    os.environ["RUNTIME__DLTHUB_TELEMETRY"] = "false"
    import dlt  # type: ignore[import-not-found]

    place = urlsplit(os.environ["DATABASE_URL"])
    url = f"postgresql://{place.username}:{place.password or 'any'}@{place.hostname}:{place.port or 5432}{place.path}"
    pipeline = dlt.pipeline("benchmark", destination=dlt.destinations.postgres(url), dataset_name="dlt_benchmark")
    strategy = {"disposition": "merge", "strategy": "upsert"}
    before = [dict(zip(COLUMNS, row, strict=True)) for row in fetch(f"SELECT {', '.join(COLUMNS)} FROM mdm_trusted")]
    pipeline.run(before, table_name="members", write_disposition=strategy, primary_key="code")
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE dlt_benchmark.members ADD UNIQUE (code)")
        cursor.execute("ALTER TABLE dlt_benchmark.members ADD FOREIGN KEY (region) REFERENCES mdm_region (id)")
        cursor.execute("CREATE INDEX ON dlt_benchmark.members (region)")
        cursor.execute("ANALYZE dlt_benchmark.members")
    started = perf_counter()
    pipeline.run(good_rows(), table_name="members", write_disposition=strategy, primary_key="code")
    return perf_counter() - started


WAYS: dict[str, Callable[[], float | None]] = {
    "Django ORM, row by row": row_by_row,
    "bulk_create(update_conflicts=True)": in_bulk,
    "django-import-export, bulk": with_import_export,
    "dlt merge (upsert)": with_dlt,
}


def production_model() -> Any:
    """Return a model of the production table, as a project without our engine would have it."""
    from django.apps import apps
    from django.db import connection, models
    from django.db.models.functions import Now

    if "trustedmember" in apps.all_models["staging"]:
        return apps.get_model("staging", "trustedmember")
    exact: Any = models.DecimalField(null=True, max_digits=40, decimal_places=20)
    fields: dict[str, Any] = {
        "code": models.TextField(unique=True),
        "name": models.TextField(null=True),
        "label": models.TextField(null=True),
        "grade": models.TextField(null=True),
        "quantity": models.BigIntegerField(null=True),
        "price": exact if connection.vendor == "postgresql" else models.TextField(null=True),
        "is_open": models.BooleanField(null=True),
        "since": models.DateField(null=True),
        "seen_at": models.DateTimeField(null=True),
        "region_id": models.BigIntegerField(null=True, db_column="region"),
        "is_active": models.BooleanField(db_default=True),
        "updated_at": models.DateTimeField(db_default=Now()),
        "__module__": __name__,
        "Meta": type("Meta", (), {"app_label": "staging", "managed": False, "db_table": "mdm_trusted"}),
    }
    return type("TrustedMember", (models.Model,), fields)


def as_fields(row: Row) -> Row:
    """Return a row without its code, by the names of the model's fields."""
    return {("region_id" if column == "region" else column): row[column] for column in COLUMNS if column != "code"}


def stored(code: str) -> list[tuple[Any, ...]]:
    """Return the production rows as they compare, whatever wrote them."""
    values = fetch(f"SELECT {', '.join(COLUMNS)} FROM mdm_{code} ORDER BY code")
    return [tuple(comparable(value) for value in row) for row in values]


def comparable(value: Any) -> Any:
    """Return a value in a form that does not depend on how it was written."""
    if isinstance(value, Decimal):
        return str(value.normalize())
    if isinstance(value, str) and value[:1].isdigit() and len(value) > 10:
        return value[:19]
    return str(value) if isinstance(value, float) else value


def fetch(query: str) -> list[Any]:
    """Return all rows of a query."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(query)
        return list(cursor.fetchall())


if __name__ == "__main__":
    main()
