"""Stock libhdf5 of several releases: the system's own, and those of file system roots, folders in TESSERA_ROOTS (or build/roots)."""
import os
import pathlib
import re

ROOTS = pathlib.Path(__file__).resolve().parents[2] / "build" / "roots"
LIBRARIES = "usr/lib/x86_64-linux-gnu"


class Stock:
    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.own = self.root == pathlib.Path("/")
        self.include = self.root / "usr/include/hdf5/serial"
        library = sorted((self.root / LIBRARIES).glob("libhdf5_serial.so.[0-9][0-9][0-9]"))
        self.library = library[-1] if library else None
        header = self.include / "H5public.h"
        text = header.read_text() if header.exists() else ""
        numbers = re.findall(r"#define H5_VERS_(?:MAJOR|MINOR|RELEASE)\s+(\d+)", text)[:3]
        self.release = tuple(map(int, numbers)) if self.library else ()
        self.name = ".".join(map(str, self.release))

    def command(self, program):
        """What runs a program with the libraries of the root; in the system's own it just runs."""
        loader = next((self.root / place for place in ("lib64/ld-linux-x86-64.so.2", "usr/lib64/ld-linux-x86-64.so.2")
                       if (self.root / place).exists()), None)
        return [program] if self.own else [str(loader), "--library-path", str(self.root / LIBRARIES), program]

    def python(self):
        """How to run its Python, and what the environment needs for that."""
        home = {} if self.own else {"PYTHONHOME": str(self.root / "usr")}
        return self.command(str(self.root / "usr/bin/python3")), home


def at_hand(oldest, newest=(9,)):
    """Those of certain releases, the oldest first."""
    roots = [pathlib.Path("/")]
    roots += sorted(pathlib.Path(os.environ.get("TESSERA_ROOTS") or ROOTS).resolve().glob("*"))
    return sorted((stock for stock in map(Stock, roots) if oldest <= stock.release < newest), key=lambda stock: stock.release)
