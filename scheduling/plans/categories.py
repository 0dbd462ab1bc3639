"""Categories of plans: the word that jobs have too, by which people find them, filter runs and narrow alert rules.

A job has one category, which code declares; people give a plan several. They are stored as text, with commas between.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Q, QuerySet

from scheduling.models import Job, Plan
from staging.wording import say

MOST, LONGEST = 10, 50


def categories_of(text: str) -> list[str]:
    """Return the categories that a plan's text names."""
    return [name for name in text.split(",") if name]


def category_text(names: str | Iterable[Any]) -> str:
    """Return categories as a plan stores them, from a list or a text with commas: each once, without blanks around it.

    Of two that differ in their case only the first stays.
    """
    text = names if isinstance(names, str) else ",".join(map(str, names))
    found: dict[str, str] = {}
    for name in (" ".join(each.split()) for each in text.split(",")):
        if name:
            found.setdefault(name.casefold(), name)
    return ",".join(found.values())


def category_errors(text: str) -> list[str]:
    """Return what is wrong with the categories of a plan; empty when they are fine."""
    names = categories_of(text)
    if len(names) > MOST:
        return [say("A plan has at most {most} categories.", most=MOST)]
    if long := next((name for name in names if len(name) > LONGEST), ""):
        return [say("A category has at most {most} characters: {name}.", most=LONGEST, name=long)]
    return []


def in_category(name: str) -> Q:
    """Return the condition that a plan is in a category, whatever the case it is written in."""
    some = (f"{name},", f",{name}", f",{name},")
    return (
        Q(categories__iexact=name)
        | Q(categories__istartswith=some[0])
        | Q(categories__iendswith=some[1])
        | Q(categories__icontains=some[2])
    )


def in_one_of(names: Iterable[str]) -> Q:
    """Return the condition that a plan is in one of these categories; no plan is in none."""
    wanted = Q(pk__in=[])
    for name in names:
        wanted |= in_category(name)
    return wanted


def known_categories(plans: QuerySet[Plan], jobs: QuerySet[Job] | None = None) -> list[str]:
    """Return the categories that these plans and jobs have, by name."""
    texts = plans.exclude(categories="").order_by().values_list("categories", flat=True).distinct()
    of_jobs = () if jobs is None else jobs.order_by().values_list("category", flat=True).distinct()
    return sorted({*of_jobs, *(name for text in texts for name in categories_of(text))}, key=str.casefold)
