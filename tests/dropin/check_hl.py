#!/usr/bin/python3
"""Debian's high-level library (H5LT, H5TB, H5DS, H5PT, H5IM, H5DO) on the drop-in library: a program that uses each of its
interfaces prints the same on both libraries, and makes files in which stock finds the same."""

import glob
import os
import re
import shutil
import subprocess
import sys

import clients
from clients import stock

HERE = os.path.dirname(os.path.abspath(__file__))
HEADERS = "/usr/include/hdf5/serial"


def high_level():
    """libhdf5_serial_hl.so.100, or whatever number it has here."""
    return next(iter(sorted(glob.glob("/usr/lib/*/libhdf5_serial_hl.so.???"))), None)


def build(folder):
    program = os.path.join(folder, "hl")
    subprocess.run(["cc", "-Wall", "-I", HEADERS, os.path.join(HERE, "hl.c"), "-o", program,
                    high_level(), stock.FILE], check=True)
    return program


def steady(text):
    """Without the fill values of tables: the high-level library stores memory that it never set."""
    return re.sub(r'(ATTRIBUTE "FIELD_\d+_FILL" {.*?DATA {\n).*?\n( *}\n *}\n)', r"\1\2", text, flags=re.S)


def main():
    found = clients.arguments(__doc__)
    clients.need("libhdf5-dev", os.path.exists(os.path.join(HEADERS, "hdf5_hl.h")) and high_level())
    clients.need("gcc", shutil.which("cc"))
    clients.need_program("hdf5-tools", "h5dump")
    with clients.scratch() as folder:
        program = build(folder)
        results = []
        for dropin in (None, found.dropin):
            file = os.path.join(folder, "dropin.h5" if dropin else "stock.h5")
            done = clients.run([program, file], dropin)
            shown = clients.run(["h5dump", "-p", file])
            if done.returncode != 0 or shown.returncode != 0:
                print(f"{os.path.basename(file)}: {done.returncode}, {shown.returncode}\n{done.stderr}{shown.stderr}")
                return 1
            results.append((done.stdout, steady(clients.without_places(shown.stdout.split("\n", 1)[1]))))
        (told, held), (told_here, held_here) = results
        bad = clients.differ("the program", told, told_here) + clients.differ("its file", held, held_here)
    print(f"the high-level library: {told.count(chr(10))} lines of output, {held.count(chr(10))} of the file, {bad} differ")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
