"""Entities and their attributes in the admin: define, alter, look at the figures, go to the rows."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.options import IS_POPUP_VAR
from django.contrib.admin.views.main import ChangeList
from django.db import IntegrityError, OperationalError, transaction
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.forms import Field, ModelForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from staging.admin.access import SEE
from staging.admin.entities.attributes import attribute_view, attributes_view
from staging.admin.entities.contract import contract_view
from staging.admin.entities.deletion import Preview, delete_entities, deletion_preview
from staging.admin.entities.forms import BESIDE, AttributeForm, AttributeFormSet, EntityForm
from staging.admin.entities.next_step import next_view
from staging.admin.entities.propose import propose_view
from staging.admin.members import member_view, members_export_view, members_view
from staging.admin.rows.export import export_view
from staging.admin.rows.list import rows_view
from staging.admin.rows.mend import edit_view, retry_view
from staging.admin.rows.replace import replace_view
from staging.admin.rows.upload import check_view, upload_view
from staging.entities.save import sync
from staging.errors import StagingError
from staging.models import OWNER_COLUMNS, Attribute, Batch, Entity
from staging.owner_pages import MineFilter, OwnerFields
from staging.pages import PagesAdmin, PartsInline, told
from staging.rights import covers, reach
from staging.states import BatchStatus
from staging.tables.columns import pending_statistics, table_problems
from staging.version_pages import Versioned
from staging.wording import say


class EntityChangeList(ChangeList):
    """Adds to each entity of the page how many of its rows wait and how many were rejected."""

    def get_results(self, request: HttpRequest) -> None:
        """Fetch the page, then the figures of the whole page at once: never a statement per entity."""
        super().get_results(request)
        self.result_list = list(self.result_list)
        found = pending_statistics(self.result_list, with_rejected=True)
        rows = reach(request.user, SEE)
        configurations = reach(request.user, "scheduling.view_schedulerconfiguration")
        for entity in self.result_list:
            entity.pending_rows = found[entity.pk]
            entity.rejected_rows = None if found[entity.pk].error else found[entity.pk].rejected
            entity.may_see_rows = covers(rows, entity)
            entity.may_see_configuration = covers(configurations, entity)


_SAVED_MEANWHILE = gettext_noop(
    "Somebody else saved this entity at the same moment. Nothing was changed; please try again."
)
_TABLES_BUSY = gettext_noop(
    "The tables are busy (a batch or another program holds them), so nothing was changed. Please try again in a moment."
)


class RetiredFilter(admin.BooleanFieldListFilter):
    """Entities that are retired, or in use."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.title = _("retired")


