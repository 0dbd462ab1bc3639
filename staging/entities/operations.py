"""Changes one attribute safely: what would happen is told in words and numbers first, then done whole or not at all."""

from copy import copy
from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_noop

from staging.entities.definition import Errors, definition_errors
from staging.entities.quiet import quiet, running_batch
from staging.errors import InvalidDefinition, WouldLoseData
from staging.identifiers import production_table, staging_table
from staging.models import Attribute, BusinessRule, Entity, KeptPreview, RuleLine, UploadMapping
from staging.sql.dialect import dialect
from staging.states import DataType
from staging.tables.alter import count_values, hold_tables, name_in_use, rename_column, sync_tables, unique_error
from staging.tables.columns import RealColumn, one_at_a_time, real_columns, told_when_in_use
from staging.tables.convert import conversion, type_of
from staging.tables.unfit import Unfit, count_without, unfit_values
from staging.versions.units import as_one_change, touch
from staging.wording import counted, say

LIMITS = ("min_length", "max_length", "min_value", "max_value", "pattern", "choices")


@dataclass
class AttributeOutlook:
    """What a change of an attribute would do: `steps` in words, `warnings`, and the `refusals` that forbid it."""

    steps: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    unfit: list[Unfit] = field(default_factory=list)

    @property
    def is_possible(self) -> bool:
        """Return whether there is something to do and nothing forbids it."""
        return bool(self.steps) and not self.refusals


def attribute_errors(wanted: Attribute) -> Errors:
    """Return what is wrong with the attribute as it shall be, by field; its neighbours are taken as stored."""
    others = wanted.entity.attributes.select_related("reference").exclude(pk=wanted.pk)
    together = [*others, wanted]  # the last one is told of a name that is there twice
    start = f"attributes.{len(together) - 1}."
    found = definition_errors(wanted.entity, together)
    return {path.removeprefix(start): texts for path, texts in found.items() if path.startswith(start)}


def foresee(wanted: Attribute) -> AttributeOutlook:
    """Return what storing the attribute as it is given would do; reads only.

    The definition has been checked with `attribute_errors`. Raises a database error when a table was altered by others.
    """
    stored = Attribute.objects.select_related("reference", "entity").get(pk=wanted.pk)
    found = AttributeOutlook()
    if batch := running_batch(stored.entity):
        found.refusals.append(batch)
    real = real_columns(production_table(stored.entity.code)).get(stored.name)
    _foresee_rename(stored, wanted, found)
    _foresee_type(stored, wanted, real, found)
    _foresee_limits(stored, wanted, found)
    _foresee_keys(stored, wanted, found)
    _foresee_retiring(stored, wanted, found)
    return found


@told_when_in_use()
@as_one_change
def change_attribute(wanted: Attribute) -> None:
    """Store the attribute as it is given and bring its columns in line, all in one transaction.

    Raises InvalidDefinition, WouldLoseData (a value does not convert), TableMismatch, or TablesInUse while a batch of
    the entity runs or somebody else holds its tables.
    """
    with transaction.atomic():
        one_at_a_time()
        dialect().patient()
        quiet(wanted.entity)
        if errors := attribute_errors(wanted):
            raise InvalidDefinition(errors)
        stored = Attribute.objects.select_related("reference", "entity").get(pk=wanted.pk)
        if reason := _keeps_its_type(stored, wanted):
            raise WouldLoseData(reason)
        hold_tables(stored.entity)
        if stored.name != wanted.name:
            rename_column(stored.entity, stored.name, _renamed(stored, wanted.name))
            follow_rename(stored.entity, stored.name, wanted.name)
        wanted.save()
        KeptPreview.objects.filter(entity=wanted.entity).delete()  # they were made with the attribute as it was
        sync_tables(wanted.entity)


def _renamed(stored: Attribute, name: str) -> Attribute:
    """Return the attribute as stored but for its name."""
    renamed = copy(stored)
    renamed.name = name
    return renamed


def _foresee_rename(stored: Attribute, wanted: Attribute, found: AttributeOutlook) -> None:
    if stored.name == wanted.name:
        return
    if problem := name_in_use(stored.entity, wanted.name):
        found.refusals.append(problem)
    values = count_values(stored.entity, stored.name)
    found.steps.append(
        say(
            "Column {stored!r} becomes {wanted!r} in the staging and the production table, and "
            "in the history where there is one. Its {values} and all staged rows keep what "
            "they have.",
            stored=stored.name,
            wanted=wanted.name,
            values=counted(values, "stored value", "stored values"),
        )
    )
    found.steps += followers(stored.entity, stored.name)
    table = staging_table(stored.entity.code)
    found.warnings.append(
        say(
            "Deliveries that name {table}.{stored} fail from then on; tell those who send them.",
            table=table,
            stored=stored.name,
        )
    )


def _foresee_type(stored: Attribute, wanted: Attribute, real: RealColumn | None, found: AttributeOutlook) -> None:
    if (stored.data_type, stored.reference_id) == (wanted.data_type, wanted.reference_id):
        return
    if reason := _keeps_its_type(stored, wanted):
        found.refusals.append(reason)
    was, becomes = _kind(stored), _kind(wanted)
    as_named_now = copy(wanted)
    as_named_now.name = stored.name
    result = conversion(stored.entity, as_named_now, real) if real and type_of(real) else None
    if result is None:
        found.refusals.append(
            say("Column {stored!r} is not what we made of it, so its values cannot be converted.", stored=stored.name)
        )
    elif not result.is_possible:
        found.refusals.append(result.refusal(as_named_now))
    else:
        found.steps.append(_converted(was, becomes, result.values))
        found.steps.append(say("Its history is converted as far as it can be, and kept as it was under another name."))
    found.warnings.append(
        say("Rows that wait in staging, and all that come, have to bring {becomes} from then on.", becomes=becomes)
    )


