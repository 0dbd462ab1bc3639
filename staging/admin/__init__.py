"""Admin pages of staging: entities and their rows, batches."""

from staging.admin.batch import BatchAdmin
from staging.admin.entity import EntityAdmin

__all__ = ["BatchAdmin", "EntityAdmin"]
