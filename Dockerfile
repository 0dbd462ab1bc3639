# The application without its database and broker; compose.yaml starts all of it.
FROM python:3.11-slim

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1

RUN useradd --system --uid 10001 --no-create-home scheduler \
    && install -d -o scheduler -m 700 /uploads
WORKDIR /app

# The list alone first, so that a change of our code does not install everything again.
COPY requirements.txt .
RUN pip install -r requirements.txt

COPY . .
# Own code that was written on a host with a strict umask: the account below has to read it, or it finds no job in it.
RUN find . ! -perm -o=r -exec chmod a+rX {} +

# This key lives for one command and signs nothing; the real one comes from the environment at run time.
RUN SECRET_KEY=only-for-this-build-step-nothing-signed-with-it-is-kept python manage.py collectstatic --no-input --verbosity 0

USER scheduler
EXPOSE 8000
CMD ["gunicorn", "scheduler_project.wsgi", "--bind", "0.0.0.0:8000", "--workers", "2", "--threads", "4", "--worker-tmp-dir", "/dev/shm", "--no-control-socket", "--access-logfile", "-", "--logger-class", "scheduler_project.web_log.WebLog"]
