#!/usr/bin/env python3
"""run.py DROPIN TEST [-v] [CLASS.METHOD]: runs a file of tests of python/tessera with h5py on the library in the folder
DROPIN, in a folder that goes when they end."""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "dropin"))
import clients  # noqa: E402


def main(dropin, test, *more):
    clients.need_module("python3-h5py", "h5py")
    env = clients.environment(str(pathlib.Path(dropin).resolve()))
    env["PYTHONPATH"] = f"{HERE.parents[1] / 'python'}:{HERE}"
    with clients.scratch() as folder:
        command = ["/usr/bin/python3", "-B", "-W", "error::ResourceWarning", str(pathlib.Path(test).resolve()), *more]
        return subprocess.run(command, env=env, cwd=folder).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
