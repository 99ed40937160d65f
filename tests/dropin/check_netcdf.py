#!/usr/bin/python3
"""netCDF: files that netcdf4-python, ncgen and nccopy make on the drop-in library and on stock libhdf5 must look the same to
ncdump and to netcdf4-python on both, also after the other library changed them; and files of libhdf5 that netCDF reads must
print the same."""

import concurrent.futures
import os
import re
import shutil
import sys

import clients

CASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "netcdf_cases.py")
EXAMPLES = "/usr/share/doc/python3-netcdf4/examples"
COPIES = {"level": ["-d", "5"], "shuffled": ["-d", "1", "-s"], "flat": ["-d", "0"], "fixed": ["-u"],
          "chunked": ["-c", "x/3,y/7,n/2,t/5,a/4,b/4,c/4"], "memory": ["-w", "-m", "100000"], "classic": ["-k", "nc7"]}


class Check:
    def __init__(self, dropin, folder):
        self.libraries = {"dropin": dropin, "stock": None}
        self.folder = folder
        self.bad = self.compared = 0

    def python(self, library, *arguments):
        """Standard output, which names what went wrong in a case, and how the process ended."""
        done = clients.run(["/usr/bin/python3", "-B", *arguments], dropin=self.libraries[library], cwd=self.folder)
        return done.stdout + (f"\nended with {done.returncode}: {done.stderr}" if done.returncode else "")

    def tool(self, library, *command):
        done = clients.run(list(command), dropin=self.libraries[library], cwd=self.folder)
        return f"{done.stdout}\n{done.stderr}" + (f"\nended with {done.returncode}" if done.returncode else "")

    def same(self, what, texts):
        """All the texts of {who: text} are those of the first."""
        first = next(iter(texts))
        for who, text in texts.items():
            self.compared += 1
            if text != texts[first]:
                self.bad += 1
                print(f"{what}: {who} differs from {first}")
                show_difference(texts[first], text)


def show_difference(a, b):
    shown = 0
    for one, other in zip(a.splitlines() + [""], b.splitlines() + [""]):
        if one != other and shown < 5:
            at = next((i for i, (x, y) in enumerate(zip(one, other)) if x != y), min(len(one), len(other)))
            print(f"    < {one[max(0, at - 60):at + 100]}\n    > {other[max(0, at - 60):at + 100]}")
            shown += 1


def folders(check):
    return {library: os.path.join(check.folder, library) for library in check.libraries}


def dumps(check, folder, reader):
    """All files of a folder as ncdump tells them on the library `reader`, with what they are stored like."""
    texts = []
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        texts.append(check.tool(reader, "ncdump", "-p", "9,17", path))
        texts.append(re.sub(r"_SuperblockVersion = \d", "", check.tool(reader, "ncdump", "-s", "-h", path)))
        texts.append(check.tool(reader, "ncdump", "-k", path))
    return "\n".join(texts)


def read_everywhere(check, what, of):
    """Each folder of {writer: folder} shown by each library."""
    for show in (dumps, lambda check, folder, reader: check.python(reader, CASES, "show", folder)):
        jobs = {f"written by {writer}, read by {reader}": (folder, reader)
                for writer, folder in of.items() for reader in ("stock", "dropin")}
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            texts = pool.map(lambda job: show(check, *job), jobs.values())
        check.same(what, dict(zip(jobs, texts)))


def made_and_changed(check):
    made = folders(check)
    check.same("made", {library: check.python(library, CASES, "make", folder) for library, folder in made.items()})
    read_everywhere(check, "made", made)
    changed = {}
    for writer in made:
        for changer in check.libraries:
            name = f"{writer}, then {changer}"
            changed[name] = os.path.join(check.folder, name)
            shutil.copytree(made[writer], changed[name])
            check.same("changing", {"none fails": "fine", name: "fine" if "Error" not in
                                    (said := check.python(changer, CASES, "append", changed[name])) else said})
    read_everywhere(check, "changed", changed)
    return made


