"""Compares what stock libhdf5, h5py and the library under test say about every file of the corpus.

    compare.py STOCK_CANON TESTED_CANON CORPUS [--only PATTERN] [--jobs N] [--no-headers] [--no-encodings]

The text of stock and of h5py is kept in CORPUS/expected (with the release behind it, if STOCK_RELEASE names one) and made again only when a file or program is newer.
--no-headers leaves out the "x " lines, which tell how each object header is laid out, --no-encodings
how types and dataspaces are encoded, which releases do in versions of their own.

Another release than the system's is named by STOCK_RELEASE, and how its Python runs by STOCK_PYTHON.
"""
import argparse
import concurrent.futures
import fnmatch
import os
import re
import shlex
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import stock  # noqa: E402
TIMEOUT = 120

# Where stock is wrong and the library under test is not: file, what of its lines is not compared, why.
STOCK_FAULTS = [
    ("index_ea_2d_*", r"^c chunk .*$", "offsets are miscounted when the unlimited dimension is not the first"),
    ("superblock_sizes*", r" (max|enc)=\S+", "all bits set in 4 bytes is not taken for unlimited"),
    ("type_float_f8e4m3_old.h5", r"^  read as i4 .*$", "-1.0 becomes 0xffffff80"),
]
# The same for what 1.14 does otherwise than 1.10 and the library under test.
SINCE_1_14 = [
    ("*", r" status=[12]", "chunks that are all there are allocated, not in part"),
    ("*", r"^ *c native .*float.*$", "half precision is a native type"),
    ("hand_super?_*", r"(?<=^c chunk ).*$", "addresses of chunks count from the beginning of the file"),
    ("superblock_*_userblock*", r"(?<=^c chunk ).*$", "the same"),
    ("hand_gheap_*", r"^ *(read|value) .*$", "objects in the global heap that are larger than their sequence are refused"),
    ("type_float_range_*", r"^  read as i4 .*$", "negative floats above -0.5 become the smallest integer"),
    ("hand_type_odd_floats.h5", r"^  read as i4 .*$", "the same"),
    ("filter_*", r"^  read as i4 .*$", "the same"),
    ("type_float_vax*", r"^  read as i4 .*$", "the same"),
    ("filter_scaleoffset_range_*", r"^ *(c )?read .*$", "integers of the whole range are written and cannot be read"),
    *((files, r" enc=\S+", "with the latest bounds types are of version 4, which is kept")
      for files in ("*_new.h5", "header_new_*", "sohm_five_indexes_*", "type_packed_*", "virtual_*")),
    ("bad_header1_block_length_zero.h5", r"(?s).*", "it is read"),
    ("bad_header1_fewer_messages.h5", r"(?s).*", "the number of messages is checked"),
    ("bad_type_enum_no_members.h5", r"(?s).*", "it is read"),
]
# The release of stock whose programs are given, where it is not the system's.
RELEASE = os.environ.get("STOCK_RELEASE", "")
PYTHON = shlex.split(os.environ.get("STOCK_PYTHON", "")) or [sys.executable]
if stock.release() >= (1, 14):
    STOCK_FAULTS += SINCE_1_14
# Files that a release dies of, or wrote and cannot open (extensible arrays and heaps with short lengths): release, file.
STOCK_DIES = [("2.*", "space_cache_image.h5"), ("[12].*", "space_rank32_*"), ("[12].*", "superblock_sizes_*_len[24]_*")]


def entries_of(folder):
    """The lines of its manifest. Whose word counts is "none" where stock has no answer."""
    with open(os.path.join(folder, "manifest.txt")) as f:
        for name, driver, reference in map(str.split, f):
            dies = any(fnmatch.fnmatch(RELEASE, release) and fnmatch.fnmatch(name, file) for release, file in STOCK_DIES)
            yield name, driver, "none" if dies else reference


