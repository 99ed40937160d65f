"""versioned-hdf5: versions of datasets as virtual datasets, on h5py."""

from kit import Pytest

CLIENT = Pytest(pip=["versioned-hdf5==1.4.2", "ndindex==1.7"],
                tests=["{site}/versioned_hdf5/tests/test_api.py", "{site}/versioned_hdf5/tests/test_backend.py",
                       "{site}/versioned_hdf5/tests/test_replay.py"])
