#!/usr/bin/env python3
"""Stock releases that are unpacked, not installed (support/roots.py), in the place of the system's own in other tests.

    releases.py written CANON TESTED_EDIT CORPUS WRITTEN    written.py and edited.py
    releases.py read CANON                                  what each release writes, with every pair of bounds, must be told
                                                            by CANON as that release tells it; by compare.py
    releases.py newer CANON NEWER               files of newer.c, built with each release and with the library under test (NEWER), of all
                                                bounds: told alike by both and by h5py, alike to the tools, and changed by the other
    releases.py turns SOURCE TESTED             turns.sh with a program that takes turns, and its build with the library under test
    releases.py random TESTED                   random/run.py with ops.c of each release, and its build with the library under test

CANON is canon.c with the library under test. A short form, unless TESSERA_ALL is 1. Ends with 77 where there is no such
release.
"""
import glob
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import roots  # noqa: E402
from newer import READ_ALL, first_difference, make, tell  # noqa: E402
from written import ENDED_WELL, complaint, dump_text  # noqa: E402

SKIPPED = 77
TOOLS = ["h5dump", "h5ls", "h5stat", "h5debug", "h5repack", "h5diff"]
BOUNDS = ["earliest", "v108", "v110", "v112", "v114", "v200"]
OLDEST = (1, 12)  # what our headers declare is not all in those before
VAST = "sizes_8_8.h5"  # it takes minutes to read
ALL = os.environ.get("TESSERA_ALL") == "1"


class Place:
    """A folder with a release's tools, and programs that are built for it."""

    def __init__(self, root, work):
        self.root = root
        self.folder = os.path.join(work, root.name)
        self.bin = os.path.join(self.folder, "bin")
        os.makedirs(self.bin)
        for tool in TOOLS:
            self.script(tool, os.path.join(self.bin, tool))
        self.env = dict(os.environ, PATH="%s:%s" % (self.bin, os.environ["PATH"]), STOCK_RELEASE=root.name,
                        STOCK_PYTHON=shlex.join(root.python()))

    def script(self, program, path):
        """A program of the release under a name that needs nothing else to run."""
        with open(path, "w") as f:
            f.write('#!/bin/sh\nHDF5_DISABLE_VERSION_CHECK=2 exec %s "$@"\n' % " ".join("'%s'" % word for word in self.root.command(program)))
        os.chmod(path, 0o755)
        return path

    def built(self, source, *options):
        program = os.path.join(self.folder, os.path.basename(source)[:-2])
        self.root.build(os.path.join(HERE, source), program + ".program", *options)
        return self.script(program + ".program", program)

    def run(self, command, *arguments):
        """Whether a test passes with this release."""
        print("libhdf5 %s:" % self.root.name, flush=True)
        return subprocess.run([*command, *map(str, arguments)], env=self.env).returncode == 0

    def passes(self, what, command, *arguments):
        """The same; what it says is printed where it does not."""
        done = subprocess.run([*command, *map(str, arguments)], env=self.env, capture_output=True, text=True)
        if done.returncode != 0:
            print("libhdf5 %s, %s:\n%s%s" % (self.root.name, what, done.stdout, done.stderr), flush=True)
        return done.returncode == 0


def pairs(release):
    """Of bounds that the release takes; in the short form with the highest of high ones."""
    names = BOUNDS if release >= (2, 0) else BOUNDS[:-1]
    return [(low, high) for i, low in enumerate(names) for high in names[max(i, 1):] if ALL or high == names[-1]]


def generate(place, folder, low, high, every):
    """The files of the corpus, as h5py of the release makes them."""
    command = place.root.python(os.path.join(HERE, "generate.py"), folder, "--written", "--incomplete", "--bounds", "%s,%s" % (low, high),
                                "--every", every)
    return subprocess.run(command, env=place.env, capture_output=True, text=True, check=True).stdout


def read(place, canon):
    theirs, every, well, n = place.built("canon.c"), 1 if ALL else 90, True, 0
    for low, high in pairs(place.root.release):
        folder = os.path.join(place.folder, "made")
        n += int(generate(place, folder, low, high, every).split()[0])
        well &= place.passes("bounds %s to %s" % (low, high), [sys.executable, os.path.join(HERE, "compare.py")], theirs, canon, folder,
                             "--no-encodings")
        shutil.rmtree(folder)
    print("libhdf5 %s: compared %d files" % (place.root.name, n))
    return well


def written(place, canon, edit, corpus, folder):
    every = 1 if ALL else 24
    programs = place.built("canon.c"), canon
    edits = place.built("edit.c"), edit
    well = place.run([sys.executable, os.path.join(HERE, "written.py")], *programs, corpus, folder, "--every", every)
    return place.run([sys.executable, os.path.join(HERE, "edited.py")], *programs, *edits, corpus, folder, "--every", every) and well


