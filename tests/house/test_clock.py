"""Time is an argument: one module reads the clock, everything else is told."""

import ast
import re

from tests.house.source import place, product_files, tree

CLOCK = "scheduling/clock.py"
READS = re.compile(r"\b(datetime\.now|datetime\.utcnow|datetime\.today|date\.today|timezone\.now|time\.time)\b")
SQL_CLOCK = re.compile(r"\b(clock_timestamp\(\)|CURRENT_TIMESTAMP|now\(\))", re.IGNORECASE)


def test_only_clock_reads_the_clock():
    readers = [
        f"{place(path, node)} {ast.unparse(node)}"
        for path in product_files()
        if place(path) != CLOCK
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Attribute) and READS.fullmatch(ast.unparse(node))
    ]
    assert not readers, f"Take `now` as an argument; a door gets it from scheduling.clock.now(): {readers}"


def test_no_field_stamps_itself():
    stamping = [
        place(path, node.value)
        for path in product_files()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.keyword) and node.arg in ("auto_now", "auto_now_add")
    ]
    assert not stamping, f"Set the field from `now`; auto_now reads the clock behind our back: {stamping}"


def test_the_rule_would_catch_the_common_ways():
    for expression in ("datetime.now", "timezone.now", "time.time", "date.today"):
        assert READS.fullmatch(expression)
