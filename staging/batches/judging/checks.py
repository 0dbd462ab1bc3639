"""What is looked at in each column: every problem found there sets its bit in an integer.

Each problem that a row may have has a bit of its own, so that one or two integers tell all that was found in a row.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext_noop

from staging.batches.context import BatchContext, Field
from staging.batches.judging import delivered, intent
from staging.models import Attribute
from staging.sql.compose import Sql, column, sql, statement, tree
from staging.states import ORDERED, DataType, ErrorBit
from staging.tables.create import INDEXED_LENGTH
from staging.wording import in_language_of

_WRONG_TYPES = {
    DataType.TEXT: gettext_noop("{column}: '{value}' is not readable text."),
    DataType.INTEGER: gettext_noop("{column}: '{value}' is not a whole number."),
    DataType.DECIMAL: gettext_noop(
        "{column}: '{value}' is not a decimal number of at most 40 digits on each side of the point."
    ),
    DataType.BOOLEAN: gettext_noop("{column}: '{value}' is not yes or no."),
    DataType.DATE: gettext_noop("{column}: '{value}' is not a date (YYYY-MM-DD)."),
    DataType.DATETIME: gettext_noop("{column}: '{value}' is not a date and time (YYYY-MM-DDTHH:MM:SS)."),
}

# What a field that was skipped says before its sentence; the row is processed.
WARNING = gettext_noop("Warning: ")

# One bit less than the sign leaves.
_WORD_BITS = 62


@dataclass(frozen=True)
class Problem:
    """One thing that can be wrong with one column: its error bit, and the template of its sentence."""

    bit: ErrorBit
    template: str


CODE_MISSING = Problem(ErrorBit.CODE_MISSING, "{column} is missing.")
DUPLICATE = Problem(ErrorBit.DUPLICATE_CODE, "{column}: '{value}' is in more than one row of the batch.")
REQUIRED = Problem(ErrorBit.REQUIRED_MISSING, "{column} is required and would have no value.")
EMPTIED = Problem(ErrorBit.REQUIRED_MISSING, "{column} is required and keeps its value.")
TOO_SHORT = Problem(ErrorBit.CONSTRAINT, "{column}: '{value}' is shorter than {limit} characters.")
TOO_LONG = Problem(ErrorBit.CONSTRAINT, "{column}: '{value}' is longer than {limit} characters.")
TOO_LOW = Problem(ErrorBit.CONSTRAINT, "{column}: '{value}' is below {limit}.")
TOO_HIGH = Problem(ErrorBit.CONSTRAINT, "{column}: '{value}' is above {limit}.")
PATTERN = Problem(ErrorBit.CONSTRAINT, "{column}: '{value}' does not match {limit}.")
CHOICE = Problem(ErrorBit.CONSTRAINT, "{column}: '{value}' is not one of {limit}.")
NOT_FOUND = Problem(ErrorBit.REFERENCE, "{column}: '{value}' is not an active member of {limit}.")
UNIQUE = Problem(ErrorBit.UNIQUE_TAKEN, "{column}: '{value}' is taken by another member or row.")
EXISTS = Problem(ErrorBit.CODE_EXISTS, "{column}: '{value}' exists already.")
UNKNOWN = Problem(ErrorBit.CODE_NOT_FOUND, "{column}: '{value}' does not exist.")
REFERENCED = Problem(ErrorBit.STILL_REFERENCED, "{column}: '{value}' is still referred to by {limit}.")
NEEDED = Problem(ErrorBit.STILL_REFERENCED, "{column}: '{value}' is still referred to by {limit}, which needs a value.")
TAKEN = Problem(ErrorBit.NEW_CODE_TAKEN, "{column}: '{value}' is the code of another member.")
WANTED_TWICE = Problem(ErrorBit.NEW_CODE_TAKEN, "{column}: '{value}' is wanted by another row of the batch.")
PROTECTED = Problem(ErrorBit.PROTECTED_VALUE, "{column}: '{value}' is not what is stored, which may not change.")
ACTION_UNKNOWN = Problem(ErrorBit.UNKNOWN_ACTION, "{column}: '{value}' is not an import action.")
TOO_BIG = Problem(ErrorBit.WRONG_TYPE, "{column}: '{value}' is a larger whole number than can be stored.")
TARGET_REJECTED = Problem(ErrorBit.REFERENCE_REJECTED, "{column}: '{value}' is a row of this batch that was rejected.")


def wrong_type(data_type: str) -> Problem:
    """Return the problem of a value that is not of its column's type."""
    return Problem(ErrorBit.WRONG_TYPE, _WRONG_TYPES[DataType(data_type)])


