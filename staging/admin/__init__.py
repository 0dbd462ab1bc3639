"""Admin pages of staging: entities with their rules and rows, batches."""

from staging.admin.batches import BatchAdmin
from staging.admin.entities.admin import EntityAdmin
from staging.admin.rules import BusinessRuleAdmin

__all__ = ["BatchAdmin", "BusinessRuleAdmin", "EntityAdmin"]
