# What was set for attributes before a file was closed is found again by H5Oget_create_plist, times are not kept.
s/, attributes [0-9]+, phase [0-9]+ [0-9]+, times [01]//
