"""How tests declare jobs without a module: from decorators, as a module's import would."""

import inspect
from functools import wraps

from scheduling.jobs import declared
from scheduling.jobs.declare import job
from scheduling.jobs.declared import collecting, draft_of
from scheduling.jobs.discover import Found, finished
from scheduling.jobs.reconcile import reconcile
from scheduling.models import Job

MODULE = "shop.jobs"


def forget():
    """Forget what tests declared, as a process does in which the module was never imported."""
    for path in [path for path in declared._drafts if path.startswith(f"{MODULE}.")]:
        del declared._drafts[path]


def function(name="work", body=None):
    """Return a new function that takes what the body takes; `path` is that of its name, as if in shop/jobs.py."""
    body = body or (lambda context: None)

    if inspect.iscoroutinefunction(body):

        @wraps(body)
        async def work(context, **arguments):
            return await body(context, **arguments)
    else:

        @wraps(body)
        def work(context, **arguments):
            return body(context, **arguments)

    work.__name__ = work.__qualname__ = name
    work.__module__ = MODULE
    return work


def declare(*decorators, name="work", body=None):
    """Return the draft of a function with these decorators, top to bottom."""
    found = function(name, body)
    with collecting():
        for decorator in reversed(decorators):
            found = decorator(found)
        return draft_of(found)


def found(*drafts, broken=()):
    """Return what discovery would make of these drafts."""
    jobs, undeclarable = finished(drafts)
    return Found(tuple(jobs), (*broken, *undeclarable))


class Shop:
    """Declares and stores jobs as if they stood in shop/jobs.py, importable for workers."""

    def __init__(self, now):
        self.now = now
        self.drafts = {}

    def __call__(self, name="Report", *decorators, body=None, **settings):
        """Declare a job with these decorators and store it; return its row."""
        path = name.lower().replace(" ", "_")
        self.drafts[path] = declare(job(name, **settings), *decorators, name=path, body=body)
        self.reconcile()
        return Job.objects.get(name=name)

    def function(self, name="Report"):
        """Return the function of a job that was declared here, as code would import it."""
        return self.drafts[name.lower().replace(" ", "_")].function

    def reconcile(self, now=None):
        """Reconcile everything that is declared here."""
        return reconcile(found(*self.drafts.values()), now or self.now)
