# H5Tset_fields looks at the precision, and not at the bits that are there.
s/(^| )3:-?[01]\[.*//