class AttributeInline(PartsInline, admin.TabularInline):
    """The attributes of an entity; whoever may change the entity may change them."""

    model = Attribute
    fk_name = "entity"
    form = AttributeForm
    formset = AttributeFormSet
    template = "admin/staging/entity/attributes.html"
    extra = 1
    fields = ("name", "data_type", "reference", "required", "unique", "is_cancelled", *BESIDE)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Attribute]:
        """Bring what they refer to in the same statement."""
        return super().get_queryset(request).select_related("reference")

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Field | None:
        """Offer no pop-up to add or change the entity an attribute refers to."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field and db_field.name == "reference":
            for link in ("add", "change", "delete", "view"):
                setattr(field.widget, f"can_{link}_related", False)
        return field


@admin.register(Entity)
class EntityAdmin(OwnerFields, Versioned, PagesAdmin):
    """The door to `staging.entities` and, below each entity, to its rows."""

    form = EntityForm
    inlines = [AttributeInline]
    list_title = _("Entities")
    list_display = ["code", "name", "pending", "rejected", "attribute_count", "links"]
    list_filter = [MineFilter, ("is_cancelled", RetiredFilter)]
    search_fields = ["code", "name", "description"]
    list_per_page = 50
    pages = (
        ("<int:entity_id>/attributes/", attributes_view, "staging_attributes"),
        ("<int:entity_id>/attributes/propose/", propose_view, "staging_attributes_propose"),
        ("<int:entity_id>/next/", next_view, "staging_entity_next"),
        ("<int:entity_id>/attributes/<int:attribute_id>/", attribute_view, "staging_attribute"),
        ("<int:entity_id>/contract/", contract_view, "staging_contract"),
        ("<int:entity_id>/rows/", rows_view, "staging_rows"),
        ("<int:entity_id>/rows/retry/", retry_view, "staging_rows_retry"),
        ("<int:entity_id>/rows/replace/", replace_view, "staging_rows_replace"),
        ("<int:entity_id>/rows/export/", export_view, "staging_rows_export"),
        ("<int:entity_id>/rows/upload/", upload_view, "staging_rows_upload"),
        ("<int:entity_id>/rows/upload/check/", check_view, "staging_rows_upload_check"),
        ("<int:entity_id>/rows/<int:row_id>/", edit_view, "staging_row_edit"),
        ("<int:entity_id>/members/", members_view, "staging_members"),
        ("<int:entity_id>/members/export/", members_export_view, "staging_members_export"),
        ("<int:entity_id>/members/<int:member_id>/", member_view, "staging_member"),
    )
    change_form_template = "admin/staging/entity/change_form.html"
    delete_confirmation_template = "admin/staging/entity/delete_confirmation.html"
    delete_selected_confirmation_template = "admin/staging/entity/delete_selected_confirmation.html"
    fieldsets = [
        (None, {"fields": ["code", "name", "description", OWNER_COLUMNS]}),
        (
            _("Merging"),
            {"fields": ["default_import_action", "default_merge_mode", "duplicates", "language"]},
        ),
        (
            _("Review and brakes"),
            {
                "classes": ["collapse"],
                "description": _("A held batch merges nothing until a steward has looked at it and approved it."),
                "fields": ["review", "two_person_rule", "max_error_rate", "max_change_rate", "max_removal_rate"],
            },
        ),
        (
            _("Values that clear a field, retention"),
            {
                "classes": ["collapse"],
                "fields": [
                    "sentinel_text",
                    "sentinel_number",
                    "sentinel_datetime",
                    "processed_retention_days",
                    "keep_history",
                    "is_cancelled",
                ],
            },
        ),
    ]

    class Media:
        css = {"all": ["staging/staging.css"]}

    # --- the list ---------------------------------------------------------------------------------------------------

    def get_queryset(self, request: HttpRequest) -> QuerySet[Entity]:
        """Count the attributes, and the batches that wait for a decision, in the same statement."""
        live = Count("attributes", filter=Q(attributes__is_cancelled=False))
        held = Batch.objects.filter(entity=OuterRef("pk"), status=BatchStatus.HELD).order_by().values("entity")
        number = Coalesce(Subquery(held.annotate(number=Count("pk")).values("number")), 0)
        return super().get_queryset(request).annotate(live_attributes=live, held_batches=number)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[EntityChangeList]:
        """Use the list that brings the figures of a whole page."""
        return EntityChangeList

    @admin.display(description=_("Attributes"), ordering="live_attributes")
    def attribute_count(self, entity: Any) -> int:
        """Attributes in use."""
        return entity.live_attributes

    @admin.display(description=_("Waiting"), empty_value="?")
    def pending(self, entity: Any) -> str:
        """Rows that wait for the next batch."""
        return render_to_string("admin/staging/entity/figure_pending.html", {"pending": entity.pending_rows})

    @admin.display(description=_("Rejected"), empty_value="?")
    def rejected(self, entity: Any) -> str:
        """Rows that a batch rejected and nobody mended yet."""
        return render_to_string(
            "admin/staging/entity/figure_rejected.html", {"entity": entity, "count": entity.rejected_rows}
        )

    @admin.display(description=_("Go to"))
    def links(self, entity: Entity) -> str:
        return render_to_string("admin/staging/entity/links.html", {"entity": entity})

    # --- the form ---------------------------------------------------------------------------------------------------

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """Keep the code as it was: two tables and every reference are named after it."""
        return ["code"] if obj else []

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        """Say what a code may be only where one is chosen."""
        if obj:
            kwargs["help_texts"] = {**EntityForm.Meta.help_texts, "code": ""}
        return super().get_form(request, obj, change, **kwargs)

    def get_formset_kwargs(self, request: HttpRequest, obj: Any, inline: Any, prefix: str) -> dict[str, Any]:
        """Hand the formset what the tables refused a moment ago, if they did."""
        kwargs = super().get_formset_kwargs(request, obj, inline, prefix)
        sees = reach(request.user, "staging.view_entity")
        return {**kwargs, "refusal": getattr(request, "refusal", ""), "seen": sees}

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Save form, attributes and tables in one transaction; a refusal undoes all of it and is shown in the form."""
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except StagingError as error:
            refusal = str(error)
        except IntegrityError:
            refusal = say(_SAVED_MEANWHILE)
        except OperationalError:
            if request.method != "POST":
                raise
            refusal = say(_TABLES_BUSY)
        request.refusal = refusal  # type: ignore[attr-defined]
        return super().changeform_view(request, object_id, form_url, extra_context)

    def save_related(self, request: HttpRequest, form: ModelForm, formsets: Any, change: bool) -> None:
        """Bring the tables in line right after the attributes, in the same transaction."""
        super().save_related(request, form, formsets, change)
        sync(form.instance)

    def response_add(self, request: HttpRequest, obj: Entity, post_url_continue: str | None = None) -> HttpResponse:
        """Lead from a new entity to what comes next, unless the person asked for another page."""
        answer = super().response_add(request, obj, post_url_continue)
        stays = {"_continue", "_addanother", "_saveasnew", IS_POPUP_VAR} & set(request.POST)
        if stays or not self.has_view_permission(request, obj):
            return answer
        return HttpResponseRedirect(reverse("admin:staging_entity_next", args=[obj.pk]))

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        """Add what is wrong with the tables, the rows that wait or were rejected, and the held batches."""
        entity = kwargs.get("obj")
        if entity:
            for each in context["inline_admin_formsets"] if request.method == "GET" else ():
                entity.take_along(each.formset.get_queryset())  # read for the form
            context["table_problems"] = table_problems(entity)
            context["rows"] = pending_statistics([entity], with_rejected=True)[entity.pk]
            context["held_batches"] = entity.held_batches
        return super().render_change_form(request, context, *args, **kwargs)

    # --- deletion ---------------------------------------------------------------------------------------------------

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Preview:
        """Say what goes and what forbids it; serves the delete page and the action on the list."""
        return deletion_preview(objs, request)

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """Delete one entity; rows that landed after the page was shown are a message, not a crash."""
        try:
            return super().delete_view(request, object_id, extra_context)
        except (StagingError, OperationalError) as error:
            return _undone(request, error, reverse("admin:staging_entity_change", args=[object_id]))

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """As `delete_view`, for the action on the list: all or none, its traces included."""
        if request.method != "POST":
            return super().changelist_view(request, extra_context)
        try:
            with transaction.atomic():
                return super().changelist_view(request, extra_context)
        except (StagingError, OperationalError) as error:
            return _undone(request, error, request.get_full_path())

    def delete_model(self, request: HttpRequest, obj: Entity) -> None:
        """Delete one entity with its empty tables."""
        delete_entities([obj])

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Entity]) -> None:
        """Delete several, all or none."""
        delete_entities(queryset)


def _undone(request: HttpRequest, error: Exception, to: str) -> HttpResponse:
    """Lead on to an address, on which it is read why nothing was deleted."""
    why = say(_TABLES_BUSY) if isinstance(error, OperationalError) else str(error)
    return told(request, why, to, messages.ERROR)
