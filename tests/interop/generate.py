"""Makes the corpus of HDF5 files through h5py, with the libhdf5 that it loads.

    generate.py OUTDIR [--only PATTERN] [--jobs N] [--written] [--bounds LOW,HIGH] [--incomplete]
                [--every N]

--written leaves out the files that are put together byte by byte, and those Tessera cannot make. --bounds makes all with
these bounds (earliest, v108, v110, ...), whatever their names say. With --incomplete files that cannot be made are left out. --every
makes only one of N, others with other bounds.

OUTDIR/manifest.txt lists every file: its name, the driver that opens it, and whose word on it counts ("both",
"stock", "h5py" or "none").
"""
import argparse
import fnmatch
import os
import sys
import time
import traceback
import zlib

from corpus import (attributes, broken, changes, datatypes, filters, groups, handmade, headers, heaps, indexes, layouts,
                    spaces, superblock, virtual)
from corpus.registry import CASES, FIXED

MODULES = [attributes, broken, changes, datatypes, filters, groups, handmade, headers, heaps, indexes, layouts,
           spaces, superblock, virtual]
BYTE_BY_BYTE = [broken.__name__, handmade.__name__]
# What Tessera does not make: files, why.
NOT_WRITTEN = [
    ("type_opaque_long_tag_*", "the file has no room for the tag: it is gone at once, in stock when all is closed"),
]
BATCH = 20
SLOW = ("large_", "_100000links", "_200000", "_70000")


def started(names, outdir):
    """A process that makes the files: the library may end it."""
    pid = os.fork()
    if pid:
        return pid
    try:
        for name in names:
            CASES[name].make(os.path.join(outdir, name))
        os._exit(0)
    except BaseException:
        print("cannot make %s" % name, file=sys.stderr)
        traceback.print_exc()
    os._exit(1)


def made(names, outdir, jobs):
    """The names whose files were made. Where one of a batch cannot be, each is tried by itself."""
    waiting, running, well = [names[i:i + BATCH] for i in range(0, len(names), BATCH)], {}, []
    while waiting or running:
        if waiting and len(running) < jobs:
            batch = waiting.pop(0)
            running[started(batch, outdir)] = batch
            continue
        pid, status = os.wait()
        batch = running.pop(pid)
        if status == 0:
            well += batch
        elif len(batch) > 1:
            waiting += [[name] for name in batch]
    return sorted(well)


def chosen(args):
    names = [n for n in sorted(CASES) if fnmatch.fnmatch(n, args.only)]
    if args.written:
        names = [n for n in names if CASES[n].module not in BYTE_BY_BYTE
                 and not any(fnmatch.fnmatch(n, pattern) for pattern, _ in NOT_WRITTEN)]
    names = [n for n in names if zlib.crc32((args.bounds + n).encode()) % args.every == 0]
    return sorted(names, key=lambda n: not any(s in n for s in SLOW))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("outdir")
    parser.add_argument("--only", default="*")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--written", action="store_true")
    parser.add_argument("--bounds", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--incomplete", action="store_true")
    args = parser.parse_args()
    FIXED[:] = filter(None, args.bounds.split(","))
    outdir = os.path.abspath(args.outdir)
    os.makedirs(outdir, exist_ok=True)
    start = time.time()
    os.chdir(outdir)  # external raw files and virtual sources are named relative to the corpus
    names = chosen(args)
    well = made(names, outdir, args.jobs)
    if len(well) < len(names) and not args.incomplete:
        sys.exit("the corpus is not complete")
    with open(os.path.join(outdir, "manifest.txt"), "w") as f:
        for name in well:
            f.write("%s %s %s\n" % (name, CASES[name].driver, CASES[name].reference))
    print("%d files in %.0f s" % (len(well), time.time() - start))


if __name__ == "__main__":
    main()
