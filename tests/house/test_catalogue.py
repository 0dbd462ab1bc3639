"""The Dutch catalogue is complete: it has every template, nothing else, and what programs read is what people wrote."""

import gettext
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import django
from django.apps import apps
from django.db.models import Model

from scheduling.subjects.names import NAMES
from tests.catalogue import PO, Entry, entries, wanted


def _places(text: str) -> Counter[str]:
    """Return the values that a template takes, with their forms."""
    if "%(" in text and "{" not in text:
        return Counter(set(re.findall(r"%\(\w+\)[sd]", text)))
    try:
        parts = [*Formatter().parse(text)]
    except ValueError:  # braces that are only text
        return Counter()
    return Counter({f"{name}:{form}!{conversion}" for _, name, form, conversion in parts if name})


def test_the_catalogue_has_every_template_and_no_other():
    known, asked = {entry.one for entry in entries()}, wanted()
    assert not asked - known, f"Run manage.py makemessages -l nl, and translate: {sorted(asked - known)[:20]}"
    assert not known - asked, f"Nothing says these any more; run makemessages: {sorted(known - asked)[:20]}"


def test_the_names_that_django_makes_of_models_and_fields_are_marked():
    models = (model for app in ("staging", "scheduling") for model in apps.get_app_config(app).get_models())
    made = {name for model in models for name in _made(model)}
    assert made == set(NAMES), sorted(made ^ set(NAMES))


def _made(model: type[Model]) -> Iterator[str]:
    """Yield the names of a model and its fields that Django made, as they were before they were translated."""
    meta = model._meta
    if "verbose_name_plural" not in meta.original_attrs:
        yield str(meta.verbose_name_raw) + "s"
    if "verbose_name" not in meta.original_attrs:
        yield str(meta.verbose_name_raw)
    for field in (*meta.local_fields, *meta.local_many_to_many):
        if field._verbose_name is None and not field.auto_created:
            yield field.name.replace("_", " ")


def test_everything_is_translated():
    missing = [entry.one for entry in entries() if not all(entry.said)]
    assert not missing, f"{len(missing)} without Dutch: {missing[:20]}"


def test_what_django_has_no_dutch_for_is_in_ours():
    """Its catalogues of English name all that its pages and forms say."""
    ours, root = {entry.one for entry in entries()}, Path(django.__file__).parent
    lacked = set[str]()
    for part in ("conf", "contrib/admin", "contrib/auth"):
        with (root / part / "locale/nl/LC_MESSAGES/django.mo").open("rb") as file:
            known = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
        dutch = {(key if isinstance(key, str) else key[0]).split("\x04")[-1] for key in known}  # without the context
        english = entries(root / part / "locale/en/LC_MESSAGES/django.po")
        lacked |= {each.one for each in english if each.one not in dutch}
    assert not lacked - ours, f"Mark them in scheduler_project/formats/words.py: {sorted(lacked - ours)}"


def test_a_translation_takes_the_values_of_its_template():
    wrong = [entry.one for entry in entries() for said, template in _pairs(entry) if _places(said) != _places(template)]
    assert not wrong, wrong


def test_a_translation_breaks_no_attribute_of_a_page_and_keeps_the_edges():
    """A straight quotation mark would end the attribute; what is put together with others counts on its blanks."""
    for entry in entries():
        for said, template in _pairs(entry):
            assert '"' not in said or '"' in template, entry.one
            assert said == "" or (said[0].isspace(), said[-1].isspace()) == (
                template[0].isspace(), template[-1].isspace(),
            ), entry.one  # fmt: skip


def test_what_programs_read_is_what_is_written():
    """The compiled file beside the catalogue is made by `manage.py compilemessages`."""
    with PO.with_suffix(".mo").open("rb") as file:
        compiled = {key: text for key, text in gettext.GNUTranslations(file)._catalog.items() if key}
    written: dict[str | tuple[str, int], str] = {}
    for entry in entries():
        if all(entry.said):
            keys = [(entry.one, at) for at in range(len(entry.said))] if entry.many else [entry.one]
            written.update(zip(keys, entry.said, strict=True))
    assert compiled == written


def _pairs(entry: Entry) -> list[tuple[str, str]]:
    templates = [entry.one, entry.many] if entry.many else [entry.one]
    return [pair for pair in zip(entry.said, templates, strict=True) if pair[0]]


def test_everybody_is_addressed_the_same_way():
    """Dutch has two words for "you": ours is "je". "2 u" is two hours."""
    formal = re.compile(r"(?<!\} )\bu\b(?!\()|\b(uw|uzelf)\b", re.IGNORECASE)
    assert [said for entry in entries() for said in entry.said if formal.search(said)] == []
