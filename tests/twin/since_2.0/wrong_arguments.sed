# Of a link that is not there H5Oexists_by_name says so.
/^H5Oexists_by_name\((attr, "group"|file, "missing"), H5P_DEFAULT\): /d
