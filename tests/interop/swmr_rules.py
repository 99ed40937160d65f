#!/usr/bin/env python3
"""swmr_rules.py STOCK TESSERA: who may open a file together, when one process is of stock libhdf5 and the other ours.

Both are builds of swmr_rules.c. Prints what differs from the rules, and fails then."""
import os
import subprocess
import sys
import tempfile

MODES = ["reader", "swmr-reader", "writer", "swmr-writer", "started"]
WRITERS = {"writer", "swmr-writer", "started"}
SWMR_WRITERS = {"swmr-writer", "started"}


def allowed(first, second):
    if second in WRITERS:
        return False
    if first in SWMR_WRITERS:
        return second == "swmr-reader"
    return first not in WRITERS


class Process:
    def __init__(self, program, mode):
        self.p = subprocess.Popen([program, "x.h5", mode], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.opened = self.p.stdout.readline().strip() == "y"

    def end(self):
        self.p.stdin.close()
        self.p.wait()
        self.p.stdout.close()

    def die(self):
        self.p.kill()
        self.end()


def try_open(program, mode):
    p = Process(program, mode)
    p.end()
    return p.opened


def make(program):
    assert try_open(program, "make")


def flags():
    with open("x.h5", "rb") as f:
        return f.read(12)[11]


class Checks:
    failed = 0

    def equal(self, what, got, want):
        if got != want:
            self.failed += 1
            print(f"{what}: {got}, not {want}")


def pairs(checks, programs):
    for one, other in [("stock", "tessera"), ("tessera", "stock")]:
        for first in MODES:
            for second in MODES:
                make(programs["stock"])
                p = Process(programs[one], first)
                checks.equal(f"{one} {first} alone", p.opened, True)
                got = try_open(programs[other], second)
                checks.equal(f"{one} {first}, then {other} {second}", got, allowed(first, second))
                p.end()
                checks.equal(f"flags after {one} {first}", flags(), 0)


def dead_writers(checks, programs):
    """What each library makes of a file whose SWMR writer, of the other, was killed."""
    for program, opens in [("stock", ["swmr-reader"]), ("tessera", MODES)]:
        for mode in MODES:
            make(programs["tessera"])
            Process(programs["tessera"], "swmr-writer").die()
            checks.equal("flags of a dead writer of ours", flags(), 7)
            checks.equal(f"{program} {mode} after a dead writer of ours", try_open(programs[program], mode), mode in opens)
    for mode in MODES:
        make(programs["stock"])
        Process(programs["stock"], "swmr-writer").die()
        checks.equal("flags of a dead stock writer", flags(), 5)
        checks.equal(f"tessera {mode} after a dead stock writer", try_open(programs["tessera"], mode), mode == "swmr-reader")
    make(programs["tessera"])
    Process(programs["tessera"], "swmr-writer").die()
    subprocess.run(["h5clear", "-s", "x.h5"], check=True)
    checks.equal("flags that h5clear leaves", flags(), 0)


def main():
    programs = {"stock": os.path.abspath(sys.argv[1]), "tessera": os.path.abspath(sys.argv[2])}
    checks = Checks()
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        pairs(checks, programs)
        dead_writers(checks, programs)
        os.chdir("/")
    return 1 if checks.failed else 0


sys.exit(main())
