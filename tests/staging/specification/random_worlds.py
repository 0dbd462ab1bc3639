"""Random definitions, members and deliveries for the tests of whole batches."""

from typing import Any

from hypothesis import strategies as st

from tests.staging.specification.world import Kind, Member, Rule, World

CODES = ("a", "b", "c", "d", "e", "f")
SENTINEL, NUMBER = "~NULL~", "-98765432101234567890"
MODES = ("overwrite", "keep_when_blank", "fill_when_empty", "keep_existing", "reject_change")


class Scene:
    """A world before anything happens, and the deliveries to its parts."""

    def __init__(self, world: World, deliveries: list[list[dict[str, Any]]]):
        self.world, self.deliveries = world, deliveries

    def __repr__(self) -> str:
        """Return what a person needs to see why an example failed."""
        members = [
            f"{entity}.{m.code}{'' if m.active else ' inactive'} { ({k: _named(v) for k, v in m.values.items() if v}) }"
            for entity, found in self.world.members.items()
            for m in found
        ]
        part = self.world.kinds["part"]
        rules = [
            f"{r.name}: {part.mode_of(r)}{' required' * r.required}{' unique' * r.unique}{' skips' * r.skips}"
            for r in part.fields
        ]
        rows = "\n  then ".join(
            "\n       ".join(str({k: v for k, v in row.items() if v is not None}) for row in rows)
            for rows in self.deliveries
        )
        return "\n".join(["", f"part: {part.duplicates} {part.default_action}", *rules, *members, f"rows:  {rows}"])


def kinds(part: Kind | None = None, *, required: bool = False) -> dict[str, Kind]:
    """Return the entities: parts refer to parts and places, uses refer to parts."""
    use = Kind("use", (Rule("part", "reference", "part"), Rule("main", "reference", "part", required=required)))
    return {"place": Kind("place"), "part": part or Kind("part", part_rules()), "use": use}


def part_rules(**changes: dict[str, Any]) -> tuple[Rule, ...]:
    """Return the attributes of a part; types, targets and what is unique are always the same."""
    rules: tuple[dict[str, Any], ...] = (
        {"name": "sort", "max_length": 3},
        {"name": "n", "data_type": "integer", "min_value": 0},
        {"name": "mail", "unique": True},
        {"name": "parent", "data_type": "reference", "target": "part"},
        {"name": "spare", "data_type": "reference", "target": "part"},
        {"name": "twin", "data_type": "reference", "target": "part", "unique": True},
        {"name": "place", "data_type": "reference", "target": "place"},
    )
    return tuple(Rule(**{**rule, **changes.get(rule["name"], {})}) for rule in rules)


def _often(usual: Any, *others: Any, times: int) -> st.SearchStrategy[Any]:
    return st.sampled_from([usual] * times + list(others))


def rows(actions: st.SearchStrategy[Any], renames: bool) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy of staged rows."""
    to_part = _often(None, *CODES, " a ", "g", "nowhere", SENTINEL, times=6)
    return st.fixed_dictionaries(
        {
            "code": st.sampled_from([*CODES, *CODES, *CODES, " a ", "g", None, " "]),
            "new_code": _often(None, *CODES, "g", " ", " a ", times=7) if renames else st.none(),
            "import_action": actions,
            "name": st.sampled_from([None, " ", "N", "M", SENTINEL]),
            "sort": _often("k", " k", "", SENTINEL, "long", times=4),
            "n": st.sampled_from([None, "", "1", "01", "2", "-1", "x", NUMBER]),
            "mail": _often(None, "m1", "m2", "m3", SENTINEL, times=4),
            "parent": to_part,
            "spare": to_part,
            "twin": _often(None, "a", "b", "f", times=9),
            "place": _often(None, "here", "there", "closed", "nowhere", times=5),
        }
    )


@st.composite
def rules(draw: st.DrawFn) -> Kind:
    """Return a random definition of parts."""
    changes: dict[str, Any] = {}
    for name in ("sort", "n", "mail", "parent", "spare", "twin", "place"):
        changes[name] = {
            "required": draw(_often(False, True, times=5 if name != "sort" else 1)),
            "skips": draw(_often(False, True, times=3)),
            "mode": draw(_often("", *MODES, times=4)),
        }
    return Kind(
        "part",
        part_rules(**changes),
        default_action=draw(_often(0, 1, 2, 3, times=6)),
        mode=draw(st.sampled_from(MODES)),
        duplicates=draw(st.sampled_from(["reject_all", "last_wins", "first_wins"])),
    )


@st.composite
def scenes(draw: st.DrawFn, kind: st.SearchStrategy[Kind], row: st.SearchStrategy[dict[str, Any]]) -> Scene:
    """Return a random world of parts with one to three deliveries."""
    part = draw(kind)
    world = World(kinds(part, required=draw(_often(False, True, times=3))), {"place": [], "part": [], "use": []})
    places = world.members["place"] = [Member("here"), Member("there"), Member("closed", False)]
    active = _often(True, False, times=2)
    parts = world.members["part"] = [Member(code, draw(active)) for code in CODES[:4] if draw(st.booleans())]
    mails, twins = (draw(st.permutations([*them, *[None] * 4])) for them in (["m1", "m2"], parts[:2]))
    for member, mail, twin in zip(parts, mails, twins, strict=False):
        member.values = {
            "name": draw(st.sampled_from([None, "N"])),
            "sort": draw(st.sampled_from([None, "k"])),
            "n": draw(st.sampled_from([None, 1])),
            "mail": mail,
            "twin": twin,
            "parent": draw(_often(None, *parts, times=3)),
            "spare": draw(_often(None, *parts, times=3)),
            "place": draw(st.sampled_from([None, *places])),
        }
    for number in range(draw(st.integers(0, 2)) if parts else 0):
        values = {"part": draw(st.sampled_from([None, *parts])), "main": draw(st.sampled_from([None, *parts]))}
        world.members["use"].append(Member(f"u{number}", draw(active), values))
    return Scene(world, draw(st.lists(st.lists(row, min_size=1, max_size=9), min_size=1, max_size=2)))


def _named(value: Any) -> Any:
    return value.code if isinstance(value, Member) else value
