"""`run_job`: start a declared job now, outside its schedules."""

from argparse import ArgumentParser
from typing import Any

from django.utils.translation import gettext_noop

from scheduling.jobs.options import asked_for
from scheduling.management import base
from scheduling.models import Job
from scheduling.runs.by_hand import run_document, start_job_now
from scheduling.runs.execute import work_off_run
from scheduling.states import RunStatus
from staging.wording import say


class Command(base.Command):
    """Queue a run of one job, or run it here and wait."""

    help = gettext_noop("Start a job now, outside its schedules. Exit code 1: it failed; 3: it is already running.")

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the job and where to run."""
        parser.add_argument("name", metavar="NAME", help=say("The job's name, or the dotted path of its function."))
        parser.add_argument(
            "--arguments", metavar="JSON", default="{}", help=say("What the job is given, as a JSON object.")
        )
        where = parser.add_mutually_exclusive_group()
        where.add_argument("--inline", action="store_true", help=say("Run in this process and wait for the end."))
        where.add_argument(
            "--enqueue",
            metavar="JSON",
            nargs="?",
            const="{}",
            help=say("Enqueue it, as code does: beside other runs of it; JSON says when and where."),
        )

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Start the run; with --inline also work it off."""
        time = self.time_source(**options)
        arguments = base.json_object("--arguments", options["arguments"], '{"region": "EU"}')
        job, enqueued = _find(options["name"]), options["enqueue"]
        how = None if enqueued is None else asked_for(base.json_object("--enqueue", enqueued, '{"key": "EU"}'))
        run = start_job_now(job, arguments, started_by="command", options=how, now=time())
        failed = options["inline"] and work_off_run(run, time=time) != RunStatus.COMPLETED
        return run_document(run), base.EXIT_FAILED if failed else 0

    def text(self, document: dict[str, Any]) -> str:
        """Return the run and what became of the job."""
        task = document["tasks"][0]
        return f"{base.run_line(document)}  {task['message']}".rstrip()


def _find(name: str) -> Job:
    """Return the job of this name or path; exit code 2 with the likely name when there is none."""
    by_path = Job.objects.filter(path=name).first()
    if by_path is not None:
        return by_path
    if not Job.objects.exists():
        raise base.refused(
            say("There is no job named {name!r}. `sync_jobs` takes in what the code declares.", name=name)
        )
    return base.find_named(Job.objects.all(), name, gettext_noop("job named"))
