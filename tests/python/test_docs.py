"""The examples in the docstrings and in docs/python.md do what they show."""

import doctest
import importlib.util
import os
import pathlib
import tempfile
import unittest

import h5py
import numpy as np

import tessera
from tessera import _library, _scipy, _sparse

GUIDE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"
NAMES = {"h5py": h5py, "np": np, "tessera": tessera}
HAS_SCIPY = importlib.util.find_spec("scipy") is not None


def load_tests(loader, tests, pattern):
    folder = tempfile.TemporaryDirectory(prefix="docs-")

    def begin(test):
        os.chdir(folder.name)

    suite = unittest.TestSuite()
    for module in (_library, _sparse) + ((_scipy,) if HAS_SCIPY else ()):
        suite.addTests(doctest.DocTestSuite(module, globs=dict(NAMES), setUp=begin))
    if HAS_SCIPY:
        suite.addTests(doctest.DocFileSuite(str(GUIDE), module_relative=False, setUp=begin))
    suite.addTest(unittest.FunctionTestCase(everything_is_documented))
    suite.addTest(unittest.FunctionTestCase(lambda: os.chdir("/") or folder.cleanup()))
    return suite


def everything_is_documented():
    for name in tessera.__all__:
        if not getattr(tessera, name).__doc__:
            raise AssertionError(f"{name} has no docstring")
        if name not in GUIDE.read_text():
            raise AssertionError(f"{name} is not in docs/python.md")


if __name__ == "__main__":
    unittest.main()
