#!/usr/bin/env python3
"""Files of libhdf5 1.12 to 2.0, which the stock library of the other tests cannot make or read.

    newer.py keep LIBRARY...              makes the files in newer/ with each of these libhdf5.so, and has the last one tell
                                          what is in them
    newer.py check CANON                  CANON (interop/canon.c, built with the library under test) must tell the same
    newer.py written NEWER CANON BUILD    files made by NEWER (newer.c, with the library under test) must be told alike by
                                          CANON and by libhdf5 2.0, which comes with h5py 3.16; ends with 77 where that
                                          cannot be had

Libraries come with h5py: pip install --target FOLDER h5py==3.8.* has 1.12.2, 3.13 has 1.14.6, 3.16 has 2.0.0. Files that are the
same byte for byte are kept once.
"""
import glob
import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
KEPT = os.path.join(HERE, "newer")
INCLUDE = os.path.join(HERE, "..", "..", "include")
PACKAGE = "h5py==3.16.*"
SKIPPED = 77
SECONDS = 300

# What is not the same in two files with the same content, or in two releases.
PLACES = [(r"^[cx] .*\n", ""), (r" addr=\d+", ""), (r" enc=\S+", ""), (r"@\d+$", ""), (r"^  offset .*\n", ""),
          (r"^  storage .*\n", ""), (r" corder=\d+", ""), (r"^  attrs order.*\n", "")]


def build(source, library, program):
    """A program of the tests, with our headers and another's library."""
    subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-O1", "-w", "-I", INCLUDE, os.path.join(HERE, source), library,
                    "-Wl,--allow-shlib-undefined", "-o", program], check=True)
    return program


def run(program, *arguments, cwd=None, library=None):
    env = dict(os.environ, HDF5_DISABLE_VERSION_CHECK="2")
    if library:
        env["LD_LIBRARY_PATH"] = os.path.dirname(library)
    return subprocess.run([program, *arguments], cwd=cwd, env=env, capture_output=True, timeout=SECONDS)


def tell(canon, folder, name, library=None):
    """What a program says of a file, without places."""
    done = run(canon, name, cwd=folder, library=library)
    text = done.stdout.decode(errors="replace")
    if done.returncode != 0:
        text += "ended with %d: %s\n" % (done.returncode, done.stderr.decode(errors="replace")[:500])
    for pattern, instead in PLACES:
        text = re.sub(pattern, instead, text, flags=re.MULTILINE)
    return text


def first_difference(expected, actual):
    where = ""
    a, b = expected.splitlines(), actual.splitlines()
    for left, right in zip(a + ["(end)"], b + ["(end)"]):
        if left.startswith(("object ", " attribute ")):
            where = left.strip()
        if left != right:
            return "%s: expected '%s', got '%s'" % (where, left.strip()[:150], right.strip()[:150])
    return "" if len(a) == len(b) else "%d lines instead of %d" % (len(b), len(a))


def release_of(library, work):
    source = os.path.join(work, "release.c")
    with open(source, "w") as f:
        f.write("#include <hdf5.h>\n#include <stdio.h>\nint main(void) { unsigned a, b, c; H5get_libversion(&a, &b, &c);"
                'printf("%u.%u.%u", a, b, c); return 0; }\n')
    return run(build(source, library, source + ".out"), library=library).stdout.decode()


def keep(libraries):
    shutil.rmtree(KEPT, ignore_errors=True)
    os.makedirs(os.path.join(KEPT, "expected"))
    seen, lines = {}, []
    with tempfile.TemporaryDirectory() as work:
        canon = build("canon.c", libraries[-1], os.path.join(work, "canon"))
        for library in libraries:
            release = release_of(library, work)
            folder = os.path.join(work, release)
            os.makedirs(folder)
            done = run(build("newer.c", library, folder + ".newer"), folder, library=library)
            if done.returncode != 0:
                sys.exit(done.stderr.decode())
            for name in sorted(os.listdir(folder)):
                lines += keep_file(folder, name, release, seen, tell(canon, folder, name, libraries[-1]))
    with open(os.path.join(KEPT, "manifest.txt"), "w") as f:
        f.writelines(lines)


def keep_file(folder, name, release, seen, text):
    """Its lines of the manifest: none where the same release has made the same before."""
    with open(os.path.join(folder, name), "rb") as f:
        data = f.read()
    digest = release + hashlib.sha256(data).hexdigest() if name != "source.h5" else release + name
    if digest in seen:
        return []
    seen[digest] = name
    stem = name.split(".")[0]
    told = seen.get(text)
    if told is None:
        told = seen[text] = stem if stem not in seen.values() else "%s_%s" % (release, stem)
        with open(os.path.join(KEPT, "expected", told + ".txt"), "w") as f:
            f.write(text)
    os.makedirs(os.path.join(KEPT, release), exist_ok=True)
    with open(os.path.join(KEPT, release, name + ".gz"), "wb") as f:
        f.write(gzip.compress(data, 9, mtime=0))
    return ["%s/%s %s\n" % (release, name, told)]


def kept():
    with open(os.path.join(KEPT, "manifest.txt")) as f:
        return [line.split() for line in f]


