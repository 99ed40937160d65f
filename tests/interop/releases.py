#!/usr/bin/env python3
"""Stock releases that are unpacked, not installed (support/roots.py), in the place of the system's own in other tests.

    releases.py written CANON TESTED_EDIT CORPUS WRITTEN    written.py and edited.py
    releases.py read CANON                                  what each release writes, with every pair of bounds, must be told
                                                            by CANON as that release tells it; by compare.py

CANON is canon.c with the library under test. A short form, unless TESSERA_ALL is 1. Ends with 77 where there is no such
release.
"""
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import roots  # noqa: E402

SKIPPED = 77
TOOLS = ["h5dump", "h5ls", "h5stat", "h5debug", "h5repack", "h5diff"]
BOUNDS = ["earliest", "v108", "v110", "v112", "v114", "v200"]
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
    theirs, every, well, n = place.built("canon.c"), 1 if ALL else 30, True, 0
    for low, high in pairs(place.root.release):
        folder = os.path.join(place.folder, "made")
        n += int(generate(place, folder, low, high, every).split()[0])
        well &= place.passes("bounds %s to %s" % (low, high), [sys.executable, os.path.join(HERE, "compare.py")], theirs, canon, folder,
                             "--no-encodings")
        shutil.rmtree(folder)
    print("libhdf5 %s: compared %d files" % (place.root.name, n))
    return well


def written(place, canon, edit, corpus, folder):
    every = 1 if ALL else 12
    programs = place.built("canon.c"), canon
    edits = place.built("edit.c"), edit
    well = place.run([sys.executable, os.path.join(HERE, "written.py")], *programs, corpus, folder, "--every", every)
    return place.run([sys.executable, os.path.join(HERE, "edited.py")], *programs, *edits, corpus, folder, "--every", every) and well


TESTS = {"written": written, "read": read}


def main(test, *arguments):
    stocks = roots.unpacked()
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