def sentence(
    context: BatchContext, problem: Problem, column: str, value: Sql, limit: str = "", *, warns: bool = False
) -> Sql:
    """Return the SQL of the sentence in the language of the entity, for deliverers; `value` is safe to show."""
    told = in_language_of(context.entity.language, problem.template)
    lead = in_language_of(context.entity.language, WARNING) if warns else ""
    before, _, after = (lead + told.replace("{column}", column)).partition("{value}")
    if not after:
        return sql("{text}", text=before)
    return sql("({before} || {value} || {after})", before=before, value=value, after=after.replace("{limit}", limit))


# A problem, the limit its sentence names, and whether it only warns.
Noted = tuple[Problem, str, bool]


@dataclass(frozen=True)
class Finding:
    """One problem of one column, the limit its sentence names, and its bit in a word; a warning rejects nothing."""

    shown: str
    problem: Problem
    limit: str
    warns: bool
    word: int
    bit: int


class Findings(list[Finding]):
    """All problems that rows of one batch may have."""

    def add(self, shown: str, problems: Iterable[Noted]) -> None:
        """Number the problems of a column; they share a word."""
        found = list(problems)
        word, used = (self[-1].word, self[-1].bit.bit_length()) if self else (0, 0)
        if used + len(found) > _WORD_BITS:
            word, used = word + 1, 0
        for place, (problem, limit, warns) in enumerate(found, used):
            self.append(Finding(shown, problem, limit, warns, word, 1 << place))

    @property
    def words(self) -> list[str]:
        """Return the names of the integers."""
        return [f"x_{number}" for number in range(self[-1].word + 1)]

    def bits(self, shown: str) -> Mapping[Problem, int]:
        """Return the bit of each problem of a column."""
        return {f.problem: f.bit for f in self if f.shown == shown}

    def together(self, checks: Mapping[str, Sql], values: Mapping[str, Sql], count: Sql) -> dict[str, Sql]:
        """Return the integers, put together from the problems that the checks find in each column.

        Those of values are looked for only where `count` holds.
        """
        return {
            word: sql(
                "({always} | CASE WHEN {count} THEN {found} ELSE 0 END)",
                always=self._of_word(number, checks),
                count=count,
                found=self._of_word(number, values),
            )
            for number, word in enumerate(self.words)
        }

    def _of_word(self, number: int, checks: Mapping[str, Sql]) -> Sql:
        word_of = {f.shown: f.word for f in self}
        return tree("|", (check for shown, check in checks.items() if word_of[shown] == number), "0")

    def any(self) -> Sql:
        """Return whether a judged row `j` has any problem that rejects it."""
        if not any(f.warns for f in self):
            return self.noticed()
        masks = [sum(f.bit for f in self if f.word == number and not f.warns) for number in range(len(self.words))]
        found = (Sql(f"(j.{word} & {mask})") for word, mask in zip(self.words, masks, strict=True))
        return sql("({found} <> 0)", found=tree("|", found, "0"))

    def noticed(self) -> Sql:
        """Return whether a judged row `j` has anything to tell, be it only a warning."""
        return sql("({found} <> 0)", found=tree("|", (column("j", word) for word in self.words), "0"))

    def error(self) -> Sql:
        """Return the error bits of a judged row `j`."""
        masks: dict[int, dict[int, int]] = {}
        for finding in (f for f in self if not f.warns):
            words = masks.setdefault(int(finding.problem.bit), {})
            words[finding.word] = words.get(finding.word, 0) | finding.bit
        return tree("|", (_error(bit, words) for bit, words in masks.items()), "0")


def _error(bit: int, words: Mapping[int, int]) -> Sql:
    found = tree("OR", (Sql(f"j.x_{word} & {mask} <> 0") for word, mask in words.items()), "FALSE")
    return sql("CASE WHEN {found} THEN {bit} ELSE 0 END", found=found, bit=Sql(str(bit)))


# The bit of each problem of a column.
Bits = Mapping[Problem, int]
# A condition on a value, the problem when it holds, and the limit to name.
Check = tuple[Sql, Problem, str]


def findings(context: BatchContext) -> Findings:
    """Number all problems that a row may show by itself; what several rows show together is found later."""
    found, length = Findings(), str(INDEXED_LENGTH)
    own = [CODE_MISSING, wrong_type(DataType.TEXT), TOO_LONG]
    found.add("code", [(problem, length, False) for problem in (*own, UNKNOWN, EXISTS)])
    found.add("new_code", [(problem, length, False) for problem in own[1:]])
    found.add("import_action", [(ACTION_UNKNOWN, "", False)])
    for field in context.fields:
        found.add(field.name, _problems_of(context, field))
    return found


