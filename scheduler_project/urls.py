"""URLs of the project: the admin is the application."""

from django.contrib import admin
from django.urls import path
from django.views.generic import RedirectView

handler500 = "scheduler_project.failures.server_error"

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="admin:index"), name="home"),
    path("admin/", admin.site.urls),
]
