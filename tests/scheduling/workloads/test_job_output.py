"""What is kept of a job's lines."""

import logging
import threading

from scheduling.workloads.job_output import FIRST, LAST, JobLogger, captured


def log(handler, *messages, args=()):
    for message in messages:
        handler.handle(logging.makeLogRecord({"msg": message, "args": args, "levelno": 20, "levelname": "INFO"}))


def test_up_to_the_bounds_every_line_is_kept_and_beyond_the_middle_goes():
    with captured() as handler:
        for number in range(FIRST + LAST):
            log(handler, f"line {number}")
        assert handler.dropped == 0 and "left out" not in handler.text()
        log(handler, "one more")
        assert handler.dropped == 1 and "… 1 lines left out …" in handler.text()


def test_a_line_that_cannot_be_formatted_does_not_break_the_job():
    with captured() as handler:
        log(handler, "broken %d", args=("x",))
        assert "could not be formatted" in handler.text()


def test_outside_nothing_is_captured():
    with captured() as handler:
        pass
    log(handler, "late")
    assert handler.text() == ""


def test_the_job_s_own_logger_is_kept_once_from_any_thread_whatever_the_worker_shows(caplog):
    with captured() as handler:
        logger = JobLogger("Report", handler)
        thread = threading.Thread(target=lambda: logger.info("from a thread"))
        thread.start()
        thread.join()
        with caplog.at_level(logging.WARNING):
            logger.info("quiet")
            logger.warning("loud")
        logger.debug("never kept")
    lines = [line.split(" ", 2)[2] for line in handler.text().split("\n")]
    assert lines == ["INFO from a thread", "INFO quiet", "WARNING loud"]
    assert "quiet" not in caplog.text and "loud" in caplog.text


def test_other_loggers_of_the_thread_are_kept_once():
    with captured() as handler:
        logging.getLogger("shop").warning("once")
    assert handler.text().count("once") == 1
