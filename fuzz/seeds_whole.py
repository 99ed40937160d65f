#!/usr/bin/env python3
"""seeds_whole.py CORPUS DIR: inputs for the target on changing a whole file, DIR/change/*: small files of the
interoperability corpus, each behind a few steps, so that every kind of step meets every kind of file somewhere."""
import pathlib
import random
import sys

STEPS, KINDS = 7, 20


def prefix(draw):
    head = bytes([draw.randrange(4), 0, 0, 0])
    kinds = draw.sample(range(KINDS), STEPS)
    return head + b"".join(bytes([kind, *draw.randbytes(3)]) for kind in kinds)


def main(corpus, where, most=16 * 1024):
    folder = pathlib.Path(where, "change")
    folder.mkdir(parents=True, exist_ok=True)
    draw = random.Random(1)
    for path in sorted(pathlib.Path(corpus).glob("*.h5")):
        if path.stat().st_size <= most:
            (folder / path.stem).write_bytes(prefix(draw) + path.read_bytes())


main(*sys.argv[1:])
