"""Admin pages of staging: entities with their rules and rows, batches."""

from staging.admin.batch import BatchAdmin
from staging.admin.entity import EntityAdmin
from staging.admin.rule import BusinessRuleAdmin

__all__ = ["BatchAdmin", "BusinessRuleAdmin", "EntityAdmin"]
