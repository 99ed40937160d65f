#!/usr/bin/env python3
"""The twin programs beside a stock release that is unpacked, not installed (support/roots.py), as on a system that has it.

    twin_releases.py RELEASE LIBRARY [--every N] [--only NAME...] [--options OPTION...]

RELEASE is 1.14 or 2.2, LIBRARY Tessera's, OPTIONS what a program needs to be linked with it. Each program is built with stock's headers and
library, and with ours, and compared by twin.sh; one in N, with each release others, unless TESSERA_ALL is 1. Ends with 77 where there is
no such release.
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TWINS = HERE.parent / "twin"
sys.path.insert(0, str(HERE.parent / "support"))
import roots  # noqa: E402

SKIPPED = 77
SECONDS_FOR_EACH = "300"


class Twins:
    def __init__(self, stock, library, options, folder):
        major, minor, patch = stock.release
        self.stock, self.library, self.folder = stock, pathlib.Path(library).resolve(), pathlib.Path(folder)
        self.version = str(major * 10000 + minor * 100 + patch)
        self.options = [f"-Wl,-rpath,{self.library.parent}", *options]

    def build(self, source):
        both = ["-O0", "-DH5_USE_18_API", f"-DSTOCK_VERSION={self.version}"]
        programs = [self.folder / f"twin-{source.stem}-{side}" for side in ("stock", "tessera")]
        self.stock.build(source, programs[0], *both, "-DH5Pencode_vers=1", "-DIS_TESSERA=0", include=self.stock.include)
        roots.build(source, programs[1], roots.PROJECT / "include", self.library, *both, "-DIS_TESSERA=1", *self.options)
        return programs

    def compare(self, source):
        """The status of twin.sh, and what it says."""
        try:
            command = ["timeout", SECONDS_FOR_EACH, HERE / "twin.sh", *self.build(source), self.version]
        except subprocess.CalledProcessError:
            return 1, "cannot be built"
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout or f"ended with {done.returncode}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("release")
    parser.add_argument("library")
    parser.add_argument("--every", type=int, default=1, metavar="N")
    parser.add_argument("--only", nargs="+", metavar="NAME")
    parser.add_argument("--options", nargs=argparse.REMAINDER, default=[])
    args = parser.parse_args()
    release = tuple(map(int, args.release.split(".")))
    stock = next((stock for stock in roots.unpacked() if stock.release[:2] == release), None)
    if not stock:
        print(f"skipped: libhdf5 {args.release} is not at hand (make roots)")
        return SKIPPED
    sources = [source for source in sorted(TWINS.glob("*.c")) if not args.only or source.stem in args.only]
    if os.environ.get("TESSERA_ALL") != "1":
        sources = sources[release[0] % args.every::args.every]
    skipped, wrong = 0, 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        twins = Twins(stock, args.library, args.options, folder)
        for source, (status, said) in zip(sources, pool.map(twins.compare, sources)):
            skipped += status == SKIPPED
            wrong += status not in (0, SKIPPED)
            if status:
                print(f"{source.stem}: {said}", flush=True)
    print(f"libhdf5 {stock.name}: {len(sources) - skipped} programs compared, {skipped} skipped, {wrong} differ")
    return 1 if wrong or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