def code_checks(context: BatchContext, bits: Bits) -> Sql:
    """Return the problems of `code`; whether it should exist, or should not, is asked of a good one only."""
    return statement(
        "code_problems",
        missing=_bit(bits, CODE_MISSING),
        wrong=_bit(bits, wrong_type(DataType.TEXT)),
        length=context.sql.length(Sql("t.code")),
        most=INDEXED_LENGTH,
        long=_bit(bits, TOO_LONG),
        new=delivered.is_new(context),
        removes=intent.removes("t"),
        renames=intent.renames(),
        unknown=_bit(bits, UNKNOWN),
        exists=_bit(bits, EXISTS),
    )


def new_code_checks(context: BatchContext, bits: Bits) -> Sql:
    """Return the problems of `new_code` by itself; whether it is free shows when all rows are seen (intent.py)."""
    return statement(
        "new_code_problems",
        renames=intent.renames(),
        typed=context.sql.typed(DataType.TEXT, Sql("t.new_code"), Sql("NULL")),
        wrong=_bit(bits, wrong_type(DataType.TEXT)),
        length=context.sql.length(Sql("t.new_code")),
        most=INDEXED_LENGTH,
        long=_bit(bits, TOO_LONG),
    )


def action_checks(bits: Bits) -> Sql:
    """Return the problems of `import_action`."""
    unknown = _bit(bits, ACTION_UNKNOWN)
    return sql("CASE WHEN {known} THEN 0 ELSE {unknown} END", known=intent.is_known(), unknown=unknown)


def value_checks(context: BatchContext, field: Field, bits: Bits) -> Sql:
    """Return the problems of a typed value."""
    broken = tree("|", (_when(bits, condition, problem) for condition, problem, _ in constraints(context, field)), "0")
    checks = statement(
        "value_problems",
        given=delivered.has_value(context, field),
        nothing=delivered.is_blank(context, field),
        c=delivered.clears(context, field),
        broken=_when_given(context, field, broken, delivered.value(field), bits),
        blank=_when_blank(context, field, bits),
        cleared=_when_cleared(context, field, bits),
        wrong=_wrong(context, field, bits),
    )
    return _or_still_empty(context, field, checks, is_right(context, field), bits)


def reference_checks(context: BatchContext, field: Field, found: Sql, member: Sql, bits: Bits) -> Sql:
    """Return the problems of a reference.

    `found` says whether its member exists now or comes with this batch, `member` is its id as far as it is known.
    """
    checks = statement(
        "reference_problems",
        nothing=delivered.is_blank(context, field),
        c=delivered.clears(context, field),
        found=found,
        blank=_when_blank(context, field, bits),
        cleared=_when_cleared(context, field, bits),
        given=_when_given(context, field, Sql("0"), member, bits),
        lost=_bit(bits, NOT_FOUND),
    )
    given = sql("({cleared} IS NOT TRUE AND {found})", cleared=delivered.clears(context, field), found=found)
    return _or_still_empty(context, field, checks, given, bits)


def is_right(context: BatchContext, field: Field) -> Sql:
    """Return whether a row brings a value for a field that may be left out, and one that the definition allows."""
    given = delivered.has_value(context, field)
    broken = [condition for condition, _, _ in constraints(context, field)]
    if not broken or not delivered.skips(field):
        return given
    return sql("({given} AND {broken} IS NOT TRUE)", given=given, broken=tree("OR", broken, "FALSE"))


def _when_given(context: BatchContext, field: Field, broken: Sql, value: Sql, bits: Bits) -> Sql:
    found = broken
    if delivered.is_protected(context, field):
        changed = _when(bits, delivered.would_change(context, field, value), PROTECTED)
        found = sql("({broken} | {changed})", broken=broken, changed=changed)
    lacks = delivered.lacks_when_given(context, field)
    if lacks is None or not delivered.is_required(field) or delivered.skips(field):
        return found
    return sql("COALESCE(NULLIF({found}, 0), {lacks})", found=found, lacks=_when(bits, lacks, REQUIRED))


def _when_blank(context: BatchContext, field: Field, bits: Bits) -> Sql:
    return _emptied(context, field, delivered.lacks_when_blank(context, field), bits)


def _when_cleared(context: BatchContext, field: Field, bits: Bits) -> Sql:
    emptied = _emptied(context, field, delivered.lacks_when_cleared(context, field), bits)
    if not delivered.is_protected(context, field):
        return emptied
    protected = _when(bits, delivered.would_be_cleared(context, field), PROTECTED)
    return sql("({emptied} | {protected})", emptied=emptied, protected=protected)


def _emptied(context: BatchContext, field: Field, lacks: Sql, bits: Bits) -> Sql:
    """Return the problem of a required attribute that would be empty; one that may be skipped keeps what is stored."""
    if not delivered.is_required(field):
        return Sql("0")
    if not delivered.skips(field):
        return _when(bits, lacks, REQUIRED)
    kept = sql("{lacks} AND {stored} IS NOT NULL", lacks=lacks, stored=delivered.stored(context, field))
    return _when(bits, kept, EMPTIED)


