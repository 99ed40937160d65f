# H5Gget_objtype_by_idx follows links.
s/^(    [0-9]+ .*) -?[0-4]$/\1/