def _foresee_limits(stored: Attribute, wanted: Attribute, found: AttributeOutlook) -> None:
    changed = [name for name in LIMITS if getattr(stored, name) != getattr(wanted, name)]
    if not changed:
        return
    words = ", ".join(name.replace("_", " ") for name in changed)
    found.steps.append(
        say("Other limits ({words}). Production is not touched; the next batches are checked by them.", words=words)
    )
    if stored.data_type != wanted.data_type or wanted.is_cancelled:
        return
    as_named_now = copy(wanted)
    as_named_now.name = stored.name
    found.unfit = unfit_values(stored.entity, as_named_now)
    found.warnings += [_no_longer_fit(unfit) for unfit in found.unfit]


def _foresee_keys(stored: Attribute, wanted: Attribute, found: AttributeOutlook) -> None:
    if wanted.required and not stored.required:
        without = count_without(stored.entity, stored)
        found.steps.append(say("A row that would leave it empty is rejected from then on."))
        if without:
            have = counted(without, "active member has", "active members have")
            text = say("{have} no value. They stay as they are until a delivery touches them.", have=have)
            found.warnings.append(text)
    if stored.required and not wanted.required:
        found.steps.append(say("Rows may leave it empty from then on."))
    if wanted.unique and not stored.unique:
        found.steps.append(say("No two members may have the same value from then on."))
        if problem := unique_error(stored.entity, stored.name):
            found.refusals.append(problem)
    if stored.unique and not wanted.unique:
        found.steps.append(say("Members may have the same value from then on."))


def _foresee_retiring(stored: Attribute, wanted: Attribute, found: AttributeOutlook) -> None:
    if stored.is_cancelled == wanted.is_cancelled:
        return
    values = counted(count_values(stored.entity, stored.name), "stored value", "stored values")
    if wanted.is_cancelled:
        found.steps.append(
            say(
                "It is retired: no longer checked, merged or shown. Both columns stay with {values}; "
                "statements that name them still work. It can be brought back.",
                values=values,
            )
        )
    else:
        found.steps.append(
            say("It is brought back with {values}, and checked and merged again from the next batch on.", values=values)
        )


def _keeps_its_type(stored: Attribute, wanted: Attribute) -> str:
    """Return why a type may not change: it is retired, or a business rule compares with values of the old one."""
    if (stored.data_type, stored.reference_id) == (wanted.data_type, wanted.reference_id):
        return ""
    if wanted.is_cancelled:
        return say("It is retired: bring it back before you change its type.")
    if stored.data_type == wanted.data_type:
        return ""
    rules = ", ".join(RuleLine.objects.rules_using(stored.entity_id, stored.name))
    return (
        say("A business rule looks at it ({rules}); cancel the rule first and adapt it afterwards.", rules=rules)
        if rules
        else ""
    )


def _no_longer_fit(unfit: Unfit) -> str:
    examples = ", ".join(map(repr, unfit.examples))
    if unfit.members == 1:
        return say(
            "1 stored value does not fit “{limit}” and stays as it is: {examples}.",
            limit=unfit.limit,
            examples=examples,
        )
    return say(
        "{members:,} stored values do not fit “{limit}” and stay as they are: {examples}.",
        members=unfit.members,
        limit=unfit.limit,
        examples=examples,
    )


def _kind(attribute: Attribute) -> str:
    target = f" {attribute.reference.name}" if attribute.reference else ""
    return f"{DataType(attribute.data_type).label}{target}"


def _converted(was: str, becomes: str, values: int) -> str:
    """Return the sentence about the values that change their type."""
    words = {0: _NONE_CONVERTED, 1: _ONE_CONVERTED}.get(values, _ALL_CONVERTED)
    return say(words, was=was, becomes=becomes, values=values)


_NONE_CONVERTED = gettext_noop(
    "The column changes from {was} to {becomes}; there is no value to be converted in one transaction."
)
_ONE_CONVERTED = gettext_noop(
    "The column changes from {was} to {becomes}; its 1 value is converted in one transaction."
)
_ALL_CONVERTED = gettext_noop(
    "The column changes from {was} to {becomes}; all {values:,} values are converted in one transaction."
)


def followers(entity: Entity, name: str) -> list[str]:
    """Return a sentence for each kind of thing that names the attribute and will follow."""
    found: list[str] = []
    rules = _lines(entity, name).order_by("rule_id").values_list("rule__name", flat=True).distinct()
    if names := ", ".join(dict.fromkeys(rules)):
        found.append(say("Business rules that look at it follow: {names}.", names=names))
    mapping = UploadMapping.objects.filter(entity=entity).first()
    if mapping and name in mapping.columns.values():
        found.append(say("The remembered columns of uploads follow."))
    return found


def follow_rename(entity: Entity, old: str, new: str) -> None:
    """Write the new name wherever the old one is named; the caller holds the transaction."""
    for rule in BusinessRule.objects.filter(pk__in=_lines(entity, old).values("rule")):
        touch(rule)
    lines = RuleLine.objects.filter(rule__entity=entity)
    lines.filter(attribute=old).update(attribute=new)
    lines.filter(other=old).update(other=new)
    mapping = UploadMapping.objects.filter(entity=entity).first()
    if mapping and old in mapping.columns.values():
        mapping.columns = {header: new if column == old else column for header, column in mapping.columns.items()}
        mapping.save(update_fields=["columns"])


def _lines(entity: Entity, name: str) -> QuerySet[RuleLine]:
    return RuleLine.objects.filter(Q(attribute=name) | Q(other=name), rule__entity=entity)
