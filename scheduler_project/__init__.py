"""The project: settings, Celery application, URLs and WSGI entry."""