class Formats:
    """The files of newer.c, made by a release and by the library under test."""
    def __init__(self, place, canon, newer):
        self.place, self.canon, self.newer, self.problems = place, canon, newer, []
        self.their_canon, self.their_newer = place.built("canon.c"), place.built("newer.c")
        self.theirs, self.ours = os.path.join(place.folder, "theirs"), os.path.join(place.folder, "ours")
        make(self.newer, self.ours)
        self.names = sorted({*make(self.their_newer, self.theirs)} & {*os.listdir(self.ours)})
        for name in set(os.listdir(self.ours)) - set(self.names):
            os.remove(os.path.join(self.ours, name))  # of a later format than the release knows

    def note(self, name, what):
        if what:
            self.problems.append("%s: %s" % (name, what))

    def told(self, name, when):
        texts = [tell(canon, folder, name) for folder in (self.theirs, self.ours) for canon in (self.their_canon, self.canon)]
        for text in texts[1:]:
            self.note(name + when, first_difference(texts[0], text))

    def tool(self, name, tool, *arguments):
        """Whether the tool takes the file, as it must if it takes the other one."""
        command = [os.path.join(self.place.bin, tool), *arguments]
        wrong = complaint(command, self.ours)
        if wrong and not complaint(command, self.theirs):
            self.note("%s, %s" % (name, tool), wrong)
        return not wrong

    def with_tools(self, name):
        self.tool(name, "h5ls", "-v", "-r", name)
        self.tool(name, "h5stat", name)
        if name.startswith("references_") and self.place.root.release < (2, 0):
            return  # h5dump and h5diff of 1.14.5 die of references to other files, whoever wrote them
        dump = [os.path.join(self.place.bin, "h5dump"), "-B", "-p", *(["-H"] if name == VAST else []), name]
        texts = [dump_text(dump, folder) for folder in (self.theirs, self.ours)]
        if ENDED_WELL in texts[0]:
            self.note(name + ", h5dump", first_difference(*texts))
        if name != VAST:
            self.repacked(name)
        if name != VAST and not name.startswith("references_"):  # h5diff looks for files that references name where it runs
            self.tool(name, "h5diff", os.path.join(self.theirs, name), name)

    def repacked(self, name):
        copy = "repacked_" + name
        if not self.tool(name, "h5repack", name, copy):
            return
        texts = [dump_text([os.path.join(self.place.bin, "h5dump"), file], self.ours) for file in (name, copy)]
        self.note(name + ", copy by h5repack", first_difference(*(text.replace(copy, name) for text in texts)))

    def with_h5py(self):
        done = subprocess.run(self.place.root.python("-c", READ_ALL, *self.names), cwd=self.ours, capture_output=True, text=True)
        self.note("h5py", done.stderr[-500:])

    def check(self):
        for name in self.names:
            self.told(name, "")
            self.with_tools(name)
        self.with_h5py()
        make(self.their_newer, self.ours, change=True)
        make(self.newer, self.theirs, change=True)
        for name in self.names:
            self.told(name, ", changed by the other")
        print("libhdf5 %s: %d files of each side" % (self.place.root.name, len(self.names)), *self.problems, sep="\n", flush=True)
        return not self.problems


def newer(place, canon, program):
    return Formats(place, canon, program).check()


def formats(release):
    return "new old v200" if release >= (2, 0) else "new old"


def turns(place, source, tested):
    stock = place.built(source, "-DH5_USE_18_API")
    return place.run([os.path.join(HERE, "turns.sh")], stock, tested, 20 if ALL else 2, formats(place.root.release))


def random(place, tested):
    folder = os.path.join(HERE, "..", "random")
    stock = place.built(os.path.join(folder, "ops.c"), *glob.glob(os.path.join(folder, "[!o]*.c")), "-DH5_USE_18_API")
    newest = "v200" if place.root.release >= (2, 0) else "v114"
    return place.run([sys.executable, os.path.join(folder, "run.py")], stock, tested, "--seeds", "1-20" if ALL else "1-4", "--newest", newest,
                     "--keep", os.path.dirname(tested), *([] if ALL else ["--operations", "500"]))


TESTS = {"written": written, "read": read, "newer": newer, "turns": turns, "random": random}


def main(test, *arguments):
    stocks = [root for root in roots.unpacked() if root.release >= OLDEST]
    if not stocks:
        print("skipped: no other release of libhdf5 is at hand (make roots)")
        return SKIPPED
    with tempfile.TemporaryDirectory() as work:
        results = [TESTS[test](Place(root, work), *map(os.path.abspath, arguments)) for root in stocks]
    return 0 if all(results) else 1


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in TESTS:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
