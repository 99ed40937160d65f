# Of a link that is not there H5Oexists_by_name says so.
s/^(  [r.]{12})[r.]([r.]{2} H5Oexists_by_name)/\1 \2/
