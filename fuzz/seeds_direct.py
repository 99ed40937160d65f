#!/usr/bin/env python3
"""seeds_direct.py DIR: inputs for the target on chunks that the application encoded, DIR/struct_direct/*."""
import pathlib
import struct
import sys

CHUNK = 20
EDGE, CONTENTS, TOLD = 1, 2, 4
# As in struct_direct.c: what the elements are, which sections chunks have.
SHAPES = [("int", "sparse"), ("int", "sparse"), ("text", "sparse"), ("text", "sparse"), ("nested", "sparse"), ("text", "dense"),
          ("nested", "dense"), ("record", "sparse"), ("record", "dense")]


def space(selection):
    extent = bytes([2, 1, 1, 1]) + struct.pack("<2Q", CHUNK, CHUNK)
    return bytes([1, 0, 8]) + struct.pack("<I", len(extent)) + extent + selection


def points(elements):
    return space(struct.pack("<2IBI", 1, 2, 2, 1) + struct.pack(f"<{len(elements) + 1}H", len(elements), *elements))


def block(first, n):
    return space(struct.pack("<2I2BI4H", 2, 3, 1, 2, 1, first, 1, 1, n))


class Heap:
    def __init__(self):
        self.bytes = bytes(4)

    def field(self, segment):
        at = len(self.bytes)
        self.bytes += segment
        return struct.pack("<2Q", at if segment else 0, len(segment))

    def section(self):
        return self.bytes if len(self.bytes) > 4 else b""


def text(k):
    return b"some text"[: k % 9] or b"\0"


def element(kind, k, heap):
    if kind == "int":
        return struct.pack("<i", k)
    if kind == "text":
        return heap.field(text(k))
    if kind == "nested":
        return heap.field(b"".join(struct.pack("<Q", n) + bytes(2 * n) for n in range(k % 4)))
    reference = bytes([2, 0, 8]) + struct.pack("<Q", 48)
    return struct.pack("<i", k).ljust(8, b"\0") + heap.field(text(k)) + heap.field(reference if k % 2 else b"")


def chunk(kind, layout, elements):
    heap = Heap()
    fixed = b"".join(element(kind, k, heap) for k in elements)
    sections = [fixed] if kind == "int" else [fixed, heap.section()]
    if layout == "sparse":
        run = list(elements) == list(range(elements[0], elements[0] + len(elements)))
        sections.insert(0, block(elements[0], len(elements)) if run else points(elements))
    return sections


def main(where):
    folder = pathlib.Path(where, "struct_direct")
    folder.mkdir(parents=True, exist_ok=True)
    for number, (kind, layout) in enumerate(SHAPES):
        choices = [range(CHUNK)] if layout == "dense" else [[1, 4, 5], range(2, 9), [7, 3, 19], [9]]
        for i, elements in enumerate(choices):
            for how in CONTENTS, CONTENTS | TOLD, CONTENTS | EDGE:
                sections = chunk(kind, layout, list(elements))
                sizes = [len(s) for s in sections] + [0] * (3 - len(sections))
                data = bytes([number, how]) + struct.pack("<3H", *sizes) + b"".join(sections)
                (folder / f"{kind}_{layout}_{number}_{i}_{how}").write_bytes(data)


main(sys.argv[1])
