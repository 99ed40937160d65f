"""A pytest plugin: a line per test, as it begins and as it ends, in the file CLIENT_LOG. A process that dies leaves its last
test begun and not ended; the next one goes on behind it. CLIENT_ONLY is a file of the only tests to run."""

import os
import re
import signal

import pytest

LOG = os.environ["CLIENT_LOG"]
SECONDS_PER_TEST = 120


def write(*fields):
    with open(LOG, "a") as log:
        log.write("\t".join(fields) + "\n")


def name_of(nodeid):
    """Without the folder, and without what differs from run to run: addresses that became part of a parameter's name."""
    name = nodeid.encode("ascii", "backslashreplace").decode().replace("\t", " ").replace("\n", " ")
    name = re.sub(r"^.*?(site-packages|dist-packages|(sdist|debian)-[^/]*/[^/]*)/", "", name)
    return re.sub(r"0x[0-9a-f]+", "0x", name)


def names_in(path):
    with open(path) as file:
        return {line.rstrip("\n").split("\t")[-1] for line in file}


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    begun = names_in(LOG) if os.path.exists(LOG) else set()
    only = names_in(os.environ["CLIENT_ONLY"]) if "CLIENT_ONLY" in os.environ else None
    chosen = [item for item in items
              if name_of(item.nodeid) not in begun and (only is None or name_of(item.nodeid) in only)]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(chosen)])
    items[:] = chosen


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    write("begun", name_of(item.nodeid))
    # Not caught: a test that waits inside the library for ever must end, too.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(SECONDS_PER_TEST)
    yield
    signal.alarm(0)


def pytest_runtest_logreport(report):
    if report.outcome != "passed" or report.when == "call":
        outcome = report.outcome if report.when == "call" or report.skipped else "error"
        write(outcome, name_of(report.nodeid))


def pytest_collectreport(report):
    if report.failed:
        write("error", name_of(report.nodeid))


def pytest_sessionfinish():
    with open("/proc/self/maps") as maps:
        for path in sorted({line.split()[-1] for line in maps if "libhdf5_serial.so" in line}):
            write("library", path)
    write("end")
