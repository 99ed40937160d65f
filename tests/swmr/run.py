#!/usr/bin/env python3
"""One writer and several readers on one file, each a process of its own.

    run.py BIN [CASE ...]

BIN has the programs writer and reader, and writer-stock and reader-stock of stock libhdf5. Without cases all are run; a
case is SORT, kill:SORT, stock-reader:SORT, stock-writer:SORT, h5py-reader or h5py-writer. SWMR_SECONDS says for how long
each writes (0.4); SWMR_SEED makes a run like another.
"""
import glob
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

DENSE = ["fixed", "fixed-deflate", "paged", "paged-deflate", "extensible", "extensible-deflate", "btree2", "btree2-deflate",
         "single", "single-deflate", "implicit"]
OURS = ["sparse", "sparse-packed", "sparse-btree2", "sparse-vlen", "vlen", "names"]
KILLED = ["extensible-deflate", "paged", "btree2-deflate", "sparse-packed", "sparse-vlen", "names"]
FOLLOWED = ["paged-deflate", "extensible", "extensible-deflate", "btree2-deflate"]
READERS = 3
SECONDS = float(os.environ.get("SWMR_SECONDS", "0.4"))
PYTHON = os.environ.get("SWMR_PYTHON", "/usr/bin/python3")  # one that has h5py
HERE = os.path.dirname(os.path.abspath(__file__))


class Case:
    def __init__(self, programs, folder, seed):
        self.programs, self.folder, self.seed = programs, folder, seed
        self.path = os.path.join(folder, "file.h5")
        self.processes = []

    def start(self, *args):
        p = subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.processes.append(p)
        return p

    def program(self, name, *args):
        return self.start(os.path.join(self.programs, name), self.path, *map(str, args))

    def readers(self, sort, name="reader"):
        kinds = [[], [], ["threads"] if name == "reader" else []]
        return [self.program(name, sort, self.seed + i, *kinds[i]) for i in range(READERS)]

    def wait(self, done, what):
        end = time.monotonic() + 60
        while not done():
            if time.monotonic() > end:
                raise AssertionError(f"{what} does not begin")
            time.sleep(0.005)

    def writers(self):
        """How many have begun to write: the first word of what they share with readers."""
        try:
            with open(self.path + ".progress", "rb") as f:
                return int.from_bytes(f.read(8), "little")
        except OSError:
            return 0

    def end(self, p, what):
        """Its last line, once it has ended well."""
        try:
            out, _ = p.communicate(timeout=SECONDS * 4 + 120)
        except subprocess.TimeoutExpired:
            p.kill()
            out, _ = p.communicate()
            raise AssertionError(f"{what} does not end: {out}")
        if p.returncode != 0:
            raise AssertionError(f"{what} ended with {p.returncode}: {out}")
        return out.strip().split("\n")[-1]

    def clean(self):
        for p in self.processes:
            if p.poll() is None:
                p.kill()
                p.wait()


def plain(case, sort, writer="writer", reader="reader"):
    w = case.program(writer, sort, SECONDS, case.seed)
    readers = case.readers(sort, reader)
    lines = [case.end(w, writer)] + [case.end(r, f"{reader} {i}") for i, r in enumerate(readers)]
    case.end(case.program("reader", sort, case.seed, "verify"), "reader afterwards")
    return lines


def killed(case, sort):
    """The writer dies; its readers go on, another writer takes over while they are there; it dies too."""
    rnd = random.Random(case.seed)
    for turn in range(2):
        w = case.program("writer", sort, 100, case.seed + turn, *(["resume"] if turn else []))
        if turn == 0:
            readers = case.readers(sort)
        case.wait(lambda: case.writers() > turn or w.poll() is not None, "writer")
        time.sleep(rnd.uniform(0.02, SECONDS))
        w.send_signal(signal.SIGKILL)
        out, _ = w.communicate()
        if w.returncode != -signal.SIGKILL:
            raise AssertionError(f"the writer ended by itself: {out}")
    open(case.path + ".stop", "w").close()
    lines = [case.end(r, f"reader {i}") for i, r in enumerate(readers)]
    case.end(case.program("reader", sort, case.seed, "verify"), "reader afterwards")
    os.remove(case.path + ".stop")
    case.end(case.program("writer", sort, 0.1, case.seed + 9, "resume"), "writer afterwards")
    case.end(case.program("reader", sort, case.seed, "verify"), "reader at the end")
    return lines


def h5py(case, does):
    """h5py, with the library it was made for, on one side."""
    script = [PYTHON, os.path.join(HERE, "follow.py"), does, case.path, str(SECONDS), str(case.seed)]
    if does == "write":
        w = case.start(*script)
        others = case.readers("extensible-deflate")
    else:
        others = [case.start(*script) for _ in range(READERS)]
        case.wait(lambda: len(glob.glob(case.path + ".reader*")) == READERS, "reader")
        w = case.program("writer", "extensible-deflate", SECONDS, case.seed)
    return [case.end(w, "writer")] + [case.end(r, f"reader {i}") for i, r in enumerate(others)]


def run(case, name):
    kind, _, sort = name.rpartition(":")
    if name.startswith("h5py-"):
        return h5py(case, "read" if name == "h5py-reader" else "write")
    if kind == "kill":
        return killed(case, sort)
    if kind == "stock-reader":
        return plain(case, sort, reader="reader-stock")
    if kind == "stock-writer":
        return plain(case, sort, writer="writer-stock")
    return plain(case, sort)


def main():
    programs = sys.argv[1]
    cases = sys.argv[2:] or (DENSE + OURS + [f"kill:{s}" for s in KILLED] + [f"stock-reader:{s}" for s in FOLLOWED] +
                             [f"stock-writer:{s}" for s in FOLLOWED] + ["h5py-reader", "h5py-writer"])
    seed = int(os.environ.get("SWMR_SEED", random.randrange(1, 1 << 30)))
    failed = 0
    for name in cases:
        folder = tempfile.mkdtemp(prefix="swmr")
        case = Case(programs, folder, seed)
        begin = time.monotonic()
        try:
            lines = run(case, name)
            print(f"ok     {name} ({time.monotonic() - begin:.1f} s): " + "; ".join(lines), flush=True)
            shutil.rmtree(folder)
        except AssertionError as e:
            failed += 1
            print(f"FAILED {name} (SWMR_SEED={seed}, {folder}): {e}", flush=True)
        finally:
            case.clean()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
