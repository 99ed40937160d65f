#!/usr/bin/env python3
"""loop.py ROWS: below the file system. A writer works on an ext4 of its own, on a loop device; each time one of its flushes
returns, the disk is copied as it is, as if the power had failed, repaired by e2fsck, and the file in it looked into. At the level
'process' something must be missing, or this would show nothing. Ends with 77 where nothing can be mounted."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
TOOLS = ("mkfs.ext4", "e2fsck", "debugfs", "mount")
MEGABYTES = 16


def run(*command):
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode


class Disk:
    def __init__(self, folder):
        self.image, self.copy, self.found = folder / "disk", folder / "copy", folder / "found.h5"
        self.mounted = folder / "mounted"
        self.mounted.mkdir()

    def make(self):
        with open(self.image, "wb") as image:
            image.truncate(MEGABYTES << 20)
        return run("mkfs.ext4", "-q", "-F", self.image) == 0 and run("mount", "-o", "loop", self.image, self.mounted) == 0

    def after_power_failure(self, name):
        """The file as it would be found, or None."""
        shutil.copyfile(self.image, self.copy)
        if run("e2fsck", "-f", "-y", self.copy) > 2:
            sys.exit("e2fsck cannot repair the disk")
        self.found.unlink(missing_ok=True)
        run("debugfs", "-R", f"dump /{name} {self.found}", self.copy)
        return self.found if self.found.exists() else None


def wrong(rows, found, flushed):
    """A file of which nothing was promised need not be there."""
    return flushed > 0 if found is None else run(rows, "--check", found, str(flushed)) != 0


def misses(rows, disk, level, n):
    """After how many flushes, of n and the close, the disk has not what the level promises: whole rows, or all of them."""
    name, bad, flushed = f"{level}.h5", 0, 0
    env = {**os.environ, "TESSERA_DURABILITY": level}
    with subprocess.Popen([rows, disk.mounted / name, str(n)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          env=env) as writer:
        for line in writer.stdout:
            flushed = n if line == "closed\n" else int(line)
            found = disk.after_power_failure(name)
            bad += wrong(rows, found, 0 if level == "ordered" else flushed)
            writer.stdin.write("\n")
            writer.stdin.flush()
    if writer.returncode != 0 or flushed != n:
        sys.exit(f"{level}: the writer ended with {writer.returncode} after {flushed} rows")
    return bad


def main():
    rows = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="tessera-power-") as folder:
        disk = Disk(pathlib.Path(folder))
        if not all(map(shutil.which, TOOLS)) or not disk.make():
            print("no loop device with an ext4 can be mounted here: skipped")
            sys.exit(SKIPPED)
        try:
            bad = {level: misses(rows, disk, level, n) for level, n in (("flush", 30), ("ordered", 10), ("process", 5))}
        finally:
            run("umount", disk.mounted)
    print("flushes after which the disk had not what was promised:", bad)
    if bad["flush"] or bad["ordered"]:
        sys.exit("a flush did not keep its promise")
    if not bad["process"]:
        sys.exit("the disk had everything without a barrier: this shows nothing")


main()
