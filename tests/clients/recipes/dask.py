"""dask: data frames in HDF5 files, on pandas and PyTables; arrays on h5py."""

from kit import Pytest

CLIENT = Pytest(debian=["python3-dask"], pip=["pandas==1.5.3", "python-dateutil==2.8.2", "pytz==2023.3"],
                tests=["{debian}/dask/dataframe/io/tests/test_hdf.py", "{debian}/dask/array/tests/test_array_core.py"],
                options=["-k", "hdf"])
