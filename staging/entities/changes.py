"""Finds what a changed definition would do to stored data, before anything is touched."""

from collections.abc import Sequence

from staging.identifiers import production_table
from staging.models import Attribute, Entity
from staging.tables.alter import clashing_values, count_values, lost_values, not_unique
from staging.tables.columns import typed_column
from staging.tables.inspect import real_columns


def change_errors(entity: Entity, attributes: Sequence[Attribute]) -> dict[str, list[str]]:
    """Return why a valid definition cannot replace the stored one, by path such as `attributes.2.data_type`.

    Renaming or retyping a column that holds values, and making one unique whose values clash. Reads only.
    """
    if not entity.pk:
        return {}
    errors: dict[str, list[str]] = {}
    stored = stored_names(entity)
    for index, attribute in enumerate(attributes):
        old_name = stored.get(attribute.pk, attribute.name)
        if old_name != attribute.name and (count := count_values(entity, old_name, staged=True)):
            mend = "Add a new attribute and cancel this one instead."
            errors[f"attributes.{index}.name"] = [f"{lost_values(old_name, count)} {mend}"]
        elif not attribute.is_cancelled:
            errors.update({f"attributes.{index}.{field}": [text] for field, text in _column_errors(entity, attribute)})
    return errors


def stored_names(entity: Entity) -> dict[int, str]:
    """Return the stored names of the entity's attributes by pk."""
    return dict(Attribute.objects.filter(entity_id=entity.pk).values_list("pk", "name"))


def _column_errors(entity: Entity, attribute: Attribute) -> list[tuple[str, str]]:
    real = real_columns(production_table(entity.code)).get(attribute.name)
    if real is None:
        return []
    expected = typed_column(attribute)
    if (real.type, real.target) != (expected.type, expected.target):
        if count := count_values(entity, attribute.name):
            field = "data_type" if real.type != expected.type else "reference"
            return [(field, f"{lost_values(attribute.name, count)} Add a new attribute and cancel this one instead.")]
        return []
    if attribute.unique and (clashes := clashing_values(entity, attribute.name)):
        return [("unique", not_unique(attribute.name, clashes))]
    return []
