"""What the checks of this folder share. Each is a program: check_<client>.py DROPIN CORPUS [--full], which runs an unchanged
Debian program on the library in the folder DROPIN and on stock libhdf5, and compares. It ends with 0, 1, or 77 when the
client is not installed."""

import argparse
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stock  # noqa: E402

SKIPPED = 77


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("dropin", help="the folder of the drop-in library")
    parser.add_argument("corpus", help="the folder of files that stock libhdf5 made")
    parser.add_argument("--full", action="store_true", help="everything, not only what fits into a minute")
    found = parser.parse_args()
    found.dropin, found.corpus = os.path.abspath(found.dropin), os.path.abspath(found.corpus)
    need("Debian's libhdf5", stock.SONAME)
    # Without it the loader takes stock's, and everything is equal.
    if not os.path.exists(os.path.join(found.dropin, stock.SONAME)):
        parser.error(f"no {stock.SONAME} in {found.dropin}")
    return found


def need(package, there):
    """Skips the whole check, with a line that says why, unless `there`."""
    if not there:
        print(f"skipped: {package} is not installed (tools/dev/packages clients)")
        sys.exit(SKIPPED)


def need_module(package, module):
    found = subprocess.run(["/usr/bin/python3", "-c", f"import {module}"], capture_output=True)
    need(package, found.returncode == 0)


def need_program(package, program):
    need(package, shutil.which(program) is not None)


def environment(dropin=None):
    """Stock libhdf5, or the library in the folder `dropin`."""
    env = {name: value for name, value in os.environ.items() if name not in ("LD_LIBRARY_PATH", "LD_PRELOAD", "ASAN_OPTIONS")}
    env["PYTHONDONTWRITEBYTECODE"] = "1"
    if dropin:
        env["LD_LIBRARY_PATH"] = dropin
    return env


def run(command, dropin=None, timeout=600, **more):
    """The finished process; its output as text."""
    return subprocess.run(command, env=environment(dropin), timeout=timeout, capture_output=True, text=True,
                          errors="replace", **more)


def scratch():
    """A folder that goes when the check ends."""
    return tempfile.TemporaryDirectory(prefix="dropin-")


def without_places(text):
    """What h5dump prints, without what another writer may do otherwise: where things lie, how small they become."""
    text = re.sub(r"(OFFSET|SIZE) .*", r"\1", text)
    text = re.sub(r"\(\d+\.\d+:1\)", "(ratio)", text)
    text = re.sub(r"(#|obj_pointed_by_)\d+", r"\1", text)
    text = re.sub(r'"/[^"]*/(?:stock|dropin|ours)/(\w+\.h5)', r'"\1', text)  # 1.14 names the file of a reference
    return re.sub(r"(DATASET|GROUP|DATATYPE) \d+ ", r"\1 ", text)


def differ(what, stock, dropin):
    """Shows where two texts differ; 0 or 1."""
    lines = difflib.unified_diff(stock.splitlines(), dropin.splitlines(), f"{what} on stock", f"{what} on the drop-in",
                                 lineterm="", n=1)
    shown = [line[:160] for _, line in zip(range(40), lines)]
    print(*shown, sep="\n", end="\n" if shown else "")
    return 1 if shown else 0