def _or_still_empty(context: BatchContext, field: Field, checks: Sql, right: Sql, bits: Bits) -> Sql:
    """Add the problem of a required attribute that was skipped, or not brought, and therefore is empty."""
    if not (delivered.is_required(field) and delivered.skips(field)):
        return checks
    taken = delivered.is_taken(context, field)
    return sql(
        "({checks} | CASE WHEN {stored} IS NOT NULL THEN 0 WHEN {right}{taken} THEN 0 ELSE {required} END)",
        checks=checks,
        stored=delivered.stored(context, field),
        right=right,
        taken=Sql("") if taken is None else sql(" AND {taken}", taken=taken),
        required=_bit(bits, REQUIRED),
    )


def constraints(context: BatchContext, field: Field) -> Iterator[Check]:
    """Yield what a definition forbids a well-formed value to be."""
    attribute, value = field.attribute, delivered.value(field)
    if attribute is None or field.is_reference:
        return
    if field.data_type == DataType.TEXT:
        yield from _lengths(context, attribute, value)
    if field.data_type in ORDERED:
        yield from _range(context, attribute, value)
    if attribute.pattern:
        yield sql("NOT {m}", m=context.sql.matches(attribute.pattern, value)), PATTERN, attribute.pattern
    if attribute.choices:
        yield _choices(context, attribute, value)


def _problems_of(context: BatchContext, field: Field) -> Iterator[Noted]:
    """Yield each problem a field may have while it is classified, with the limit its sentence names."""
    warns = delivered.skips(field)
    if delivered.is_required(field):
        yield REQUIRED, "", False
        if warns:
            yield EMPTIED, "", True
    if delivered.is_protected(context, field):
        yield PROTECTED, "", warns
    for problem, limit in _of_value(context, field):
        yield problem, limit, warns


def _of_value(context: BatchContext, field: Field) -> Iterator[tuple[Problem, str]]:
    attribute = field.attribute
    if field.is_reference:
        yield NOT_FOUND, attribute.reference.name if attribute and attribute.reference else ""
        return
    yield wrong_type(field.data_type), ""
    if field.data_type == DataType.INTEGER:
        yield TOO_BIG, ""
    for _, problem, limit in constraints(context, field):
        yield problem, limit


def _lengths(context: BatchContext, attribute: Attribute, value: Sql) -> Iterator[Check]:
    length = context.sql.length(value)
    limits = [n for n in (attribute.max_length, INDEXED_LENGTH if attribute.unique else None) if n is not None]
    if attribute.min_length:
        yield sql("{n} < {limit}", n=length, limit=attribute.min_length), TOO_SHORT, str(attribute.min_length)
    if limits:
        yield sql("{n} > {limit}", n=length, limit=min(limits)), TOO_LONG, str(min(limits))


def _range(context: BatchContext, attribute: Attribute, value: Sql) -> Iterator[Check]:
    kind = attribute.data_type
    if attribute.min_value:
        limit = context.sql.constant(kind, attribute.min_value)
        yield context.sql.less(kind, value, limit), TOO_LOW, attribute.min_value
    if attribute.max_value:
        limit = context.sql.constant(kind, attribute.max_value)
        yield context.sql.less(kind, limit, value), TOO_HIGH, attribute.max_value


def _choices(context: BatchContext, attribute: Attribute, value: Sql) -> Check:
    texts = [str(choice) for choice in attribute.choices]
    allowed = [context.sql.constant(attribute.data_type, text) for text in texts]
    within = tree("OR", (sql("{v} = {choice}", v=value, choice=choice) for choice in allowed), "FALSE")
    shown = ", ".join(texts)
    return sql("NOT ({within})", within=within), CHOICE, shown if len(shown) <= 200 else f"{shown[:200]}…"


def _wrong(context: BatchContext, field: Field, bits: Bits) -> Sql:
    """Return the problem of text that could not be typed; a whole number may be one, but too long."""
    wrong = _bit(bits, wrong_type(field.data_type))
    if field.data_type != DataType.INTEGER:
        return wrong
    return sql(
        "CASE WHEN {longer} THEN {big} ELSE {wrong} END",
        longer=delivered.is_too_big(context, field),
        big=_bit(bits, TOO_BIG),
        wrong=wrong,
    )


def _when(bits: Bits, condition: Sql, problem: Problem) -> Sql:
    return sql("CASE WHEN {condition} THEN {bit} ELSE 0 END", condition=condition, bit=_bit(bits, problem))


def _bit(bits: Bits, problem: Problem) -> Sql:
    return Sql(str(bits[problem]))