def expected(told):
    with open(os.path.join(KEPT, "expected", told + ".txt")) as f:
        return f.read()


def check(canon):
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        for path, _ in kept():
            os.makedirs(os.path.join(work, os.path.dirname(path)), exist_ok=True)
            with gzip.open(os.path.join(KEPT, path + ".gz")) as packed, open(os.path.join(work, path), "wb") as f:
                shutil.copyfileobj(packed, f)
        for path, told in kept():
            folder, name = os.path.split(os.path.join(work, path))
            difference = first_difference(expected(told), tell(os.path.abspath(canon), folder, name))
            if difference:
                print("%s: %s" % (path, difference))
                failed += 1
    print("%d of %d files of libhdf5 1.12 and later are told right" % (len(kept()) - failed, len(kept())))
    return failed > 0


def pythons():
    for name in ["python3.%d" % minor for minor in (14, 13, 12, 11, 10)] + ["python3"]:
        found = shutil.which(name)
        if found:
            yield found


def h5py_of_20(folder):
    """The interpreter of an environment with h5py 3.16, made when there is none; nothing where it cannot be had."""
    python = os.path.join(folder, "bin", "python")
    works = [python, "-c", "import h5py; assert h5py.version.hdf5_version_tuple >= (2, 0, 0)"]
    for base in [None, *pythons()]:
        if base:
            shutil.rmtree(folder, ignore_errors=True)
            made = subprocess.run([base, "-m", "venv", folder], capture_output=True).returncode == 0
            made = made and subprocess.run([python, "-m", "pip", "install", "-q", "--retries", "0", "--timeout", "20", "--only-binary",
                                            ":all:", PACKAGE], capture_output=True).returncode == 0
            if not made:
                continue
        if os.path.exists(python) and subprocess.run(works, capture_output=True).returncode == 0:
            return python
    shutil.rmtree(folder, ignore_errors=True)
    return None


READ_ALL = """
import h5py, sys
def read(name, o):
    for get in [lambda n=n: o.attrs[n] for n in o.attrs] + [lambda: isinstance(o, h5py.Dataset) and 0 < o.size < 1 << 20 and o[()]]:
        try:
            get()
        except (TypeError, OSError) as e:  # h5py has no type for references of 1.12 and later and some complex numbers
            assert any(s in str(e) for s in ('No NumPy equivalent', 'nknown reference type', 'nsupported reference type')), (o.name, e)
for name in sys.argv[1:]:
    with h5py.File(name) as f:
        read('/', f)
        f.visititems(read)
"""


def libhdf5_of(folder):
    return glob.glob(os.path.join(folder, "lib", "*", "site-packages", "h5py.libs", "libhdf5-*.so*"))[0]


def make(newer, files, library=None, change=False):
    os.makedirs(files, exist_ok=True)
    done = run(newer, files, *(["change"] if change else []), library=library)
    if done.returncode != 0:
        sys.exit("%s: %s" % (newer, done.stderr.decode()))
    return sorted(os.listdir(files))


class Readers:
    """Both libraries, which must tell the same of a file."""
    def __init__(self, work, library, canon):
        self.canon, self.library, self.theirs = canon, library, build("canon.c", library, os.path.join(work, "canon"))
        self.failed = 0

    def text(self, folder, name):
        text = tell(self.theirs, folder, name, self.library)
        self.compare(name, text, tell(self.canon, folder, name))
        return text

    def compare(self, name, text, other):
        difference = first_difference(text, other)
        if difference:
            print("%s: %s" % (name, difference))
            self.failed += 1


def written(newer, canon, folder):
    newer, canon, folder = os.path.abspath(newer), os.path.abspath(canon), os.path.join(os.path.abspath(folder), "h5py-2.0")
    python = h5py_of_20(folder)
    if not python:
        print("skipped: %s, which brings libhdf5 2.0, cannot be had" % PACKAGE)
        return SKIPPED
    library = libhdf5_of(folder)
    with tempfile.TemporaryDirectory() as work:
        readers = Readers(work, library, canon)
        theirs, ours = os.path.join(work, "theirs"), os.path.join(work, "ours")
        names = make(newer, ours)
        stems = {path.split("/")[1]: told for path, told in kept() if path.startswith("2.")}
        for name in names:
            text = readers.text(ours, name)
            readers.compare(name, expected(stems[name]) if name in stems else text, text)
        done = subprocess.run([python, "-c", READ_ALL, *names], cwd=ours, capture_output=True)
        readers.compare("what h5py says", "", done.stderr.decode()[-500:])
        their_newer = build("newer.c", library, os.path.join(work, "newer"))
        make(their_newer, theirs, library)
        make(their_newer, ours, library, change=True)
        make(newer, theirs, change=True)
        for name in names:
            readers.compare(name + ", changed by the other", readers.text(theirs, name), readers.text(ours, name))
        print("%d files are read alike by libhdf5 2.0, and changed by it and for it; %d differences" % (len(names), readers.failed))
    return readers.failed > 0


COMMANDS = {"keep": lambda *a: keep(a), "check": check, "written": written}

if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    sys.exit(COMMANDS[sys.argv[1]](*sys.argv[2:]))