def text_and_back(check, made):
    """ncgen makes each file again from its text."""
    folder = os.path.join(check.folder, "cdl")
    again = {library: os.path.join(check.folder, f"generated {library}") for library in check.libraries}
    for path in (folder, *again.values()):
        os.mkdir(path)
    said = {library: [] for library in again}
    for name in sorted(os.listdir(made["stock"])):
        text = os.path.join(folder, name + ".cdl")
        with open(text, "w") as out:
            out.write(check.tool("stock", "ncdump", "-s", os.path.join(made["stock"], name)))
        for library, where in again.items():
            said[library].append(check.tool(library, "ncgen", "-4", "-o", os.path.join(where, name), text)
                                 .replace(where, "FOLDER"))
    check.same("ncgen", {library: "\n".join(texts) for library, texts in said.items()})
    read_everywhere(check, "generated", again)


def copied(check, made):
    folder = {library: os.path.join(check.folder, f"copied {library}") for library in check.libraries}
    for library, where in folder.items():
        os.mkdir(where)
    said = {library: [] for library in folder}
    for how, options in COPIES.items():
        for name in ("filters", "unlimited", "scales", "compounds", "slices", "classic", "fills", "groups"):
            for library, where in folder.items():
                other = "stock" if library == "dropin" else "dropin"
                result = check.tool(library, "nccopy", *options, os.path.join(made[other], name + ".nc"),
                                    os.path.join(where, f"{name}-{how}.nc"))
                said[library].append(f"{name} {how} {result}".replace(where, "FOLDER").replace(made[other], "SOURCE"))
    check.same("nccopy", {library: "\n".join(texts) for library, texts in said.items()})
    texts = {f"copied by {library}": dumps(check, where, library) for library, where in folder.items()}
    check.same("copied", {who: text for who, text in texts.items()})


def examples(check):
    """Those of Debian's package that need nothing but netCDF; they check or print what they read."""
    for name in ("tutorial.py", "json_att.py", "subset.py", "test_stringarr.py"):
        script = os.path.join(EXAMPLES, name)
        if not os.path.exists(script):
            continue
        texts = {}
        for library in ("stock", "dropin"):
            where = os.path.join(check.folder, f"example {name} {library}")
            os.mkdir(where)
            done = clients.run(["/usr/bin/python3", "-B", "-W", "ignore", "-c",
                                "import numpy, random, sys; numpy.random.seed(1); random.seed(1); exec(open(sys.argv[1]).read())", script],
                               dropin=check.libraries[library], cwd=where)
            texts[library] = "\n".join(line for line in (done.stdout + done.stderr).splitlines() if " seconds" not in line
                                       and "history" not in line and "took" not in line)
        check.same(name, texts)


def read_corpus(check, corpus, full):
    """Files of libhdf5 as netCDF sees them. It never ends on groups that contain themselves, and it dies of some types and
    knows no lzf on stock: only what it reads there is compared. Stock takes no dimension of 4 bytes for unlimited, and since 1.14
    netCDF leaves out half precision there, which is a native type."""
    left_out = "bad_|links_cycles|superblock_sizes"
    if clients.stock.release() >= (1, 14):
        left_out += "|attr_big_endian"
    names = sorted(name for name in os.listdir(corpus)
                   if name.endswith(".h5") and not re.match(left_out, name))
    chosen, n = names if full else names[::20], 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        def both(name):
            return {library: check.tool(library, "ncdump", os.path.join(corpus, name)) for library in ("stock", "dropin")}
        for name, texts in zip(chosen, pool.map(both, chosen)):
            if "\nended with" not in texts["stock"]:
                n += 1
                check.same(f"corpus {name}", texts)
    return n


def main():
    args = clients.arguments(__doc__)
    clients.need_module("python3-netcdf4", "netCDF4")
    clients.need_program("netcdf-bin", "ncdump")
    with clients.scratch() as folder:
        check = Check(args.dropin, folder)
        made = made_and_changed(check)
        text_and_back(check, made)
        if args.full:
            copied(check, made)
            examples(check)
        n = read_corpus(check, args.corpus, args.full)
        print(f"{len(os.listdir(made['stock']))} files made, {n} of the corpus read, {check.compared} texts compared, "
              f"{check.bad} differ")
    return 1 if check.bad else 0


if __name__ == "__main__":
    sys.exit(main())
