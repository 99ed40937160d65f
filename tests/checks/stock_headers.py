#!/usr/bin/env python3
"""Compares our public headers with those of every libhdf5 that is at hand, as compilers see them.

    stock_headers.py OUR_INCLUDE WORK_FOLDER [STOCK_INCLUDE ...]

A program that includes all headers is compiled with theirs and with ours. Compared are the layouts of types, values of
enumerations and macros, which version a name stands for, and, by declaring theirs after ours, functions and variables.
Without STOCK_INCLUDE: the headers of the system, and those of the file system roots in TESSERA_ROOTS (or build/roots).
What differs on purpose is in stock_headers.txt, with the reason. Ends with 77 when there is nothing to compare with.
"""
import pathlib
import re
import subprocess
import sys

import dwarf_types

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import roots  # noqa: E402

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
DECLARATION = re.compile(r"^\s*H5_DLL(?:VAR)?\s+([^;{}]*?)\b(H5\w+)\s*(\([^;{}]*\)|\[\])?\s*;", re.M)
OTHER_LIBRARIES = re.compile(r"H5(DO|DS|IM|LD|LT|PT|TB)public\.h|hdf5_hl\.h|H5[A-Z][a-z]\w+\.h|H5f90\w*\.h")
# What a build was configured with, and the macros that libhdf5's own sources calculate with.
NOT_COMPARED = {"H5pubconf.h", "H5overflow.h", "H5api_adpt.h"}
# Interfaces that are compared, by release: what theirs is compiled with, and ours.
INTERFACES = {
    (1, 10): [("-DH5_USE_18_API", "-DH5_USE_18_API")],  # which Debian's is by default, whatever else is asked for
    (1, 14): [("", ""), ("-DH5_USE_112_API", "-DH5_USE_112_API"), ("-DH5_USE_110_API", "-DH5_USE_110_API"),
              ("-DH5_USE_18_API", "-DH5_USE_18_API"), ("-DH5_USE_16_API", "-DH5_USE_16_API")],
    (2,): [("", "-DH5_USE_200_API"), ("-DH5_USE_114_API", "-DH5_USE_114_API"), ("-DH5_USE_110_API", "-DH5_USE_110_API")],
}


class Headers:
    """The headers in a folder, compiled with some flags."""

    def __init__(self, folder, flags, work):
        self.folder = pathlib.Path(folder)
        self.flags = flags.split()
        self.work = pathlib.Path(work)
        self.names = sorted(path.name for path in self.folder.glob("H5*.h")
                            if not OTHER_LIBRARIES.fullmatch(path.name) and path.name != "H5abi110.h")
        self.names = ["hdf5.h"] + [name for name in self.names if not re.search(r"\bH5_NEEDS_MPI\b|mpi.h", name)]
        # Later releases keep them apart for those who write drivers, filters and connectors.
        self.prelude = "".join(f'#include "{name}"\n' for name in self.names)

    def compile(self, text, *options):
        """Exit status, and what the compiler said."""
        source = self.work / "program.c"
        source.write_text(text)
        run = subprocess.run(["cc", "-std=gnu11", "-w", "-ferror-limit=0" if "clang" in options else "-fmax-errors=0",
                              *self.flags, f"-I{self.folder}", *options, str(source)], capture_output=True, text=True)
        return run.returncode, run.stderr if "-E" not in options else run.stdout

    def types(self):
        status, said = self.compile(self.prelude, "-g", "-gdwarf-4", "-fno-eliminate-unused-debug-types", "-c", "-o", str(self.work / "types.o"))
        if status:
            sys.exit(f"{self.folder}: the headers do not compile: {said}")
        return dwarf_types.described(self.work / "types.o")

    def macros(self):
        """Name to (parameters or None, text) of what the headers define."""
        _, text = self.compile(self.prelude, "-dD", "-E")
        found, source = {}, ""
        for line in text.splitlines():
            if place := re.match(r'# \d+ "(.*)"', line):
                source = place.group(1)
            elif undone := re.match(r"#undef (\w+)", line):
                found.pop(undone.group(1), None)
            elif defined := re.match(r"#define (\w+)(\([^)]*\))?\s*(.*)", line):
                path = pathlib.Path(source)
                if path.parent == self.folder and path.name not in NOT_COMPARED and not re.search(r"_H_*$|_h$", defined.group(1)):
                    found[defined.group(1)] = (defined.group(2), " ".join(defined.group(3).split()))
        return found

    def values(self, names, form):
        """Name to value of those macros that are a constant of the form that the C expression `form` reads."""
        names = list(names)
        start = self.prelude + "#include <stdio.h>\nint main(void)\n{\n"
        for _ in range(20):
            lines = [f'    {{ static const {form.format(name)}; printf("%s " FORM "\\n", "{name}", v); }}' for name in names]
            text = "#define FORM " + ('"%s"' if "char" in form else '"%.20Lg"') + "\n" + start + "\n".join(lines) + "\n}\n"
            first = text.split("    {", 1)[0].count("\n")
            status, said = self.compile(text, "-fno-diagnostics-show-caret", "-O0", "-Dh5_dll=", "-o", str(self.work / "values"))
            bad = {int(line) - first - 1 for line in re.findall(r"program\.c:(\d+):\d+: (?:error|note: in expansion)", said)}
            if not bad:
                break
            names = [name for at, name in enumerate(names) if at not in bad]
        if status and "undefined reference" not in said:
            sys.exit(said)
        ran = subprocess.run([str(self.work / "values")], capture_output=True, text=True, check=True)
        return dict(line.split(" ", 1) for line in ran.stdout.splitlines())

    def declarations(self):
        """Name to its text, of functions and variables that the preprocessor leaves."""
        _, text = self.compile("#include \"H5public.h\"\n#undef H5_DLL\n#undef H5_DLLVAR\n" + self.prelude, "-E", "-P")
        text = COMMENT.sub(" ", text)
        found = {}
        for match in re.finditer(r"(?<![\w.])extern\b(?:\s*__attribute__\s*\(\(visibility\(\"default\"\)\)\))?\s+([^;{}]*?\b(H5\w+)\s*(?:\([^;{}]*\))?)"
                                 r"(?:\s*__attribute__\s*\(\([^;]*\)\))*\s*;", text):
            found.setdefault(match.group(2), " ".join(match.group(1).split()))
        return found


