# Inner words of the library have changed ("atom" is "ID"), and with them those of records.
s/(\)): \[.*/\1: failed/
# A property of no bytes may be made from a value.
/^H5Pinsert2\(dcpl, "none", 0, /d
