# The default chunk cache is larger.
s/ 8191 8388608 / 521 1048576 /
# How trees are opened is a property of datasets (H5Pset_virtual_spatial_tree).
/^dataset access: (class|encode)/d
/^ .*; append_flush; /s/ tree;//
