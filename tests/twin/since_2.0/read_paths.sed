# Of a link that is not there H5Oexists_by_name says so.
s/^(    '.*': link -1 -9 exists 0 object) (0|-1) info -1$/\1 info -1/
s/^ object (0|-1)      traverse empty in /      traverse empty in /
