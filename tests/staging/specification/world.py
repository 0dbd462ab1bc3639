"""The things that the model reasons about: definitions, members, staged rows."""

from dataclasses import dataclass, field
from typing import Any

from tests.staging.specification.values import trim

UPSERT, INSERT_ONLY, UPDATE_ONLY, DEACTIVATE, DELETE, DEACTIVATE_CLEAR, DELETE_CLEAR = range(7)
REMOVALS = (DEACTIVATE, DELETE, DEACTIVATE_CLEAR, DELETE_CLEAR)
DELETING = (DELETE, DELETE_CLEAR)
CLEARING = (DEACTIVATE_CLEAR, DELETE_CLEAR)


@dataclass(frozen=True)
class Rule:
    """An attribute, or the name of a member."""

    name: str
    data_type: str = "text"
    target: str = ""
    required: bool = False
    unique: bool = False
    mode: str = ""
    skips: bool = False
    max_length: int | None = None
    min_value: Any = None


@dataclass(frozen=True)
class Kind:
    """An entity."""

    code: str
    rules: tuple[Rule, ...] = ()
    default_action: int = UPSERT
    mode: str = "keep_when_blank"
    duplicates: str = "reject_all"
    sentinel_text: str = "~NULL~"
    sentinel_number: str = "-98765432101234567890"
    sentinel_datetime: str = "5555-11-22T12:34:56"

    @property
    def fields(self) -> tuple[Rule, ...]:
        """Return the name and the attributes: all that a row brings values for."""
        return (Rule("name"), *self.rules)

    def mode_of(self, rule: Rule) -> str:
        """Return the merge mode of a field: its own, or the entity's."""
        return rule.mode or self.mode

    def sentinel(self, rule: Rule) -> str:
        """Return the text that clears a field."""
        if rule.data_type in ("integer", "decimal"):
            return self.sentinel_number
        return self.sentinel_datetime if rule.data_type in ("date", "datetime") else self.sentinel_text


@dataclass(eq=False)
class Member:
    """A row of production; its references are the members themselves."""

    code: str
    active: bool = True
    values: dict[str, Any] = field(default_factory=dict)
    # Whether the last batch wrote it.
    touched: bool = False


@dataclass
class World:
    """All definitions and all members."""

    kinds: dict[str, Kind] = field(default_factory=dict)
    members: dict[str, list[Member]] = field(default_factory=dict)

    @property
    def everybody(self) -> list[Member]:
        """Return the members of all entities."""
        return [member for members in self.members.values() for member in members]

    def references(self) -> dict[Member, list[tuple[Rule, Member]]]:
        """Return for each member that is referred to by which field of which members."""
        found: dict[Member, list[tuple[Rule, Member]]] = {}
        for kind in self.kinds.values():
            for rule in (rule for rule in kind.rules if rule.target):
                for member in self.members[kind.code]:
                    if (target := member.values.get(rule.name)) is not None:
                        found.setdefault(target, []).append((rule, member))
        return found


@dataclass(eq=False)
class Row:
    """A staged row: what it says, and what becomes of it."""

    kind: Kind
    staged: dict[str, Any]
    member: Member | None = None
    error: int = 0
    outcome: str = ""
    superseded: bool = False
    # The fields that were skipped, the value each field asked for, and the one it will have.
    skipped: set[str] = field(default_factory=set)
    asked: dict[str, Any] = field(default_factory=dict)
    final: dict[str, Any] = field(default_factory=dict)
    # Stands for the member that rows of this code would create, so that others may refer to it.
    newborn: Member = field(default_factory=lambda: Member(""))

    def __post_init__(self) -> None:
        """Read what the row asks for; `new_code` is empty when it does not rename."""
        action, new = self.staged.get("import_action"), trim(self.staged.get("new_code"))
        self.code = trim(self.staged.get("code"))
        self.action: int = self.kind.default_action if action is None else action
        self.new_code = new if self.action in (UPSERT, UPDATE_ONLY) and self.code not in ("", new) else ""

    @property
    def inserts(self) -> bool:
        """Return whether the row asks for a new member."""
        return self.member is None and self.action in (UPSERT, INSERT_ONLY) and not self.new_code and bool(self.code)

    @property
    def rejected(self) -> bool:
        """Return whether anything is wrong with the row."""
        return bool(self.error) and not self.superseded
