#!/usr/bin/python3
"""Debian's C++ and Fortran bindings: a program of each writes and reads a file with both libraries crosswise."""

import os
import shutil
import sys

import clients

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE, LIBRARIES = "-I/usr/include/hdf5/serial", "-L/usr/lib/x86_64-linux-gnu/hdf5/serial"
PROGRAMS = {"C++": ["g++", "bindings.cpp", "-lhdf5_cpp", "-lhdf5"],
            "Fortran": ["gfortran", "bindings.f90", "-lhdf5_fortran", "-lhdf5"]}


def crosswise(program, dropin, folder):
    """What is read of each writer's file by each library; all must be the same."""
    libraries = {"stock": None, "dropin": dropin}
    texts = {}
    for writer, library in libraries.items():
        path = os.path.join(folder, f"{writer}.h5")
        made = clients.run([program, "make", path], dropin=library)
        for reader in libraries:
            shown = clients.run([program, "show", path], dropin=libraries[reader])
            texts[f"written by {writer}, read by {reader}"] = (made.returncode, made.stdout, made.stderr, shown.returncode,
                                                               shown.stdout, shown.stderr)
    return texts


def main():
    args = clients.arguments(__doc__)
    found = {name: how for name, how in PROGRAMS.items() if shutil.which(how[0])}
    clients.need("g++ or gfortran", found)
    for name in sorted(set(PROGRAMS) - set(found)):
        print(f"{name}: skipped, no {PROGRAMS[name][0]} (tools/dev/packages clients)")
    bad = 0
    for name, (compiler, source, *link) in found.items():
        with clients.scratch() as folder:
            program = os.path.join(folder, "program")
            built = clients.run([compiler, "-w", INCLUDE, os.path.join(HERE, source), LIBRARIES, *link, "-o", program])
            if built.returncode != 0:
                print(f"{name}: skipped, does not build here:\n{built.stderr[:500]}")
                continue
            texts = crosswise(program, args.dropin, folder)
        first, wanted = next(iter(texts.items()))
        good = wanted[0] == 0 and wanted[3] == 0 and len(wanted[4].splitlines()) > 5
        for who, text in texts.items():
            if text != wanted or not good:
                bad += 1
                print(f"{name}, {who}: {text}\n  {first}: {wanted}")
        print(f"{name}: {len(texts)} texts compared")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
