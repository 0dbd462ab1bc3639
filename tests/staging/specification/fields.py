"""What a row's values become, field by field: forms, limits, references, merge modes, required, skipping."""

from typing import Any, Protocol

from tests.staging.specification.values import LONGEST_INDEXED, WRONG, read, trim
from tests.staging.specification.world import Member, Row, Rule


class Finder(Protocol):
    """Finds the member a reference names."""

    def find(self, row: Row, target: str, code: str) -> tuple[Member | None, int]:
        """Return the member, as far as there is one, and the error bit when it may not be used."""


def judge_fields(batch: Finder, row: Row) -> int:
    """Give every field its final value and return what is wrong with the row's values."""
    row.final, row.asked, row.skipped, error = {}, {}, set(), 0
    for rule in row.kind.fields:
        error |= _judge(batch, row, rule)
    return error


def wants(row: Row, rule: Rule) -> Any:
    """Return the value a row would give a field that its member does not have yet; None when there is none."""
    value = row.final[rule.name]
    return None if value == _stored(row, rule) else value


def skip(row: Row, rule: Rule) -> int:
    """Leave a field as it was; return 4 when it is required and therefore lacks a value."""
    row.skipped.add(rule.name)
    row.final[rule.name] = _stored(row, rule)
    return 4 if rule.required and row.final[rule.name] is None else 0


def _judge(batch: Finder, row: Row, rule: Rule) -> int:
    text, stored = trim(row.staged.get(rule.name)), _stored(row, rule)
    cleared = text == row.kind.sentinel(rule)
    value: Any = None
    error = 0
    if text and not cleared:
        value, error = _value(batch, row, rule, text)
    final, protected = (stored, 0) if value is WRONG else _merged(row, rule, text, cleared, value)
    error |= protected
    if final is None and rule.required and (not error or (_is_member(value) and not protected)):
        error |= 4
    row.final[rule.name] = row.asked[rule.name] = final
    if not error or not rule.skips or (error == 4 and stored is None):
        return error
    # What the fate of another row decides comes last: the row has asked for the value until then.
    row.asked[rule.name] = final if error & 16384 else stored
    return skip(row, rule)


def _value(batch: Finder, row: Row, rule: Rule, text: str) -> tuple[Any, int]:
    """Return the value of a text and what is wrong with it; WRONG when there is no value."""
    if rule.target:
        found, error = batch.find(row, rule.target, text)
        return WRONG if found is None else found, error
    value = read(rule.data_type, text)
    if value is WRONG:
        return WRONG, 8
    longest = min(n for n in (rule.max_length, LONGEST_INDEXED if rule.unique else None, 10**9) if n is not None)
    too_long = rule.data_type == "text" and len(value) > longest
    too_low = rule.min_value is not None and value < rule.min_value
    return value, 16 if too_long or too_low else 0


def _merged(row: Row, rule: Rule, text: str, cleared: bool, value: Any) -> tuple[Any, int]:
    """Return what production will hold, and 2048 when the mode forbids the change."""
    stored, mode = _stored(row, rule), row.kind.mode_of(rule)
    if row.member is None:
        return value, 0
    if mode == "overwrite":
        return value, 0
    if mode == "keep_when_blank":
        return (value if text else stored), 0
    if mode == "fill_when_empty":
        return (value if stored is None else stored), 0
    if mode == "reject_change":
        return stored, 2048 if text and value != stored else 0
    return stored, 0


def _is_member(value: Any) -> bool:
    """Return whether this is a member, perhaps one that does not come: what it would do is judged too."""
    return isinstance(value, Member)


def _stored(row: Row, rule: Rule) -> Any:
    return row.member.values.get(rule.name) if row.member else None
