# Only H5P_DEFAULT and access lists of links are looked for.
/^H5Aopen_by_name\(file, "dset", "attr", list, 0\): /d
