"""h5netcdf: netCDF 4 files through h5py, compared with netCDF4."""

from kit import Pytest

CLIENT = Pytest(pip=["h5netcdf==1.2.0", "packaging==23.1"], tests=["{site}/h5netcdf/tests"])
