"""Stock releases of HDF5 that are unpacked, not installed: in each folder of TESSERA_ROOTS, or of build/roots (make roots)."""
import os
import pathlib
import re
import subprocess

ROOTS = pathlib.Path(__file__).resolve().parents[2] / "build" / "roots"
INCLUDE = pathlib.Path(__file__).resolve().parents[2] / "include"
LIBRARIES = "usr/lib/x86_64-linux-gnu"
LOADERS = ("usr/lib64/ld-linux-x86-64.so.2", "lib64/ld-linux-x86-64.so.2")


class Root:
    """A file system with libhdf5, its tools and h5py, whose programs run here through its own loader."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        libraries = sorted((self.path / LIBRARIES).glob("libhdf5_serial.so.[0-9][0-9][0-9]"))
        self.library = str(libraries[-1]) if libraries else None
        loaders = [self.path / place for place in LOADERS if (self.path / place).exists()]
        self.loader = str(loaders[0]) if loaders else None
        header = self.path / "usr/include/hdf5/serial/H5public.h"
        text = header.read_text() if header.exists() else ""
        numbers = re.findall(r"#define H5_VERS_(?:MAJOR|MINOR|RELEASE)\s+(\d+)", text)[:3]
        self.release = tuple(map(int, numbers)) if self.library and self.loader else ()
        self.name = ".".join(map(str, self.release))

    def command(self, program, *arguments):
        """How a program runs that was built for, or comes from, this file system; a bare name is one of its own."""
        program = str(program) if os.path.isabs(program) else str(self.path / "usr/bin" / program)
        return [self.loader, "--library-path", str(self.path / LIBRARIES), program, *map(str, arguments)]

    def python(self, *arguments):
        return ["env", "PYTHONHOME=%s" % (self.path / "usr"), *self.command("python3", "-B", *arguments)]

    def build(self, source, program, *options):
        """A program in C on this release's library, with our headers: theirs know no more functions than ours."""
        subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-O1", "-w", "-I", str(INCLUDE), *options, str(source),
                        self.library, "-Wl,--allow-shlib-undefined", "-lm", "-o", str(program)], check=True)


def at_hand():
    """From the oldest on."""
    folder = pathlib.Path(os.environ.get("TESSERA_ROOTS") or ROOTS)
    return sorted((root for root in map(Root, sorted(folder.glob("*"))) if root.release), key=lambda root: root.release)
