# The outermost record is that of the storage connector's layer, in other words. A type in memory has a list, too.
s/: \[.*//
/H5Tget_create_plist/d
# References are no atomic types: they have neither precision nor offset.
/^(17|18|24) H5T([gs]et_|lock)/d
