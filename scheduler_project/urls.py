"""URLs of the project: the admin for people, the API for machines."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path, re_path
from django.views.generic import RedirectView

from scheduler_project.metrics import metrics
from scheduler_project.sign_in import sign_in
from scheduling.api import urls as scheduling_api
from staging.api import urls as staging_api
from staging.api.kit.resource import Nowhere

admin.autodiscover()  # here, not with the apps: commands and workers show no page, and begin a third sooner without

handler400 = "scheduler_project.failures.bad_request"
handler403 = "scheduler_project.failures.forbidden"
handler404 = "scheduler_project.failures.not_found"
handler500 = "scheduler_project.failures.server_error"

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="admin:index"), name="home"),
    path("admin/login/", sign_in),  # before the admin's own
    path("admin/", admin.site.urls),
    path("metrics", metrics, name="metrics"),
    path("api/v1/", include([*staging_api.urlpatterns, *scheduling_api.urlpatterns])),
    re_path(r"^api(/|$)", Nowhere.as_view()),
]
if settings.OIDC_ISSUER:
    from scheduler_project import single_sign_on  # needs the tables of its package

    single_sign_on.hide_tables(admin.site)
    urlpatterns += [
        path("sign-in/cancelled/", single_sign_on.cancelled, name="socialaccount_login_cancelled"),
        path("sign-in/<slug:provider_id>/login/", single_sign_on.begin, name="openid_connect_login"),
        path("sign-in/<slug:provider_id>/login/callback/", single_sign_on.end, name="openid_connect_callback"),
    ]
