"""hdf5plugin: Blosc, Bitshuffle, LZ4, FCIDECOMP, ZFP, Zstd as filter plugins, on h5py."""

from kit import Pytest

BUILT_IN = "the library has this filter itself"

CLIENT = Pytest(debian=["python3-hdf5plugin"], tests=["{debian}/hdf5plugin/test.py"],
                explained={"*::testLZ4": BUILT_IN, "*::testZstd": BUILT_IN})