def version(folder):
    text = (pathlib.Path(folder) / "H5public.h").read_text()
    return tuple(int(re.search(rf"#define H5_VERS_{part}\s+(\d+)", text).group(1)) for part in ("MAJOR", "MINOR", "RELEASE"))


def compared_macros(theirs, ours):
    their, our = theirs.macros(), ours.macros()
    yield from ((name, "not defined") for name in sorted(their.keys() - our.keys()))
    both = sorted(their.keys() & our.keys())
    for name in both:
        if (their[name][0] is None) != (our[name][0] is None):
            yield name, "one has parameters, one has none"
        elif their[name][0] and their[name][0].count(",") != our[name][0].count(","):
            yield name, f"has parameters {our[name][0]}, theirs {their[name][0]}"
    plain = [name for name in both if their[name][0] is None and our[name][0] is None and their[name][1]]
    # A bare name: which version of a function or type is meant, or an alias.
    for name in [name for name in plain if re.fullmatch(r"H5\w+", their[name][1]) and name + "_vers" in their]:
        if their[name][1] != our[name][1]:
            yield name, f"is {our[name][1]}, theirs {their[name][1]}"
    for form in ("long double v = (long double)({})", 'char v[] = "" {} ""'):
        their_values, our_values = theirs.values(plain, form), ours.values(plain, form)
        for name, value in their_values.items():
            if our_values.get(name) != value:
                yield name, f"is {our_values.get(name, 'no constant')}, theirs {value}"


def compared_types(theirs, ours):
    their, our = theirs.types(), ours.types()
    for name in sorted(their):
        if not re.match(r"(H5|h[a-z]+_t$|enum H5|struct H5|union H5)", name):
            continue
        if name not in our:
            yield name, "no such type or constant"
        elif our[name] != their[name]:
            yield name, f"is {our[name]}, theirs {their[name]}"


def compared_declarations(theirs, ours):
    their, our = theirs.declarations(), ours.declarations()
    yield from ((name, "not declared") for name in sorted(their.keys() - our.keys()))
    both = sorted(their.keys() & our.keys())
    text = ours.prelude + "".join(f"#undef {name}\n" for name in both)
    first = text.count("\n")
    lines = [f"extern {their[name]};" for name in both]
    _, said = ours.compile(text + "\n".join(lines) + "\n", "-fsyntax-only", "-fno-diagnostics-show-caret")
    for line in sorted(set(re.findall(r"program\.c:(\d+):\d+: error", said)), key=int):
        name = both[int(line) - first - 1]
        yield name, f"is {our[name]}, theirs {their[name]}"


def meant(path):
    """Patterns of (release, name) of differences that are meant."""
    rows = [line.split("\t") for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return [(re.compile(row[0]), re.compile(row[1])) for row in rows]


def stock_folders():
    places = [pathlib.Path("/usr/include/hdf5/serial"), pathlib.Path("/usr/include"), *(stock.include for stock in roots.unpacked())]
    return [place for place in places if (place / "H5public.h").exists()]


def compare(stock, ours, work, known):
    release = version(stock)
    interfaces = next((rows for start, rows in INTERFACES.items() if release[:len(start)] == start), [])
    if not interfaces:
        sys.exit(f"{stock}: nothing is known of release {release}")
    text, wrong = ".".join(map(str, release)), {}
    for their_flags, our_flags in interfaces:
        theirs, own = Headers(stock, their_flags, work), Headers(ours, our_flags, work)
        for compared in (compared_types, compared_macros, compared_declarations):
            for name, what in compared(theirs, own):
                if not any(start.match(text) and pattern.fullmatch(name) for start, pattern in known):
                    wrong.setdefault((name, what), their_flags or "by default")
    for (name, what), flags in wrong.items():
        print(f"{text} ({flags}): {name} {what}")
    print(f"{stock}: {text}, {len(interfaces)} interfaces, {len(wrong)} differences that are not meant")
    return len(wrong)


def main(ours, work, *folders):
    pathlib.Path(work).mkdir(parents=True, exist_ok=True)
    known = meant(pathlib.Path(__file__).with_name("stock_headers.txt"))
    asked, folders = bool(folders), folders or stock_folders()
    if not folders:
        print("no headers of libhdf5 to compare with")
        return 77
    wrong = 0
    there = [version(folder) for folder in folders]
    for release in INTERFACES:
        if not asked and not any(one[:len(release)] == release for one in there):
            print(f"{'.'.join(map(str, release))}: no headers at hand to compare with")
    for folder in folders:
        wrong += compare(pathlib.Path(folder), pathlib.Path(ours), work, known)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
