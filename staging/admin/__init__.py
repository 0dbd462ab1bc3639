"""Admin pages of staging: entities with their rules and rows, tokens of the API, the audit, all changes."""

from staging.admin.audit import AuditAdmin
from staging.admin.changes import ChangesAdmin
from staging.admin.entities.admin import EntityAdmin
from staging.admin.rules import BusinessRuleAdmin
from staging.admin.tokens import ApiTokenAdmin

__all__ = ["ApiTokenAdmin", "AuditAdmin", "BusinessRuleAdmin", "ChangesAdmin", "EntityAdmin"]
