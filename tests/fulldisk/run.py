#!/usr/bin/python3
"""run.py STOCK TESSERA DROPIN: what happens when a file cannot be written, on stock libhdf5 and on Tessera: on a full disk, where
files may not grow, and with a driver whose calls fail. STOCK and TESSERA are fill.c built with each, DROPIN the folder of the
drop-in library for the Python clients.

- Wherever stock reports an error, or dies, Tessera reports one, at the latest when the file is closed.
- When no call failed while the file was closed, everything that was written without an error is in it.
- What was flushed is in the file, whatever came later."""

import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "dropin"))
import clients  # noqa: E402

CONTENTS = ["contiguous", "chunks", "gzip", "sparse", "strings", "attributes", "groups"]
WAYS = ["close", "dec", "weak", "weak dec", "strong", "strong dec", "semi", "semi dec", "counts", "handles", "group last",
        "attribute last", "type last", "mounted", "unmounted", "link", "library", "exit"]
ROOM = 300000


class Run:
    """One run of fill."""

    def __init__(self, program, content, way, disk, every, path):
        if os.path.exists(path):
            os.remove(path)
        self.command = [program, content, way, disk, str(every), path]
        self.content, self.path = content, path
        done = subprocess.run(self.command, capture_output=True, text=True, timeout=120)
        before, closing, after = done.stdout.partition("closing\n")
        self.text = done.stdout + done.stderr
        self.ready = "failed: begin" not in before
        self.died = done.returncode != 0
        self.failed_closing = self.died or "failed:" in after or "not all data could be written" in done.stderr
        self.reported = self.failed_closing or "failed:" in before
        self.steps = self.number("done")
        self.flushed = self.number("flushed")
        self.hits = self.number("hits")

    def number(self, name):
        found = re.search(rf"^{name}: (\d+)", self.text, re.M)
        return int(found.group(1)) if found else 0

    def has(self, checker, steps):
        return subprocess.run([checker, "check", self.content, str(steps), self.path], capture_output=True).returncode == 0


class Test:
    def __init__(self, stock, tessera, folder):
        self.stock, self.tessera, self.folder = stock, tessera, folder

    def path(self, name):
        return os.path.join(self.folder, re.sub(r"\W", "-", name) + ".h5")

    def keeps_its_word(self, ours, crash_safe=True):
        """What is wrong with a run of Tessera, whatever stock does."""
        if ours.died:
            return "died"
        if "not refused" in ours.text:
            return "a file of close degree SEMI was closed with an object open"
        if not ours.failed_closing and not ours.has(self.tessera, ours.steps):
            return f"closed without an error, and not all of {ours.steps} steps are in the file"
        if crash_safe and not ours.has(self.tessera, ours.flushed):
            return f"not all of the {ours.flushed} steps that were flushed are in the file"
        return None

    def beside_stock(self, content, way, disk, every):
        name = f"{content}, {way}, {disk}, flush every {every}"
        path = self.path(name)
        theirs = Run(self.stock, content, way, disk, every, path) if content != "sparse" else None
        ours = Run(self.tessera, content, way, disk, every, path)
        problem = self.keeps_its_word(ours)
        if not problem and (theirs is None or theirs.reported) and not ours.reported:
            problem = "no error was reported"
        os.remove(path)
        return name, problem, ours

    def failing_call(self, content, way, disk):
        """Of Tessera alone: its calls are others than stock's."""
        name = f"{content}, {way}, {disk}"
        ours = Run(self.tessera, content, way, disk, 20, self.path(name))
        # Without a journal what is in the file after a failed commit is not known.
        problem = self.keeps_its_word(ours, crash_safe=False)
        if not problem and disk.startswith("calls") and ours.hits and not ours.reported:
            problem = "no error was reported"
        os.remove(self.path(name))
        return name, problem, ours


def full_disk_cases():
    for every in (0, 10):
        for content in CONTENTS:
            yield content, "close", every
        for way in WAYS[1:]:
            yield "gzip", way, every
    for way in ("dec", "weak", "strong", "exit"):
        yield "groups", way, 0


def driver_cases():
    for content in CONTENTS:
        for n in (1, 2, 4, 9, 30):
            yield content, "close", f"calls:{n}"
            yield content, "close", f"call:{n}"
    for way in WAYS:
        yield "chunks", way, "calls:1"
        yield "chunks", way, "calls:4"


def python_cases(script, dropin, folder, limit):
    """[(case, problem)] of a client; nothing when it is not installed."""
    outcomes = []
    for library in (None, dropin):
        done = clients.run(["/usr/bin/python3", "-B", os.path.join(HERE, script), folder, str(limit)], library, timeout=300)
        if done.returncode != 0:
            return [(script, done.stderr[-500:])]
        outcomes.append(dict(line.split(": ", 1) for line in done.stdout.splitlines()))
    stock, ours = outcomes
    found = []
    for case, outcome in ours.items():
        problem = None
        if outcome.startswith(("died", "wrong")) or (outcome.startswith("silent") and not stock[case].startswith("silent")):
            problem = f"{outcome}; stock: {stock[case]}"
        found.append((f"{script}, {case}, limit {limit}", problem))
    return found


def run_all(test, dropin, small):
    """small: a folder on a disk of ROOM bytes, or None."""
    disks = [(test, f"limit:{ROOM}", 2)]
    if small:
        disks.append((Test(test.stock, test.tessera, small), "whole", 1))
    problems = []
    for there, disk, workers in disks:
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            jobs = [pool.submit(there.beside_stock, content, way, disk, every) for content, way, every in full_disk_cases()]
            if there is test:
                jobs += [pool.submit(there.failing_call, *case) for case in driver_cases()]
            problems += [(name, problem and f"{problem}\n{run.text}") for name, problem, run in (job.result() for job in jobs)]
    for module, script in (("h5py", "fill_h5py.py"), ("tables", "fill_pytables.py")):
        if clients.run(["/usr/bin/python3", "-c", f"import {module}"]).returncode != 0:
            print(f"{script}: skipped, {module} is not installed")
            continue
        problems += python_cases(script, dropin, test.folder, ROOM)
        if small:
            problems += python_cases(script, dropin, small, 0)
    return problems


def mount_small_disk(folder):
    """Only where this process may do it, and for itself and its children alone."""
    small = os.path.join(folder, "disk")
    os.mkdir(small)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={ROOM}", "none", small], capture_output=True)
    return small if done.returncode == 0 else None


def main():
    stock, tessera, dropin = map(os.path.abspath, sys.argv[1:4])
    if len(sys.argv) == 4 and subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0:
        os.execvp("unshare", ["unshare", "-m", sys.executable, "-B", os.path.abspath(__file__), stock, tessera, dropin, "apart"])
    with tempfile.TemporaryDirectory(prefix="fulldisk-") as folder:
        small = mount_small_disk(folder) if len(sys.argv) == 5 else None
        if not small:
            print("skipped: a full file system, which takes root to mount")
        found = run_all(Test(stock, tessera, folder), dropin, small)
        if small:
            subprocess.run(["umount", small])
    wrong = [(name, problem) for name, problem in found if problem]
    for name, problem in wrong:
        print(f"{name}: {problem}")
    print(f"{len(found)} cases, {len(wrong)} wrong")
    sys.exit(1 if wrong else 0)


main()
