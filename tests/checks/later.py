#!/usr/bin/env python3
"""Runs a program of tests/later and compares what it prints with what it prints on stock libhdf5.

    later.py PROGRAM SOURCE [DROPIN]   compare with SOURCE's .out; what stock prints is compared too, where stock is at hand, and
                                       what the program that was built with the system's stock prints on the library in DROPIN
    later.py --record SOURCE           write the .out, from the oldest stock library that is at hand

At hand are 1.14 and later of the system, and of the file system roots in TESSERA_ROOTS (or build/roots). Programs whose name ends in _200 are
for 2.0 and later. Since all releases from there on print the same, one .out serves for all.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOTS = pathlib.Path(__file__).resolve().parents[2] / "build" / "roots"
LIBRARIES = "usr/lib/x86_64-linux-gnu"


class Stock:
    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.include = self.root / "usr/include/hdf5/serial"
        library = sorted((self.root / LIBRARIES).glob("libhdf5_serial.so.[0-9][0-9][0-9]"))
        self.library = library[-1] if library else None
        header = self.include / "H5public.h"
        text = header.read_text() if header.exists() else ""
        numbers = re.findall(r"#define H5_VERS_(?:MAJOR|MINOR|RELEASE)\s+(\d+)", text)[:3]
        self.release = tuple(map(int, numbers)) if self.library else ()

    def is_of_this_system(self):
        return self.root == pathlib.Path("/")

    def command(self, program):
        loader = next((self.root / place for place in ("lib64/ld-linux-x86-64.so.2", "usr/lib64/ld-linux-x86-64.so.2")
                       if (self.root / place).exists()), None)
        if self.is_of_this_system():
            return [program]
        return [str(loader), "--library-path", str(self.root / LIBRARIES), program]

    def built(self, source, work):
        program = str(pathlib.Path(work) / "stock")
        subprocess.run(["cc", "-std=gnu11", "-w", f"-I{self.include}", f"-I{source.parent}", str(source), str(self.library),
                        "-Wl,--allow-shlib-undefined", "-lm", "-o", program], check=True)
        return program

    def said(self, source, work):
        return run(self.command(self.built(source, work)))


def run(command, dropin=None):
    env = dict(os.environ, LD_LIBRARY_PATH=dropin) if dropin else None
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=120)
    return done.stdout + (f"status {done.returncode}\n{done.stderr}" if done.returncode else "")


def at_hand(source):
    roots = [pathlib.Path("/")]
    roots += sorted(pathlib.Path(os.environ.get("TESSERA_ROOTS") or ROOTS).glob("*"))
    oldest = (2, 0, 0) if source.stem.endswith("_200") else (1, 14, 0)
    return sorted((stock for stock in map(Stock, roots) if stock.release >= oldest), key=lambda stock: stock.release)


def compare(what, said, expected):
    if said == expected:
        return 0
    print(f"{what} prints something else than expected:")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("expected", expected), ("said", said)):
            (pathlib.Path(folder) / name).write_text(text)
        subprocess.run(["diff", "expected", "said"], cwd=folder)
    return 1


def main(program, source, dropin=None):
    source = pathlib.Path(source).resolve()
    golden = source.with_suffix(".out")
    with tempfile.TemporaryDirectory() as work:
        if program == "--record":
            golden.write_text(at_hand(source)[0].said(source, work))
            return 0
        expected, wrong = golden.read_text(), 0
        if not at_hand(source):
            print("no such libhdf5 at hand: compared with what was recorded")
        for stock in at_hand(source):
            wrong += compare(f"libhdf5 {'.'.join(map(str, stock.release))}", stock.said(source, work), expected)
            print("compared with libhdf5", ".".join(map(str, stock.release)))
            if dropin and stock.is_of_this_system():
                wrong += compare("The drop-in library", run([stock.built(source, work)], dropin), expected)
    return 1 if wrong + compare("Tessera", run([program]), expected) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
