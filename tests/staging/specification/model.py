"""What becomes of a whole batch, in plain Python: the rules of docs/merging.md, one function for each."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tests.staging.specification.fields import judge_fields, skip, wants
from tests.staging.specification.values import LONGEST_INDEXED, WRONG, read, trim
from tests.staging.specification.world import (
    CLEARING,
    DEACTIVATE,
    DELETING,
    INSERT_ONLY,
    REMOVALS,
    UPDATE_ONLY,
    UPSERT,
    Member,
    Row,
    Rule,
    World,
)


class Model:
    """One batch: `world` becomes what production holds afterwards, `rows` tell their outcomes."""

    def __init__(self, world: World, entity: str, staged: Sequence[Mapping[str, Any]]):
        self.world, self.kind = world, world.kinds[entity]
        self.members = world.members[entity]
        for member in world.everybody:
            member.touched = False
        self.before = {member.code: member for member in self.members}
        self.rows = [Row(self.kind, dict(row)) for row in staged]
        newborn = {row.code: row.newborn for row in self.rows}
        for row in self.rows:
            row.member, row.newborn = self.before.get(row.code), newborn[row.code]
        self.base = {row: self._alone(row) for row in self.rows}
        self._duplicates()
        self._removals()
        self._settle()
        self._merge()

    # 1. Each row by itself.

    def _alone(self, row: Row) -> int:
        """Return what is wrong with a row's code and action."""
        error = code_error(row.code) if row.code else 1
        good = not error
        if row.new_code:
            error |= code_error(row.new_code)
        if not 0 <= row.action <= 6:
            return error | 1024
        if row.action == INSERT_ONLY and row.member:
            error |= 64
        if good and not row.member and (row.action not in (UPSERT, INSERT_ONLY) or row.new_code):
            error |= 128
        return error

    # 2. Rows of the same code.

    def _duplicates(self) -> None:
        by_code: dict[str, list[Row]] = {}
        for row in self.rows:
            by_code.setdefault(row.code, []).append(row)
        for copies in [rows for code, rows in by_code.items() if code]:
            alike = len({self._everything(row) for row in copies}) == 1
            if self.kind.duplicates == "reject_all" and not alike:
                for row in copies:
                    self.base[row] |= 2
                continue
            kept = copies[-1 if self.kind.duplicates == "last_wins" else 0]
            for row in copies:
                row.superseded = row is not kept

    def _everything(self, row: Row) -> tuple[Any, ...]:
        texts = (trim(row.staged.get(column)) for column in ("new_code", *(rule.name for rule in self.kind.fields)))
        return (row.action, *texts)

    # 3. Members that are taken away, and renames.

    def _removals(self) -> None:
        """Refuse removals until those that are left need no other; then do them."""
        self.references = self.world.references()
        self.inactive = {member for member in self.world.everybody if not member.active}
        asked = [row for row in self.rows if row.action in REMOVALS and not row.superseded]
        going = [row for row in asked if not self.base[row]]
        while refused := self._still_referenced(going):
            going = [row for row in going if row not in refused]
            for row in refused:
                self.base[row] |= 256
        cleared = {row.member for row in going if row.action in CLEARING and self._clear(row.member)}
        self.gone = {row.member for row in going}
        for row in going:
            self._remove(row, row.member in cleared)
        for row in asked:
            row.error = self.base[row]

    def _still_referenced(self, going: list[Row]) -> set[Row]:
        """Return the removals that references forbid, when the members of `going` are taken away together."""
        gone = {other.member for other in going if other.action in DELETING}
        inactive = {other.member for other in going} | self.inactive
        return {row for row in going if self._is_needed(row, gone, inactive)}

    def _is_needed(self, row: Row, gone: set[Member], inactive: set[Member]) -> bool:
        """Return whether references stand in the way: of active members, of any, or such as cannot be cleared."""
        gone = gone | {row.member}
        referring = [(rule, member) for rule, member in self.references.get(row.member, []) if member not in gone]
        if row.action in CLEARING:
            return any(rule.required for rule, _ in referring)
        if row.action == DEACTIVATE:
            return row.member.active and any(member not in inactive for _, member in referring)
        return bool(referring)

    def _clear(self, target: Member) -> int:
        """Empty the references to a member; a required one is its own, or of a member that goes too."""
        referring = [(rule, member) for rule, member in self.references.get(target, []) if not rule.required]
        for rule, member in referring:
            member.values[rule.name] = None
            member.touched = True
        return len(referring)

    def _remove(self, row: Row, cleared: bool) -> None:
        member = row.member
        if row.action in DELETING:
            self.members.remove(member)
            row.outcome = "deleted"
            return
        row.outcome = "deactivated" if member.active or cleared else "unchanged"
        member.touched = member.touched or member.active
        member.active = False

    # 3 to 5. Everything that rows need of one another, until nothing changes.

    def _settle(self) -> None:
        rows = [row for row in self.rows if row.action not in REMOVALS and not row.superseded]
        # The rows that would bring an active member under a code, or under a new code.
        self.mentions: dict[str, list[Row]] = {}
        for row in rows:
            row.error = self.base[row]
        for row in rows:
            if row.action != UPDATE_ONLY:
                self.mentions.setdefault(row.code, []).append(row)
        for row in rows:
            if row.new_code and row.member and (row.action == UPSERT or row.member.active):
                self.mentions.setdefault(row.new_code, []).append(row)
        # First all rows without another error are taken to pass; who brings a value that is not his alone loses it.
        self.lost: set[tuple[Row, Rule]] = set()
        self._settle_others(rows)
        while losers := self._rivals(rows) - self.lost:
            self.lost |= losers
            self._settle_others(rows)
        for row in (row for row in rows if row.rejected):
            row.error |= self._tell_rejected(row, rows)

    def _settle_others(self, rows: list[Row]) -> None:
        """Judge all that is wrong beside unique values, while these rows have lost these."""
        while True:
            before = [row.rejected for row in rows]
            errors = {row: self.base[row] | judge_fields(self, row) for row in rows}
            for row, error in self._rename_errors(rows).items():
                errors[row] |= error
            for row, rule in self.lost:
                errors[row] |= skip(row, rule) if rule.skips else 4096
            for row, error in errors.items():
                row.error = error
            if [row.rejected for row in rows] == before:
                return

    def _rename_errors(self, rows: list[Row]) -> dict[Row, int]:
        """Return 512 for the rows whose new code is another's, or that another row asks for."""
        renamed = {row.member for row in rows if row.new_code and not row.rejected}
        asked = Counter(row.new_code or row.code for row in rows if row.new_code or row.inserts)
        errors = {}
        for row in (row for row in rows if row.new_code):
            holder = self.before.get(row.new_code)
            if (holder and holder not in renamed) or asked[row.new_code] > 1:
                errors[row] = 512
        return errors

    def _rivals(self, rows: list[Row]) -> set[tuple[Row, Rule]]:
        """Return who brings a value that another member or another row has in the state after the batch."""
        good = [row for row in rows if not row.rejected]
        return {
            (row, rule)
            for rule in (rule for rule in self.kind.rules if rule.unique)
            for row in good
            if wants(row, rule) is not None and self._is_taken(row, rule, good)
        }

    def _is_taken(self, row: Row, rule: Rule, good: list[Row]) -> bool:
        changed = {other.member for other in good if other.member}
        held = [member.values.get(rule.name) for member in self.members if member not in changed | {row.member}]
        return row.final[rule.name] in [*held, *(other.final[rule.name] for other in good if other is not row)]

    def _tell_rejected(self, row: Row, rows: list[Row]) -> int:
        """Return 4096 for a rejected row that brings a value of somebody else's besides."""
        good = [other for other in rows if not other.rejected and not (other.member and other.member is row.member)]
        error = 0
        for rule in (rule for rule in self.kind.rules if rule.unique and not row.error & 4096):
            if wants(row, rule) is not None and self._is_taken(row, rule, good):
                error |= skip(row, rule) if rule.skips else 4096
        return error

    # Which member a reference names.

    def find(self, row: Row, target: str, code: str) -> tuple[Member | None, int]:
        """Return the member that a reference of a row names, and 32 or 16384 when it is not there or will not come."""
        if target != self.kind.code:
            found = next((member for member in self.world.members[target] if member.code == code), None)
            return (found, 0) if found and found.active else (None, 32)
        known = self.before.get(code)
        if known and known not in self.inactive:
            return (None, 32) if known in self.gone else (known, 0)
        mentions = self.mentions.get(code, [])
        for other in [other for other in mentions if other is row or code == row.code or not other.rejected]:
            return other.member or other.newborn, 0
        if mentions:
            # A new code that several rows want is nobody's: then it names no member that there is.
            first, wanted = mentions[0], [other for other in mentions if other.new_code == code]
            return (None if first in wanted[:1] and wanted[1:] else first.member) or first.newborn, 16384
        return None, 32

    # What is written.

    def _merge(self) -> None:
        for row in self.rows:
            if row.superseded:
                row.error, row.outcome = 0, "superseded"
            elif row.error:
                row.outcome = "rejected"
            elif row.action not in REMOVALS:
                row.outcome = self._outcome(row)
        for row in self.rows:
            if row.outcome in ("inserted", "updated") and row.action not in REMOVALS:
                self._write(row)

    def _outcome(self, row: Row) -> str:
        if row.member is None:
            return "inserted"
        different = any(row.final[rule.name] != row.member.values.get(rule.name) for rule in self.kind.fields)
        awakes = row.action == UPSERT and not row.member.active
        return "updated" if different or awakes or row.new_code else "unchanged"

    def _write(self, row: Row) -> None:
        member = row.member
        if member is None:
            member = row.newborn
            member.code = row.code
            self.members.append(member)
        member.code = row.new_code or member.code
        member.values = dict(row.final)
        member.active = member.active or row.action == UPSERT
        member.touched = True


def code_error(code: str) -> int:
    """Return what is wrong with the text of a code."""
    if read("text", code) is WRONG:
        return 8
    return 16 if len(code) > LONGEST_INDEXED else 0
