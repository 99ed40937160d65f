"""Stock libhdf5 of several releases, with its tools and h5py: the system's own, and those that are unpacked, not installed, each in a
folder of TESSERA_ROOTS or of build/roots (make roots). Programs of the latter run here through their own loader."""
import os
import pathlib
import re
import subprocess

PROJECT = pathlib.Path(__file__).resolve().parents[2]
ROOTS = PROJECT / "build" / "roots"
LIBRARIES = "usr/lib/x86_64-linux-gnu"
LOADERS = ("usr/lib64/ld-linux-x86-64.so.2", "lib64/ld-linux-x86-64.so.2")


def build(source, program, include, library, *options):
    subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-O1", "-w", "-I", str(include), *options, str(source),
                    str(library), "-Wl,--allow-shlib-undefined", "-lm", "-o", str(program)], check=True)


class Stock:
    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.own = self.root == pathlib.Path("/")
        self.include = self.root / "usr/include/hdf5/serial"
        libraries = sorted((self.root / LIBRARIES).glob("libhdf5_serial.so.[0-9][0-9][0-9]"))
        self.library = libraries[-1] if libraries else None
        self.loader = next((self.root / place for place in LOADERS if (self.root / place).exists()), None)
        header = self.include / "H5public.h"
        text = header.read_text() if header.exists() else ""
        numbers = re.findall(r"#define H5_VERS_(?:MAJOR|MINOR|RELEASE)\s+(\d+)", text)[:3]
        self.release = tuple(map(int, numbers)) if self.library and self.loader else ()
        self.name = ".".join(map(str, self.release))

    def command(self, program, *arguments):
        """How a program runs that was built for this release, or comes with it; a bare name is one of its own."""
        program = str(program) if os.path.isabs(program) else str(self.root / "usr/bin" / program)
        loader = [] if self.own else [str(self.loader), "--library-path", str(self.root / LIBRARIES)]
        return [*loader, program, *map(str, arguments)]

    def python(self, *arguments):
        home = [] if self.own else ["env", f"PYTHONHOME={self.root / 'usr'}"]
        return [*home, *self.command("python3", "-B", *arguments)]

    def build(self, source, program, *options, include=PROJECT / "include"):
        """A program in C on this release's library; with our headers, unless told otherwise, which know all that theirs know. It runs
        also without `command`."""
        loader = [] if self.own else [f"-Wl,--dynamic-linker={self.loader},--disable-new-dtags,-rpath={self.root / LIBRARIES}"]
        build(source, program, include, self.library, *loader, *options)


def unpacked():
    """Those that are not the system's own, from the oldest on."""
    folder = pathlib.Path(os.environ.get("TESSERA_ROOTS") or ROOTS).resolve()
    return sorted((stock for stock in map(Stock, folder.glob("*")) if stock.release), key=lambda stock: stock.release)


def at_hand(oldest, newest=(9,)):
    """Those of certain releases, the system's own among them, from the oldest on."""
    return sorted((stock for stock in [Stock("/"), *unpacked()] if stock.release and oldest <= stock.release < newest),
                  key=lambda stock: stock.release)
