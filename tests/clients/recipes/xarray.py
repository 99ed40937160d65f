"""xarray: its backends, with netCDF4, h5netcdf and h5py."""

from kit import Pytest

CLIENT = Pytest(pip=["xarray==2023.6.0", "h5netcdf==1.2.0", "pandas==1.5.3", "packaging==23.1", "python-dateutil==2.8.2",
                     "pytz==2023.3"],
                tests=["{site}/xarray/tests/test_backends.py"])
