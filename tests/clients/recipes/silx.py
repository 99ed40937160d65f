"""silx: reading and writing HDF5 and NeXus at the ESRF, on h5py."""

from kit import Pytest

CLIENT = Pytest(pip=["silx==1.1.2", "fabio==2023.6.0"], tests=["{site}/silx/io/test"])
