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
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import roots  # noqa: E402


def built(stock, source, work):
    program = str(pathlib.Path(work) / "stock")
    stock.build(source, program, f"-I{source.parent}", include=stock.include)
    return program


def said_by(stock, source, work):
    return run(stock.command(built(stock, source, work)))


def run(command, dropin=None):
    env = dict(os.environ, LD_LIBRARY_PATH=dropin) if dropin else None
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=120)
    return done.stdout + (f"status {done.returncode}\n{done.stderr}" if done.returncode else "")


def at_hand(source):
    return roots.at_hand((2, 0, 0) if source.stem.endswith("_200") else (1, 14, 0))


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
            golden.write_text(said_by(at_hand(source)[0], source, work))
            return 0
        expected, wrong = golden.read_text(), 0
        if not at_hand(source):
            print("no such libhdf5 at hand: compared with what was recorded")
        for stock in at_hand(source):
            wrong += compare(f"libhdf5 {stock.name}", said_by(stock, source, work), expected)
            print("compared with libhdf5", stock.name)
            if dropin and stock.own:
                wrong += compare("The drop-in library", run([built(stock, source, work)], dropin), expected)
    return 1 if wrong + compare("Tessera", run([program]), expected) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
