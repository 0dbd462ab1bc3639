"""The addresses of staging in the API."""

from django.urls import path

from staging.api.batches import Batches, OneBatch
from staging.api.changes import BatchChanges, Changes
from staging.api.description import Description, DocsPage
from staging.api.entities import Entities, OneEntity
from staging.api.members import Members
from staging.api.rows import OneRow, RowRetry, Rows

urlpatterns = [
    path("entities", Entities.as_view()),
    path("entities/<str:code>", OneEntity.as_view()),
    path("entities/<str:code>/rows", Rows.as_view()),
    path("entities/<str:code>/rows/<int:id>", OneRow.as_view()),
    path("entities/<str:code>/rows/<int:id>/retry", RowRetry.as_view()),
    path("entities/<str:code>/members", Members.as_view()),
    path("entities/<str:code>/changes", Changes.as_view()),
    path("batches/<int:id>/changes", BatchChanges.as_view()),
    path("batches", Batches.as_view()),
    path("batches/<int:id>", OneBatch.as_view()),
    path("schema/", Description.as_view(), name="api-schema"),
    path("docs/", DocsPage.as_view(), name="api-docs"),
]
