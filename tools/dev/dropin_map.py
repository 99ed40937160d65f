#!/usr/bin/env python3
"""Writes the version script of the drop-in library.

    dropin_map.py STOCK_LIBRARY OWN_LIBRARY > cmake/dropin.map

Every name that both libraries export gets the version that the stock library gives it, so that the dynamic linker
takes ours where a program asks for the stock one.
"""
import collections
import subprocess
import sys


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


def main(stock, own):
    mine = exports(own)
    by_version = collections.defaultdict(list)
    for name, version in exports(stock).items():
        by_version[version] += [name] if name in mine else []
    before = ""
    for version in sorted(by_version, key=order):
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
