"""Changes the files of the corpus with both libraries and compares what comes out.

    edited.py STOCK_CANON TESTED_CANON STOCK_EDIT TESTED_EDIT CORPUS WRITTEN [--only PATTERN] [--jobs N]
              [--every N]

The changes are those of edit.c. Files made by stock are changed by the library under test, files it made (WRITTEN) are
changed by stock; either must give what stock's changes to stock's own file give.
"""
import argparse
import concurrent.futures
import fnmatch
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

from compare import RELEASE, STOCK_FAULTS, TIMEOUT, first_difference, run_canon
from written import STOCK_WROTE_WRONG, normal, one_of

SLOW = ("large_", "_100000", "_200000", "_70000", "_20000chunks", "_60000")

# Where the two part: files, why. They still must come to an end.
NOT_COMPARED = [
    ("hand_*", "objects with more links than they count, heap objects with two owners: what to change is open"),
    ("change_storage_*", "of storage that is never filled, other parts come to light"),
    ("change_attr_phase_*_order3.h5", "stock spoils its index of creation order when it renames an attribute"),
    ("header_attr_order_indexed_*", "the same"),
    ("links_user_defined_*", "a link of unknown class, whose move or copy fails in both, has moved in stock"),
    ("heap_object_refs_*", "references to objects that are deleted point at whatever lies there then"),
    ("sohm_space_*", "stock spoils the header when it resizes a dataset whose dataspace is shared"),
    ("sohm_all_*", "the same"),
    ("sohm_five_*", "the same"),
    ("superblock_sizes*", "stock cannot open extensible arrays and heaps it wrote with short lengths"),
    ("virtual_converts_*", "stock writes zeros through a virtual dataset of another type"),
    ("filter_scaleoffset_range_*", "libhdf5 1.14 writes them and cannot read them"),
    ("virtual_same_file_*", "what a source lost as it shrank has the fill value of the virtual dataset, in stock its own"),
]
if RELEASE.startswith("2."):
    NOT_COMPARED += [(name, "2.2 says of a block's address that it is shared, as the attribute was in whose place it put it, and then "
                            "reads its header no more") for name in ("sohm_attribute_*", "sohm_huge_attributes.h5")]


def edit(program, folder, name):
    """What the program says of its changes, and what went wrong."""
    try:
        done = subprocess.run([program, name], cwd=folder, capture_output=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return "", "no answer in %d s" % TIMEOUT
    text = done.stdout.decode(errors="replace")
    if done.returncode not in (0, 1):
        said = done.stderr.decode(errors="replace").splitlines()
        told = next((line for line in said if "ERROR" in line or "error:" in line), said[-1] if said else "")
        return text, "exit code %d %s" % (done.returncode, told[:200])
    return text, ""


def take(root, name, folder):
    """A copy of the file, and of those with names that begin like its own."""
    stem = name[:-3] if name.endswith(".h5") else name
    for path in glob.glob(glob.escape(os.path.join(root, stem)) + "*"):
        shutil.copy(path, folder)


class Edited:
    def __init__(self, args):
        self.args = args

    def changed(self, root, name, program):
        """What editing says, what stock and the library under test tell of the file then, and what went wrong."""
        with tempfile.TemporaryDirectory() as folder:
            take(root, name, folder)
            said, error = edit(program, folder, name)
            texts = [run_canon(canon, folder, name, "sec2") for canon in (self.args.stock, self.args.tested)]
            return said, texts, error

    def check(self, entry):
        name = entry[0]
        said, ((expected, error), _), failed = self.changed(self.args.corpus, name, self.args.stock_edit)
        if failed or error:
            return []  # stock cannot do it itself
        problems = self.compare("changed by us", name, said, expected,
                                self.changed(self.args.corpus, name, self.args.tested_edit))
        if os.path.exists(os.path.join(self.args.written, name)):
            problems += self.compare("changed by stock", name, said, expected,
                                     self.changed(self.args.written, name, self.args.stock_edit))
        return problems

    def compare(self, how, name, said, expected, outcome):
        own, texts, error = outcome
        if any(fnmatch.fnmatch(name, p) for p, _ in NOT_COMPARED + STOCK_WROTE_WRONG):
            error = next(filter(None, [error] + [e for _, e in texts]), "")
            return ["%s: %s" % (how, error)] if error else []
        error = error or first_difference(said, own)
        if error:
            return ["%s: %s" % (how, error)]
        problems = []
        for who, (text, error) in zip(("stock", "tested"), texts):
            wanted = expected
            for pattern, what, _ in STOCK_FAULTS:
                if fnmatch.fnmatch(name, pattern):
                    wanted, text = (re.sub(what, "", t, flags=re.MULTILINE) for t in (wanted, text))
            error = error or first_difference(normal(wanted, True), normal(text, True))
            problems += ["%s, read by %s: %s" % (how, who, error)] if error else []
        return problems


def chosen(args):
    with open(os.path.join(args.corpus, "manifest.txt")) as f:
        for name, driver, reference in map(str.split, f):
            if driver == "sec2" and reference in ("both", "stock") and not name.startswith("bad_"):
                wanted = fnmatch.fnmatch(name, args.only) and one_of(args.every, name)
                if wanted and not any(part in name for part in SLOW):
                    yield name, driver, reference


def main():
    parser = argparse.ArgumentParser()
    for name in ("stock", "tested", "stock_edit", "tested_edit", "corpus", "written"):
        parser.add_argument(name, type=os.path.abspath)
    parser.add_argument("--only", default="*")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--every", type=int, default=1, help="only every so many files")
    args = parser.parse_args()
    start = time.time()
    entries, failed = list(chosen(args)), 0
    edited = Edited(args)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for entry, problems in zip(entries, pool.map(edited.check, entries)):
            failed += bool(problems)
            for problem in problems:
                print("%s: %s" % (entry[0], problem), flush=True)
    print("%.0f s" % (time.time() - start), file=sys.stderr)
    print("%d passed, %d failed" % (len(entries) - failed, failed))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
