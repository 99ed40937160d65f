#!/usr/bin/env python3
"""The list of public functions: what include/ declares, and which of it src/api/ defines.

    functions.py --update         rewrite docs/public-functions.tsv and the figure in README.md
    functions.py --check          fail if one of them is stale, or if a definition has no declaration
    functions.py --count          print "N of M public functions"
    functions.py --stubs OUT.c    write definitions that fail for everything declared but not defined
"""

import argparse
import pathlib
import re
import sys

PROTOTYPE = re.compile(r"\bH5_DLL\s+([^;(]*?)(H5\w+)\s*\(([^;]*)\)\s*;")
DEFINITION = re.compile(r"^(?!static\b|extern\b|typedef\b)[A-Za-z_][\w \t*]*?\b(H5\w+)\s*\([^;{}]*\)\s*\n\{", re.M)
INTERFACE = re.compile(r"H5(?:FD|PL|VL|ES|[A-Z])?")

# Return types that cannot hold a negative number; all others that are not pointers can.
UNSIGNED = {"unsigned", "unsigned int", "size_t", "hsize_t"}
FUNCTION_POINTERS = {"H5T_conv_t"}
PRIVATE = ("dropin_connectors.c", "dropin_tools.c")  # what only the drop-in library has


def code_of(path):
    """The text of a C file without comments and preprocessor lines."""
    text = path.read_text()
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"//[^\n]*", "", text)
    return re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", "", text, flags=re.M)


def declared(root):
    """name -> (return type, parameter list)"""
    found = {}
    for header in sorted((root / "include").glob("*.h")):
        for ret, name, params in PROTOTYPE.findall(code_of(header)):
            if name in found:
                sys.exit(f"{header.name}: {name} is declared twice")
            found[name] = (" ".join(ret.split()), " ".join(params.split()))
    return found


def defined(root):
    names = set()
    for source in sorted((root / "src" / "api").glob("*.c")):
        if source.name in PRIVATE:
            continue
        names.update(DEFINITION.findall(code_of(source)))
    return names


def table(functions, done):
    rows = []
    for name in sorted(functions):
        state = "done" if name in done else "missing"
        rows.append(f"{name}\t{INTERFACE.match(name).group()}\t{state}\n")
    return "".join(rows)


def fail_value(ret):
    if ret.endswith("*") or ret in FUNCTION_POINTERS:
        return "NULL"
    if ret == "haddr_t":
        return "HADDR_UNDEF"
    if ret in UNSIGNED:
        return "0"
    return f"({ret})-1"


def stub(name, ret, params):
    space = "" if ret.endswith("*") else " "
    message = f'(void)TS_ERR(FUNC, UNSUPPORTED, "{name} is not supported");'
    last = "" if ret == "void" else f"\n    return TS_API_FAIL({fail_value(ret)});"
    return f"{ret}{space}{name}({params})\n{{\n    TS_API_ENTER(FUNC, UNSUPPORTED, \"not supported\");\n    {message}{last}\n}}\n"


def stubs(functions, done):
    parts = [
        "/* Written by tools/dev/functions.py: public functions that are not done yet. They fail, and say so. */\n",
        '#include "api/api.h"\n\n#include "hdf5.h"\n\n#include "H5abi110.h"\n\n',
        '#pragma GCC diagnostic ignored "-Wunused-parameter"\n',
    ]
    for name in sorted(set(functions) - done):
        parts.append("\n" + stub(name, *functions[name]))
    return "".join(parts)


def count(functions, done):
    return f"{len(done & set(functions))} of {len(functions)} public functions"


def check(listing, readme, functions, done):
    problems = [f"{name} is defined in src/api but not declared in include" for name in sorted(done - set(functions))]
    if not listing.exists() or listing.read_text() != table(functions, done):
        problems.append(f"{listing.name} is stale: run tools/dev/functions.py --update")
    if count(functions, done) not in readme.read_text():
        problems.append(f"{readme.name} does not say {count(functions, done)}: run tools/dev/functions.py --update")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--update", action="store_true")
    what.add_argument("--check", action="store_true")
    what.add_argument("--count", action="store_true")
    what.add_argument("--stubs", type=pathlib.Path, metavar="OUT.c")
    args = parser.parse_args()

    listing = args.root / "docs" / "public-functions.tsv"
    readme = args.root / "README.md"
    functions = declared(args.root)
    done = defined(args.root)
    if args.update:
        listing.parent.mkdir(exist_ok=True)
        listing.write_text(table(functions, done))
        readme.write_text(re.sub(r"\d+ of \d+ public functions", count(functions, done), readme.read_text()))
    elif args.count:
        print(count(functions, done))
    elif args.stubs:
        args.stubs.parent.mkdir(parents=True, exist_ok=True)
        args.stubs.write_text(stubs(functions, done))
    else:
        return check(listing, readme, functions, done)
    return 0


if __name__ == "__main__":
    sys.exit(main())
