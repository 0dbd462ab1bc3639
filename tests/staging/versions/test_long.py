"""Of long values only what differs is told: lines of texts, items of lists, what moved in an order."""

import random

import pytest

from staging.versions.long import moved, of_lists, of_texts

pytestmark = pytest.mark.pure
SQL = "\n".join(f"select {number}" for number in range(200))


def test_a_line_shows_where_two_long_texts_begin_to_differ():
    old, new = of_texts(f"{'x' * 300}old{'y' * 300}", f"{'x' * 300}new{'y' * 300}", 40)
    assert old == f"…{'x' * 20}old{'y' * 17}…" and new == f"…{'x' * 20}new{'y' * 17}…"
    assert of_texts("x" * 300, "x" * 301, 40) == (f"…{'x' * 20}", f"…{'x' * 21}")


def test_a_page_shows_the_lines_that_differ_with_some_around_them():
    old, new = of_texts(SQL, SQL.replace("select 100\n", "").replace("select 0\n", "select zero\n"), None)
    assert old.splitlines() == ["select 0", "select 1", "select 2", "…", *[f"select {n}" for n in range(98, 103)], "…"]
    assert new.splitlines()[0] == "select zero" and "select 100" not in new.splitlines()
    assert of_texts("a" * 200, "b" * 200, None) == ("a" * 200, "b" * 200)


def test_a_list_tells_what_came_and_what_went():
    codes = [f"code {number}" for number in range(300)]
    old, new = of_lists(codes, [*codes[1:], "new"], 120)
    assert old == "300 values, among them code 0" and new == "300 values, among them new"
    assert of_lists(codes, [*codes, "new"], 120)[0] == "300 values"
    assert len(of_lists(codes, codes[::-1], 120)[1]) == 121
    assert of_lists(codes, ["code 7"], None)[1] == "code 7" and of_lists(codes, [], None)[1] == "blank"


def test_an_order_tells_the_fewest_that_moved():
    names = [f"step {number}" for number in range(1, 1001)]
    assert moved(names, [*names[1:], names[0]], None) == ("1. step 1", "1000. step 1")
    assert moved(["a", "b"], ["b", "a"], None) == ("2. b", "1. b")
    assert moved(["a", "a"], ["a", "a"], None) == ("a, a", "a, a")
    assert " and 949 more" in moved(names, names[::-1], None)[1]


@pytest.mark.parametrize("seed", range(20))
def test_whoever_puts_what_moved_in_its_place_has_the_new_order(seed):
    pick = random.Random(seed)
    old = [f"n{number}" for number in range(pick.randint(0, 12))]
    new = pick.sample(old, len(old))
    places = [each.split(". ") for each in moved(old, new, None)[1].split(", ") if each]
    again = [name for name in old if name not in {name for _, name in places}]
    for place, name in sorted(places, key=lambda each: int(each[0])):
        again.insert(int(place) - 1, name)
    assert again == new
