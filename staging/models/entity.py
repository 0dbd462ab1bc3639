"""What users define at run time: entities and their attributes."""

from __future__ import annotations

from typing import ClassVar, Self

from django.core.validators import MinValueValidator, RegexValidator
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from staging.identifiers import CODE_PATTERN
from staging.models.owned import Owned, one_owner
from staging.states import DataType, DuplicatePolicy, ImportAction, MergeMode, OnError, ReviewPolicy

CODE_VALIDATOR = RegexValidator(
    CODE_PATTERN, _("Use lower-case letters, digits and underscores; start with a letter; at most 40 characters.")
)


def _is_a_share(field: str, name: str) -> models.CheckConstraint:
    """Return the law that a field is empty or between 0 and 1."""
    within = models.Q(**{f"{field}__gte": 0, f"{field}__lte": 1})
    return models.CheckConstraint(condition=models.Q(**{f"{field}__isnull": True}) | within, name=name)


class EntityQuerySet(models.QuerySet["Entity"]):
    """Reads that rooms share."""

    def with_attributes(self) -> Self:
        """Read the attributes along, with what they refer to: `known_attributes` asks no more then."""
        return self.prefetch_related(models.Prefetch("attributes", Attribute.objects.select_related("reference")))


class Entity(Owned):
    """A kind of master data; its rows live in `stg_<code>` and `mdm_<code>`."""

    code = models.CharField(max_length=40, unique=True, validators=[CODE_VALIDATOR])
    name = models.CharField(max_length=100)
    description = models.TextField(blank=True)
    default_import_action = models.PositiveSmallIntegerField(choices=ImportAction, default=ImportAction.UPSERT)
    default_merge_mode = models.CharField(max_length=20, choices=MergeMode, default=MergeMode.KEEP_WHEN_BLANK)
    duplicates = models.CharField(max_length=20, choices=DuplicatePolicy, default=DuplicatePolicy.REJECT_ALL)
    review = models.CharField(max_length=10, choices=ReviewPolicy, default=ReviewPolicy.AUTO)
    two_person_rule = models.BooleanField(
        default=False, help_text=_("Whoever started a held batch may not approve it.")
    )
    max_error_rate = models.FloatField(
        null=True, blank=True, help_text=_("Hold a batch that would reject a larger share of its rows: 0.2 is 20 %.")
    )
    max_change_rate = models.FloatField(
        null=True, blank=True, help_text=_("Hold a batch that would change a larger share of the active members.")
    )
    max_removal_rate = models.FloatField(
        null=True,
        blank=True,
        help_text=_("Hold a batch that would deactivate or delete a larger share of the active members."),
    )
    # The database has the default, too: processes of the version before store entities beside us during an upgrade.
    language = models.CharField(
        max_length=10, default="en", db_default="en", help_text=_("Of what batches write into its staged rows.")
    )
    sentinel_text = models.CharField(max_length=100, default="~NULL~")
    sentinel_number = models.CharField(max_length=40, default="-98765432101234567890")
    sentinel_datetime = models.CharField(max_length=40, default="5555-11-22T12:34:56")
    processed_retention_days = models.PositiveIntegerField(null=True, blank=True, validators=[MinValueValidator(1)])
    keep_history = models.BooleanField(default=False)
    is_cancelled = models.BooleanField(_("retired"), default=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = EntityQuerySet.as_manager()

    PER_ENTITY: ClassVar = {"add_entity": False}  # a new one is none of those that somebody is limited to

    class Meta:
        verbose_name_plural = _("entities")
        ordering = ["code"]
        permissions = [
            ("view_rows", "Can view staged and production rows"),
            ("mend_rows", "Can edit and retry rejected rows"),
            ("upload_rows", "Can upload files into staging"),
        ]
        constraints = [
            one_owner("entity_has_one_owner"),
            _is_a_share("max_error_rate", "entity_error_rate_is_a_share"),
            _is_a_share("max_change_rate", "entity_change_rate_is_a_share"),
            _is_a_share("max_removal_rate", "entity_removal_rate_is_a_share"),
        ]

    def __str__(self) -> str:
        return self.name

    def take_along(self, attributes: models.QuerySet[Attribute]) -> None:
        """Let these, which were read with what they refer to, be all of its attributes."""
        self._prefetched_objects_cache = {"attributes": attributes}

    @property
    def known_attributes(self) -> list[Attribute]:
        """Return all attributes with what they refer to, in their order; one statement, unless they were read along."""
        are_along = "attributes" in getattr(self, "_prefetched_objects_cache", ())
        return list(self.attributes.all() if are_along else self.attributes.select_related("reference"))


class Attribute(models.Model):
    """One column of an entity: text in staging, typed in production."""

    entity = models.ForeignKey("staging.Entity", on_delete=models.CASCADE, related_name="attributes")
    name = models.CharField(max_length=40, validators=[CODE_VALIDATOR], help_text=_("Column name in both tables."))
    data_type = models.CharField(max_length=20, choices=DataType, default=DataType.TEXT)
    reference = models.ForeignKey(
        "staging.Entity", on_delete=models.PROTECT, null=True, blank=True, related_name="referenced_by"
    )
    required = models.BooleanField(default=False)
    unique = models.BooleanField(default=False)
    min_length = models.PositiveIntegerField(null=True, blank=True)
    max_length = models.PositiveIntegerField(null=True, blank=True)
    min_value = models.CharField(max_length=40, blank=True, help_text=_("Lowest number or date allowed."))
    max_value = models.CharField(max_length=40, blank=True, help_text=_("Highest number or date allowed."))
    pattern = models.CharField(max_length=500, blank=True, help_text=_("Regular expression the value must match."))
    choices = models.JSONField(default=list, blank=True, help_text=_("List of the allowed values."))
    merge_mode = models.CharField(
        max_length=20, choices=MergeMode, blank=True, help_text=_("Empty: the entity's mode.")
    )
    on_error = models.CharField(max_length=20, choices=OnError, default=OnError.REJECT_ROW)
    position = models.PositiveIntegerField(default=0)
    is_cancelled = models.BooleanField(_("retired"), default=False)

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["entity", "name"], name="attribute_name_once_per_entity"),
            models.CheckConstraint(
                condition=(models.Q(data_type=DataType.REFERENCE) & models.Q(reference__isnull=False))
                | (~models.Q(data_type=DataType.REFERENCE) & models.Q(reference__isnull=True)),
                name="attribute_reference_has_a_target",
            ),
        ]

    def __str__(self) -> str:
        return self.name
