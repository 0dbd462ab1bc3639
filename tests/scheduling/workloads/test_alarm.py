"""Promises of the alarm: each call comes once, in time, unless it was called off; a failing one stops no other."""

import os
import threading
import time

from scheduling.workloads.pulse import Alarm


def test_it_calls_each_once_and_the_earlier_first_whatever_the_order_they_were_set_in():
    alarm, called, done = Alarm(), [], threading.Event()
    alarm.set("late", 0.2, lambda: (called.append("late"), done.set()))
    alarm.set("fails", 0.05, lambda: 1 / 0)
    alarm.set("soon", 0.1, lambda: called.append("soon"))
    assert done.wait(5)
    time.sleep(0.1)
    assert called == ["soon", "late"]


def test_what_is_called_off_is_never_called():
    alarm, called, done = Alarm(), [], threading.Event()
    alarm.set("off", 0.05, lambda: called.append("off"))
    alarm.call_off("off")
    alarm.set("on", 0.1, done.set)
    assert done.wait(5) and called == []


def test_calling_off_waits_for_a_call_that_has_begun():
    alarm, began, order = Alarm(), threading.Event(), []

    def call():
        began.set()
        time.sleep(0.1)
        order.append("called")

    alarm.set("one", 0, call)
    assert began.wait(5)
    alarm.call_off("one")
    order.append("called off")
    assert order == ["called", "called off"]


def test_it_works_in_a_child_process_too():
    from scheduling.workloads.pulse import ALARM

    before = threading.Event()
    ALARM.set("parent", 0, before.set)
    assert before.wait(5)
    child = os.fork()
    if child == 0:
        done = threading.Event()
        ALARM.set("child", 0.01, done.set)
        os._exit(0 if done.wait(5) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
