"""CDO, the climate data operators, on grids in netCDF-4."""

from kit import Commands

READ = ["sinfon", "showattribute", "infon", "griddes", "ntime", "zaxisdes", "vct"]
MADE = ["copy", "timmean", "fldmean", "-selname,warm", "-yearmean", "-monmax", "-remapbil,r12x6", "-sellonlatbox,20,200,-40,40",
        "-seltimestep,3/7", "-addc,1.5 -mulc,2", "-setmissval,-1", "-zonmean -selname,rain", "-ymonmean", "-chname,warm,hot",
        "-invertlat", "-timstd", "-expr,both=warm*2+rain"]
FORMS = ["-f nc4 -z zip_5", "-f nc4c", "-f nc4 -k grid", "-f nc2", "-b F64 -f nc4"]
TWO = ["cat grid.nc flat.nc", "sub grid.nc sums.nc", "merge -selname,warm grid.nc -selname,rain flat.nc"]

CLIENT = Commands(
    [f"cdo -s {what} {file}" for what in READ for file in ("grid.nc", "flat.nc", "sums.nc")]
    + [f"cdo -s -L --no_history {what} {file} {{out}}" for what in MADE for file in ("grid.nc", "flat.nc")]
    + [f"cdo -s -L --no_history {form} copy sums.nc {{out}}" for form in FORMS]
    + [f"cdo -s -L --no_history {what} {{out}}" for what in TWO]
    + ["cdo -s diffn grid.nc flat.nc", "cdo -s infon groups.nc", "cdo -s infon missing.nc"],
    debian=["cdo"])
