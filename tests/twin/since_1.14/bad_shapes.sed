# Numbers in far more bytes than they need are taken for damage, unless H5Pset_relax_file_integrity_checks says otherwise.
/of three bits:/d
# A committed type may be changed in memory.
/^  changed: /d
