#!/usr/bin/python3
"""Octave's save -hdf5 and load -hdf5: values of all kinds, saved and loaded by both libraries crosswise, and what Octave makes of
files that are not its own."""

import os
import re
import shutil
import sys

import clients

LEFT_OUT = re.compile("bad_|links_cycles|.*_writing|group_.*000links")
DIED, END = "Octave died", "end of foreign files"
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "octave_values.m")


def octave(library, what, folder, *more):
    done = clients.run(["octave-cli", "--no-init-file", "--no-gui", "--no-history", "--quiet", SCRIPT, *more, what, folder],
                       dropin=library, timeout=3000)
    said = f"{done.stdout}\n{without_stacks(done.stderr)}" + (f"\nended with {done.returncode}" if done.returncode else "")
    return said.replace(folder, "FOLDER")


def without_stacks(text):
    """What libhdf5 prints of an error by itself is the library's own affair."""
    return "\n".join(line for line in text.splitlines() if not re.match(r"HDF5-DIAG|  #\d|    (major|minor):", line))


def first_difference(a, b):
    for one, other in zip(a.splitlines() + [""] * 9, b.splitlines() + [""] * 9):
        if one != other:
            return f"    < {one[:160]}\n    > {other[:160]}"
    return "    one is longer"


class Texts:
    """Texts that must be equal, by whose they are."""
    def __init__(self):
        self.bad = self.compared = 0

    def same(self, what, texts):
        (first, wanted), *others = texts.items()
        for who, text in others:
            self.compared += 1
            if text != wanted:
                self.bad += 1
                print(f"{what}: {who} differs from {first}\n{first_difference(wanted, text)}")


def crosswise(texts, dropin, folder):
    libraries = {"stock": None, "dropin": dropin}
    where = {name: os.path.join(folder, name) for name in libraries}
    for path in where.values():
        os.mkdir(path)
    texts.same("saving", {name: octave(library, "save", where[name]) for name, library in libraries.items()})
    loaded = {f"saved by {writer}, loaded by {reader}": octave(libraries[reader], "load", where[writer])
              for writer in libraries for reader in libraries}
    texts.same("loading", loaded)
    wrong = [line for line in next(iter(loaded.values())).splitlines()
             if re.search(r"same 0|is another|^ended", line) and "complex_single" not in line]
    if wrong:
        texts.bad += 1
        print("not what was saved:", *wrong, sep="\n    ")
    return len(os.listdir(where["stock"]))


def load_foreign(library, folder, names):
    """{name: what is printed}; Octave dies of some files, and another process goes on behind them."""
    found = {}
    while len(found) < len(names):
        said = octave(library, "foreign", folder, names[len(found)])
        parts = [part.split("\n", 1) for part in re.split(r"(?m)^file (?=\S+\.h5\n)", said.split(END)[0])[1:]]
        if END not in said:
            parts = parts[:-1] + [(names[len(found) + max(len(parts), 1) - 1], DIED)]
        found.update(parts)
    return found


def foreign(texts, dropin, corpus, folder, full):
    """Groups that hold themselves never end, those with 10,000 links take minutes; a file whose writer died opens with
    Tessera only."""
    names = sorted(name for name in os.listdir(corpus) if name.endswith(".h5") and not LEFT_OUT.match(name)
                   and os.path.getsize(os.path.join(corpus, name)) < 1 << 20)
    chosen = names if full else names[7::25]
    here = os.path.join(folder, "foreign")
    os.mkdir(here)
    for name in chosen:
        shutil.copy(os.path.join(corpus, name), here)
    stock, ours = (load_foreign(library, here, chosen) for library in (None, dropin))
    # Where Octave loads nothing on stock it may well load something here: lzf, for one.
    compared = [name for name in chosen if stock[name] != DIED and f"{name}: error: " not in stock[name]]
    for name in compared:
        texts.same(f"foreign {name}", {"stock": stock[name], "dropin": ours[name]})
    return len(compared)


def main():
    args = clients.arguments(__doc__)
    clients.need_program("octave", "octave-cli")
    texts = Texts()
    with clients.scratch() as folder:
        n_files = crosswise(texts, args.dropin, folder)
        n_foreign = foreign(texts, args.dropin, args.corpus, folder, args.full)
    print(f"{n_files} files saved, {n_foreign} foreign ones loaded, {texts.compared} texts compared, {texts.bad} differ")
    return 1 if texts.bad else 0


if __name__ == "__main__":
    sys.exit(main())
