"""hickle: Python objects in HDF5 files, on h5py."""

from kit import Pytest

CLIENT = Pytest(pip=["hickle==5.0.3"], sdist="hickle==5.0.3", tests=["{source}/hickle/tests"], options=["-o", "addopts="])
