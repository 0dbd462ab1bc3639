"""Promises of hearing: a stop is heard whatever the main thread does and whichever thread gets the signal, and once."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

import pytest

from scheduling.workloads.hearing import Ear, hearing
from tests.house.source import ROOT

START = """
import os, signal, sys, threading
from scheduling.workloads.hearing import hearing
"""
WAITING_FOR_A_LOCK = """
def start_threads():
    while True:
        thread = threading.Thread(target=lambda: None)
        thread.start()
        thread.join()

for _ in range(2):
    threading.Thread(target=start_threads, daemon=True).start()
for _ in range(12):
    told = threading.Event()
    with hearing((signal.SIGTERM,), told.set):
        print("waits", flush=True)
        told.wait()  # without an end: Python looks for signals only when it is woken up
"""
HOLDING_THE_LOCK = """
told = threading.Event()
with hearing((signal.SIGTERM,), told.set):
    with told._cond:  # as a main thread holds it that is about to wait
        os.kill(os.getpid(), signal.SIGTERM)
    told.wait()
"""
MANY_AT_ONCE = """
told = threading.Event()
with hearing((signal.SIGTERM, signal.SIGINT), told.set):
    for number in (signal.SIGTERM, signal.SIGINT) * 500:
        os.kill(os.getpid(), number)
    told.wait()
"""


def test_a_stop_is_heard_whichever_thread_the_system_gives_it_to():
    """A third of all stops was never heard, while other threads were starting threads."""
    command = [sys.executable, "-c", START + WAITING_FOR_A_LOCK]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as waiting:
        timer = threading.Timer(30, waiting.kill)
        timer.start()
        for _ in waiting.stdout:
            time.sleep(0.02)  # by then it waits
            os.kill(waiting.pid, signal.SIGTERM)
        timer.cancel()
    assert waiting.returncode == 0


@pytest.mark.parametrize("body", [HOLDING_THE_LOCK, MANY_AT_ONCE])
def test_a_stop_is_heard_whatever_the_main_thread_is_at(body):
    done = subprocess.run(
        [sys.executable, "-c", f"{START}{body}print('ended')"], cwd=ROOT, capture_output=True, text=True, timeout=30
    )
    assert (done.returncode, done.stdout) == (0, "ended\n"), done.stderr


def test_what_was_told_before_the_end_is_heard_and_handlers_are_put_back():
    before, heard = signal.getsignal(signal.SIGTERM), []
    with hearing((signal.SIGTERM,), lambda: heard.append("stop")):
        os.kill(os.getpid(), signal.SIGTERM)
    assert heard and signal.getsignal(signal.SIGTERM) is before
    assert signal.set_wakeup_fd(-1) == -1


def test_an_answer_that_fails_is_logged_and_the_next_signal_is_heard(caplog):
    heard = []
    ear = Ear(lambda number: heard.append(number) if heard or number == 2 else 1 / 0)
    ear.tell(1)
    ear.tell(2)
    ear.close()
    assert heard == [2] and "signal 1 could not be answered" in caplog.text


def test_telling_never_waits_also_when_nobody_listens_yet():
    go_on, heard = threading.Event(), []
    ear = Ear(lambda number: (go_on.wait(10), heard.append(number)))
    for _ in range(100_000):  # a pipe holds 65,536
        ear.tell(signal.SIGTERM)
    go_on.set()
    ear.close()
    assert len(heard) > 1000


def test_a_signal_to_a_forked_child_ends_the_child_and_is_not_heard_by_its_parent():
    heard = []
    with hearing((signal.SIGTERM,), lambda: heard.append("stop")):
        child = os.fork()
        if child == 0:
            with suppress(BaseException):
                signal.alarm(10)
                signal.pause()
            os._exit(0)
        os.kill(child, signal.SIGTERM)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGTERM
    assert heard == []


def test_a_child_that_leaves_the_block_keeps_its_parents_ear_open():
    heard = []
    with hearing((signal.SIGTERM,), lambda: heard.append("stop")):
        child = os.fork()
        if child == 0:
            with suppress(BaseException), hearing((signal.SIGINT,), lambda: None):
                pass
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        os.kill(os.getpid(), signal.SIGTERM)
    assert heard
