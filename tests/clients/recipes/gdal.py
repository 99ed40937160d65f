"""GDAL's drivers for HDF5, netCDF and BAG: rasters read, described, converted and made."""

from kit import Commands

FILES = ["grid.nc", "flat.nc", "sums.nc", "groups.nc", "images.h5", "oldest.h5", "newest.h5"]
KINDS = ["u1", "i2", "u2", "i4", "u4", "f4", "f8", "big_i2", "big_f4", "complex"]
RASTERS = [f'\'HDF5:"images.h5"://plain/{kind}\'' for kind in KINDS]
RASTERS += [f'\'HDF5:"images.h5"://{name}\'' for name in ("packed/cube", "packed/empty", "hard", "table")]
RASTERS += [f'\'{driver}:"{file}":{slashes}{name}\'' for driver, slashes in (("NETCDF", ""), ("HDF5", "//"))
            for file in ("grid.nc", "flat.nc", "sums.nc") for name in ("warm", "rain")]
RASTERS += [f'\'HDF5:"{name}.h5"://{what}\'' for name in ("oldest", "newest") for what in ("grown", "many/7")]
NETCDF = "-q -of netCDF -co WRITE_GDAL_HISTORY=NO -co WRITE_GDAL_VERSION=NO"
FORMS = ["FORMAT=NC4", "FORMAT=NC4C", "FORMAT=NC4 -co COMPRESS=DEFLATE -co ZLEVEL=9", "FORMAT=NC4 -co CHUNKING=NO"]

CLIENT = Commands(
    [f"gdalinfo {file}" for file in FILES + ["missing.h5"]]
    + [f"gdalmdiminfo -detailed -stats {file}" for file in FILES]
    + [f"gdalinfo -checksum -stats --config GDAL_PAM_ENABLED NO {raster}" for raster in RASTERS]
    + [f"gdalinfo -json -hist --config GDAL_PAM_ENABLED NO {raster}" for raster in RASTERS[:3]]
    + [f"gdallocationinfo {raster} 3 4" for raster in RASTERS]
    + [f"gdal_translate {NETCDF} -co {form} {raster} {{out}}" for form in FORMS for raster in (RASTERS[0], RASTERS[5], RASTERS[-4])]
    + [f"gdal_translate -q -of AAIGrid -b 1 {raster} /vsistdout/" for raster in RASTERS[:9] + RASTERS[-4:]]
    + ["gdalmdimtranslate -q -array warm -of netCDF grid.nc {out}",
       "gdalwarp -q -of netCDF -co WRITE_GDAL_HISTORY=NO -co WRITE_GDAL_VERSION=NO -ts 10 10 'NETCDF:\"flat.nc\":warm' {out}",
       "ogrinfo -al groups.nc"],
    debian=["gdal-bin"])
