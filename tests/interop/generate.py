"""Makes the corpus of HDF5 files with stock libhdf5, through h5py.

    generate.py OUTDIR [--only PATTERN] [--jobs N]

OUTDIR/manifest.txt lists every file: its name, the driver that opens it, and whose word on it counts ("both",
"stock", "h5py" or "none").
"""
import argparse
import fnmatch
import os
import sys
import time
import traceback

from corpus import (attributes, broken, datatypes, filters, groups, handmade, headers, heaps, indexes, layouts, spaces,
                    superblock, virtual)
from corpus.registry import CASES

MODULES = [attributes, broken, datatypes, filters, groups, handmade, headers, heaps, indexes, layouts, spaces,
           superblock, virtual]
SLOW = ("large_", "_100000links", "_200000", "_70000")


def make(names, outdir):
    """Makes the named files in the current process; the number that failed."""
    os.chdir(outdir)  # external raw files and virtual sources are named relative to the corpus
    failed = 0
    for name in names:
        try:
            CASES[name].make(os.path.join(outdir, name))
        except Exception:
            failed += 1
            print("cannot make %s" % name, file=sys.stderr)
            traceback.print_exc()
    return failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("outdir")
    parser.add_argument("--only", default="*")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    outdir = os.path.abspath(args.outdir)
    os.makedirs(outdir, exist_ok=True)
    start = time.time()
    names = [n for n in sorted(CASES) if fnmatch.fnmatch(n, args.only)]
    names.sort(key=lambda n: not any(s in n for s in SLOW))
    children = []
    for job in range(args.jobs):
        pid = os.fork()
        if pid == 0:
            os._exit(min(make(names[job::args.jobs], outdir), 100))
        children.append(pid)
    failed = sum(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 0 for pid in children)
    if failed:
        sys.exit("the corpus is not complete")
    with open(os.path.join(outdir, "manifest.txt"), "w") as f:
        for name in sorted(names):
            f.write("%s %s %s\n" % (name, CASES[name].driver, CASES[name].reference))
    print("%d files in %.0f s" % (len(names), time.time() - start))


if __name__ == "__main__":
    main()
