# H5Tcreate makes numbers and strings of any size.
/^create [0-9]+ [0-9]+: /d
