"""emcee: chains of samples that grow in HDF5 files, on h5py."""

from kit import Pytest

CLIENT = Pytest(pip=["emcee==3.1.4"], tests=["{site}/emcee/tests/unit/test_backends.py"])
