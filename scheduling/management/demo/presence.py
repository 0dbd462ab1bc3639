"""Tells whether the demo lives in this database, so that nothing of it touches an installation of one's own."""

from staging.models import Entity

DEMO_ENTITIES = ("currency", "region", "branch", "product", "customer", "price_list")
_MARK = "Demo: "


def demo_is_loaded() -> bool:
    """Return whether all entities of the demo are here and are the demo's, not somebody's of the same name."""
    found = Entity.objects.filter(code__in=DEMO_ENTITIES, description__startswith=_MARK, is_cancelled=False)
    return found.count() == len(DEMO_ENTITIES)


def database_is_empty() -> bool:
    """Return whether no entity was ever defined here."""
    return not Entity.objects.exists()
