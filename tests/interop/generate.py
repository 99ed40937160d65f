"""Makes the corpus of HDF5 files through h5py, with the libhdf5 that it loads.

    generate.py OUTDIR [--only PATTERN] [--jobs N] [--written]

--written leaves out the files that are put together byte by byte, and those Tessera cannot make.

OUTDIR/manifest.txt lists every file: its name, the driver that opens it, and whose word on it counts ("both",
"stock", "h5py" or "none").
"""
import argparse
import fnmatch
import os
import sys
import time
import traceback

from corpus import (attributes, broken, changes, datatypes, filters, groups, handmade, headers, heaps, indexes, layouts,
                    spaces, superblock, virtual)
from corpus.registry import CASES

MODULES = [attributes, broken, changes, datatypes, filters, groups, handmade, headers, heaps, indexes, layouts,
           spaces, superblock, virtual]
BYTE_BY_BYTE = [broken.__name__, handmade.__name__]
# What Tessera does not make: files, why.
NOT_WRITTEN = [
    ("type_opaque_long_tag_*", "the file has no room for the tag: it is gone at once, in stock when all is closed"),
]
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
    parser.add_argument("--written", action="store_true")
    args = parser.parse_args()
    outdir = os.path.abspath(args.outdir)
    os.makedirs(outdir, exist_ok=True)
    start = time.time()
    names = [n for n in sorted(CASES) if fnmatch.fnmatch(n, args.only)]
    if args.written:
        names = [n for n in names if CASES[n].module not in BYTE_BY_BYTE
                 and not any(fnmatch.fnmatch(n, pattern) for pattern, _ in NOT_WRITTEN)]
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
