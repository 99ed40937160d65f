# H5Lget_info_by_idx of links into mounted files fails; H5Iget_file_id of a child leads to the parent.
/^  by index (absolute|chain1) type /d
/^  file of the child: /d
