"""Promises of the cycle lock: one holder, and a holder that dies frees it at once."""

import os
import subprocess
import sys
import threading
import time

import pytest
from django.db import connection, connections

from scheduling.dispatch.cycle import cycle_lock

pytestmark = pytest.mark.django_db(transaction=True)

HOLD = """
import django, sys, time
django.setup()
from django.db import connection
connection.settings_dict["NAME"] = sys.argv[1]
from scheduling.dispatch.cycle import cycle_lock
with cycle_lock() as held:
    print(held, flush=True)
    time.sleep(60)
"""


def test_a_second_thread_is_refused():
    answers = []

    def ask():
        with cycle_lock() as held:
            answers.append(held)

    with cycle_lock() as held:
        assert held
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
    assert answers == [False]


def test_another_process_is_refused_until_the_holder_is_killed():
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(connection.settings_dict["NAME"])],
        stdout=subprocess.PIPE,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"},
    )
    try:
        assert holder.stdout.readline() == b"True\n"
        with cycle_lock() as held:
            assert not held
    finally:
        holder.kill()
        holder.communicate()
    for _ in range(100):
        with cycle_lock() as held:
            if held:
                return
        time.sleep(0.05)
    pytest.fail("the lock of a killed process was not freed")


def test_the_next_cycle_may_run_before_the_server_has_noticed_that_a_connection_closed(monkeypatch):
    still_open = []
    monkeypatch.setattr(type(connections["default"]), "close", lambda self: still_open.append(self))
    with pytest.raises(RuntimeError, match="a failed cycle"), cycle_lock() as held:
        assert held
        raise RuntimeError("a failed cycle")
    with cycle_lock() as held:
        assert held
    monkeypatch.undo()
    for one in still_open:
        one.close()
