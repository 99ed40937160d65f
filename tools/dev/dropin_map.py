#!/usr/bin/env python3
"""Writes the version script of a drop-in library.

    dropin_map.py STOCK_LIBRARY OWN_LIBRARY [STOCK_HEADERS] > cmake/dropin.map (or dropin310.map)

Every name that both libraries export gets the version that the stock library gives it, so that the dynamic linker
takes ours where a program asks for the stock one. With the folder of stock's headers that is so for all that they
declare, also when ours does not have it yet. What only ours exports, and is done, has a version of its own:
programs find it when they look for it (python/tessera).
"""
import collections
import pathlib
import re
import subprocess
import sys

FUNCTIONS = pathlib.Path(__file__).parents[2] / "docs" / "public-functions.tsv"

# What Debian's tools take from the stock library beside the public functions: in the drop-in library alone.
PRIVATE = {"H5SL_create", "H5SL_destroy", "H5SL_insert", "H5SL_search", "H5_get_option", "H5_optarg", "H5_opterr", "H5_optind",
           "H5VL_pass_through_register"}


def exports(library):
    """Name to version (or an empty string) of what a library exports."""
    text = subprocess.run(["objdump", "-T", library], capture_output=True, text=True, check=True).stdout
    found = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) >= 6 and "*UND*" not in words and words[-1].startswith("H5"):
            found[words[-1]] = words[-2].strip("()")
    return found


def order(version):
    return [int(part) for part in version.split("_")[-1].split(".")]


def missing():
    """The functions that only report that they are not supported."""
    rows = [line.split("\t") for line in FUNCTIONS.read_text().splitlines()]
    return {name for name, _, state in rows if state == "missing"}


def declared(headers):
    """Every word of the headers that could be a name."""
    texts = [header.read_text(errors="replace") for header in pathlib.Path(headers).glob("H5*.h")] if headers else []
    return set(re.findall(r"\bH5\w+", "\n".join(texts)))


def main(stock, own, headers=None):
    mine, theirs = exports(own), exports(stock)
    wanted = mine.keys() | declared(headers) | PRIVATE
    by_version = collections.defaultdict(list)
    for name, version in theirs.items():
        by_version[version] += [name] if name in wanted else []
    by_version["TESSERA_0.1"] = sorted(mine.keys() - theirs.keys() - missing())
    before = ""
    for version in sorted(by_version, key=lambda v: (v.startswith("TESSERA"), order(v))):
        print("%s {" % version)
        if by_version[version]:
            print("  global:")
        for name in sorted(by_version[version]):
            print("    %s;" % name)
        if not before:
            print("  local: *;")
        print("}%s;" % before)
        before = " " + version


if __name__ == "__main__":
    main(*sys.argv[1:])
