"""NCO, the netCDF operators: files read, cut, averaged, packed, joined, and changed in place."""

from kit import Commands

FILES = ["grid.nc", "flat.nc", "sums.nc", "groups.nc", "images.h5", "newest.h5"]
CUT = ["-v warm", "-d time,2,9,3", "-d lat,-40.0,40.0 -v rain", "-x -v rain", "-4 -L 5", "-4 --cnk_plc=g3d --cnk_dmn=lat,3", "-3", "-7",
       "--mk_rec_dmn lat", "--fix_rec_dmn time", "-C -v warm --ppc default=3", "--rad"]
CHANGED = ["ncatted -h -O -a units,warm,o,c,degC -a new,global,c,d,1.5,2.5 -a title,global,d,,", "ncrename -h -O -v warm,hot -d lon,long",
           "ncap2 -h -O -s 'both=warm+rain;mean=both.avg($time);half=float(lat)/2'", "ncpdq -h -O -P all_new", "ncpdq -h -O -a lon,lat",
           "ncpdq -h -O -U", "ncwa -h -O -a time", "ncwa -h -O -a lat,lon -w lat", "ncra -h -O", "ncra -h -O -d time,,,6 --mro",
           "ncks -h -O -G outer/inner"]

CLIENT = Commands(
    [f"ncks {how} {file}" for how in ("-M -m", "", "--xml", "--jsn", "--hdn") for file in FILES]
    + [f"ncks -h -O {how} {file} {{out}}" for how in CUT for file in FILES[:2]]
    + [f"{how} {file} {{out}}" for how in CHANGED for file in FILES[:2]]
    + ["ncks -h -O -G keep -g run03 groups.nc {out}", "ncks -h -O -v v -g run0. groups.nc {out}", "ncks -h -A -v rain sums.nc {out}",
       "ncrcat -h -O grid.nc sums.nc {out}", "ncea -h -O grid.nc flat.nc {out}", "ncbo -h -O --op_typ=- grid.nc flat.nc {out}",
       "ncecat -h -O grid.nc flat.nc {out}", "ncecat -h -O --gag grid.nc flat.nc {out}", "ncflint -h -O -w 0.3,0.7 grid.nc sums.nc {out}",
       "ncatted -h -a more,v,c,l,7 groups.nc", "ncks groups.nc", "ncks missing.nc",
       "ncrename -h -g run03,renamed -v run04/inner/v,w groups.nc", "ncks groups.nc", "ncatted -h -a ,global,d,, flat.nc", "ncks -m -M flat.nc"],
    debian=["nco"])
