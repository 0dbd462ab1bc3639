"""The payloads: texts that some reader somewhere takes for markup, code, a formula, a name, a path or an end."""

import random
from collections.abc import Sequence
from typing import TypeVar

from tests.depth import DEEP, some

T = TypeVar("T")

# An element or an attribute of this name is in no template of ours: one in a page came out of a text.
MARK = "zqx"

PAYLOADS: dict[str, str] = {
    "element": f"<{MARK} {MARK}=1>",
    "many at once": f"=\"><{MARK}><a {MARK}=1 onclick='{MARK}()'>'><svg/onload={MARK}()></script></textarea>"
    "{{ 7|add:35 }} %s {0.__class__} \u202e\u2028",
    "script": f"<script>{MARK}()</script>",
    "handler": f"<img src=x onerror={MARK}()>",
    "end of attribute": f"\"><{MARK}><a {MARK}=1 onclick='{MARK}()'>",
    "end of single attribute": f'\'><{MARK}><a {MARK}=1 onclick="{MARK}()">',
    "end of script": f"</script></style></textarea></title><{MARK}>",
    "comment": f"--><!--<{MARK}>]]><{MARK}>",
    "svg": f"<svg/onload={MARK}()><math><mtext><{MARK}>",
    "address of script": f"javascript:{MARK}()",
    "address of data": f"data:text/html,<{MARK}>",
    "other site": "//evil.example/zqx",
    "template": "{{ 7|add:35 }}{% debug %}{# zqx #}",
    "jinja": "{{7*6}}${7*6}#{7*6}<%= 7*6 %>",
    "percent": "%s %d %(zqx)s %n %%",
    "braces": "{0} {} {zqx} {0.__class__} {self} {{",
    "formula": '=HYPERLINK("http://evil.example";"zqx")',
    "plus": "+cmd|' /C zqx'!A0",
    "minus": "-2+3+zqx",
    "at": "@SUM(1+1)*zqx",
    "tab": "\t=1+1",
    "carriage return": "\r=1+1",
    "line": "zqx\n=1+1\r\nSet-Cookie: zqx=1",
    "wide formula": "＝1+1",
    "wide plus": "＋1+1",
    "guarded": "'=1+1",
    "after comma": "zqx,=1+1;=1+1\t=1+1",
    "after quote": '"=1+1","zqx',
    "nul": "zqx\x00zqx",
    "controls": "zqx\x01\x08\x0b\x1b[2J\x7f\x85",
    "surrogate": "zqx\ud800zqx",
    "pair the wrong way": "\udc00\ud800",
    "bidi": "zqx\u202efdp.exe\u2066\u2069",
    "no width": "z\u200bq\u200dx\ufeff\u2060",
    "line separators": "zqx\u2028zqx\u2029",
    "not a character": "zqx\ufffe\uffff\U0010ffff",
    "combining": "z" + "\u0301" * 200,
    "quotes": "\"zqx\"'zqx'`zqx`[zqx]",
    "keyword": "select",
    "many bytes": "é" * 40,
    "many characters": "a" * 64,
    "sql": "zqx'; DROP TABLE stg_customer; --",
    "sql of names": 'zqx"; DROP TABLE stg_customer; --',
    "always true": "' OR '1'='1",
    "union": "1 UNION SELECT password FROM auth_user",
    "like": "%_\\%",
    "dollar quote": "$$; SELECT pg_sleep(1); $zqx$",
    "path": "../../../../etc/passwd",
    "path of windows": "..\\..\\con.txt",
    "coded path": "%2e%2e%2f%00.csv",
    "long": "zqx " * 30_000,
    "long word": "z" * 5_000,
    "number": "9" * 400,
    "exponent": "1e400",
    "not a number": "NaN",
    "endless": "-Infinity",
    "wide digits": "١٢٣",
    "early day": "0000-00-00",
    "late day": "99999-12-31T24:00:00+99:99",
    "json": '{"__proto__": {"zqx": 1}, "a": [null]}',
    "deep json": "[" * 3_000 + "]" * 3_000,
    "double keys": '{"a": 1, "a": 2}',
    "yaml": "!!python/object/apply:os.system ['zqx']",
    "xml": '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY z SYSTEM "file:///etc/passwd">]><a>&z;</a>',
    "pattern": "(a+)+$",
    "ldap": "*)(uid=*))(|(uid=*",
    "shell": "$(touch zqx) `touch zqx` | touch zqx",
    "blank": " \u3000\u00a0",
    "empty": "",
}

TEXTS = list(PAYLOADS.values())


def few(one_in: int = 12) -> list[str]:
    """Return every `one_in`-th name of a payload, all when deep; the two databases take different ones."""
    return some(list(PAYLOADS), one_in=one_in)


def sample(points: Sequence[T], *, quick: int, deep: int) -> list[T]:
    """Return one in so many of these, where all of them take hours: when deep others in each round, by its seed."""
    if not DEEP:
        return some(points, one_in=quick)
    return list(points)[random.randrange(deep) :: deep]
