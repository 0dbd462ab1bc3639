"""The prepared database of the matrix, made once: a file to copy, or tables that are put back after each test."""

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.acceptance.auditor import watch
from tests.acceptance.crash.site import Nursery, Site
from tests.acceptance.installation import Installation, embedded, on_file, production

# Heartbeats are slow: here, silence is a matter of the instant a minute is told.
ENVIRONMENT = {
    "HEARTBEAT_SECONDS": "10",
    "ZOMBIE_TIMEOUT_MINUTES": "30",
    "DISPATCH_INTERVAL_SECONDS": "60",
    "RESEND_AFTER_SECONDS": "90",
    "MERGE_CHUNK_ROWS": "50",
}
# A script that notes its step, and fails while the step is listed as broken; a plan that nobody starts.
SCRIPT = """
version: 1
scripts:
  - name: note
    sql: "INSERT INTO mdm_audit_effect (label) VALUES
      (CASE WHEN %(label)s IN (SELECT label FROM mdm_crash_broken) THEN NULL ELSE %(label)s END)"
    parameters: {label: text}
plans:
  - name: Nightly
    steps: [{entity: region}]
"""
# Everything the project's tables held when the snapshot was taken, and no table that came since.
_RESTORE = """
DO $$ DECLARE t text; BEGIN
    SET LOCAL session_replication_role = replica;
    FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
        IF to_regclass(format('snapshot.%I', t)) IS NULL THEN EXECUTE format('DROP TABLE public.%I CASCADE', t);
        ELSIF t !~ '^(auth|django)_' THEN
            EXECUTE format('DELETE FROM public.%I', t);
            EXECUTE format('INSERT INTO public.%I OVERRIDING SYSTEM VALUE SELECT * FROM snapshot.%I', t, t);
        END IF;
    END LOOP;
END $$
"""
_SNAPSHOT = """
CREATE SCHEMA snapshot;
DO $$ DECLARE t text; BEGIN
    FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
        EXECUTE format('CREATE TABLE snapshot.%I AS TABLE public.%I', t, t);
    END LOOP;
END $$
"""
_END_SESSIONS = (
    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


class Ground:
    """Where the tests of the matrix stand: PostgreSQL, and Redis if there is one, when the suite runs on them."""

    def __init__(self, installation: Installation):
        self.installation = installation
        self._prepare()
        self.nursery = Nursery(installation)

    @contextmanager
    def site(self, folder: Path) -> Iterator[Site]:
        """Yield the prepared state for one test."""
        if self.installation.vendor == "sqlite":
            prepared = self.installation.folder / "scheduler.sqlite3"
            shutil.copy(prepared, folder / prepared.name)
            installation = on_file(folder / prepared.name, ENVIRONMENT)
        else:
            installation = self.installation
        site = Site(installation, self.nursery, folder)
        try:
            yield site
        finally:
            site.thaw_for_good()
            self._put_back()

    def _prepare(self) -> None:
        made = self.installation
        made.sql("CREATE TABLE mdm_crash_broken (label text)")
        made.sql("CREATE TABLE crash_slot (slot text)")
        script = made.folder / "script.yaml"
        script.write_text(SCRIPT)
        watch.prepare(made)
        made.manage("load_model", str(script))
        if made.vendor == "sqlite":
            made.sql("PRAGMA wal_checkpoint(TRUNCATE)")
        else:
            made.sql(_SNAPSHOT)

    def _put_back(self) -> None:
        """Leave to the next test what was prepared."""
        if self.installation.vendor == "postgresql":
            self.installation.sql(_END_SESSIONS)
            self.installation.sql(_RESTORE)
        if self.installation.environment["CELERY_BROKER_URL"]:
            self.nursery.ask(wipe=True)


@contextmanager
def ground(folder: Path) -> Iterator[Ground]:
    """Yield a prepared installation of the matrix."""
    with ExitStack() as stack:
        if os.environ.get("DATABASE_URL", "").startswith("postgres"):
            installation = stack.enter_context(production(folder, ENVIRONMENT))
        else:
            installation = stack.enter_context(embedded(folder, ENVIRONMENT))
        made = Ground(installation)
        stack.callback(made.nursery.close)
        yield made