def run_canon(program, corpus, name, driver):
    """The program's text about one file, and what went wrong if it did not end well."""
    command = [program] + (["--driver", driver] if driver != "sec2" else []) + [name]
    try:
        done = subprocess.run(command, cwd=corpus, capture_output=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return "", "no answer in %d s" % TIMEOUT
    error = ""
    refused = done.returncode == 1 and done.stdout == b"file ERR\n"  # a sanitizer may end a program with 1 as well
    if done.returncode != 0 and not refused:
        tail = [line for line in done.stderr.decode(errors="replace").splitlines() if line.strip()]
        told = next((line for line in tail if "ERROR" in line or "error:" in line), tail[-1] if tail else "")
        error = "exit code %d %s" % (done.returncode, told.strip()[:200])
    return done.stdout.decode(errors="replace"), error


def first_difference(expected, actual, wild=False):
    """Where two texts part, told with the object it happens in; nothing if they agree."""
    a, b = expected.splitlines(), actual.splitlines()
    where = ""
    for i in range(max(len(a), len(b))):
        left = a[i] if i < len(a) else "(end)"
        right = b[i] if i < len(b) else "(end)"
        if left.startswith(("object ", " attribute ")):
            where = left.strip()[:100]
        if left == right or (wild and left.endswith("?") and right.startswith(left[:-1])):
            continue
        return "%s: expected '%s' got '%s'" % (where, clip(left, right), clip(right, left))
    return ""


def clip(text, other):
    """Cuts a long line around the place where it differs from the other one."""
    common = len(os.path.commonprefix([text, other]))
    if len(text) <= 200:
        return text.strip()
    return "..." + text[max(0, common - 60):common + 120]


def without_faults(name, *texts):
    """The texts about one file without what stock gets wrong."""
    for pattern, what, _ in STOCK_FAULTS:
        if fnmatch.fnmatch(name, pattern):
            texts = [re.sub(what, "", text, flags=re.MULTILINE) for text in texts]
    return texts


def without(text, *prefixes):
    return "".join(line for line in text.splitlines(True) if not line.startswith(prefixes))


class Corpus:
    def __init__(self, args):
        self.root = os.path.abspath(args.corpus)
        self.stock = os.path.abspath(args.stock)
        self.tested = os.path.abspath(args.tested)
        self.headers = not args.no_headers
        self.encodings = not args.no_encodings
        self.cache = os.path.join(self.root, "expected" + RELEASE)
        self.entries = list(entries_of(self.root))
        self.chosen = [e for e in self.entries if fnmatch.fnmatch(e[0], args.only)]
        self.jobs = args.jobs
        os.makedirs(self.cache, exist_ok=True)

    def cached(self, name, kind):
        return os.path.join(self.cache, name.replace("%", "_") + "." + kind + ".txt")

    def fresh(self, name, kind, program):
        path = self.cached(name, kind)
        newest = max(os.path.getmtime(program), os.path.getmtime(os.path.join(self.root, "manifest.txt")))
        return os.path.exists(path) and os.path.getmtime(path) >= newest

    def ask_h5py(self):
        program = os.path.join(HERE, "canon.py")
        if all(self.fresh(n, "py", program) for n, _, reference in self.entries if reference in ("both", "h5py")):
            return
        left_out = [name for name, _, reference in self.entries if reference == "none"]
        shards = [subprocess.Popen([*PYTHON, program, "--all", self.root, self.cache, "--shard",
                                    "%d/%d" % (i, self.jobs), *left_out]) for i in range(self.jobs)]
        for shard in shards:
            if shard.wait() != 0:
                sys.exit("canon.py ended with code %d" % shard.returncode)

    def expected(self, name, driver):
        path = self.cached(name, "stock")
        if not self.fresh(name, "stock", self.stock):
            text, error = run_canon(self.stock, self.root, name, driver)
            if error:
                return "", "stock: " + error
            with open(path, "w") as f:
                f.write(text)
        with open(path) as f:
            return f.read(), ""

    def told_by_h5py(self, name):
        with open(self.cached(name, "py")) as f:
            return f.read()

    def check(self, entry):
        """What is wrong with one file, or nothing."""
        name, driver, reference = entry
        if reference == "none":
            return run_canon(self.tested, self.root, name, driver)[1]
        if reference == "h5py":
            actual, error = run_canon(self.tested, self.root, name, driver)
            texts = self.compared(self.told_by_h5py(name), without(actual, "c ", "x "))
            return "; ".join(filter(None, (error, first_difference(*without_faults(name, *texts), wild=True))))
        expected, error = self.expected(name, driver)
        if error:
            return error
        if reference == "both":
            difference = first_difference(self.told_by_h5py(name), without(expected, "c ", "x "), wild=True)
            if difference:
                return "h5py and stock disagree: " + difference
        actual, error = run_canon(self.tested, self.root, name, driver)
        difference = first_difference(*without_faults(name, *self.compared(expected, actual)))
        return "; ".join(filter(None, (error, difference)))

    def compared(self, *texts):
        if not self.headers:
            texts = [without(text, "x ") for text in texts]
        return texts if self.encodings else [re.sub(r" enc=\S+", "", text) for text in texts]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("stock")
    parser.add_argument("tested")
    parser.add_argument("corpus")
    parser.add_argument("--only", default="*")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--no-headers", action="store_true")
    parser.add_argument("--no-encodings", action="store_true")
    args = parser.parse_args()
    start = time.time()
    corpus = Corpus(args)
    corpus.ask_h5py()
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for entry, problem in zip(corpus.chosen, pool.map(corpus.check, corpus.chosen)):
            if problem:
                failed += 1
                print("%s: %s" % (entry[0], problem), flush=True)
    print("%.0f s" % (time.time() - start), file=sys.stderr)
    print("%d passed, %d failed" % (len(corpus.chosen) - failed, failed))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
