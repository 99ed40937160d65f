# The outermost record is that of the storage connector's layer, in other words.
s/^(H5[A-Za-z0-9_]+: )\[.*/\1failed/
