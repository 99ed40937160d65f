# The low bound is 1.8 unless it is set.
s/^(user block [^:]*:)? opens, low bound 1$/\1 opens, low bound 0/
# A file of superblock 3 opens whatever the bounds, and leaves them.
/^made with bound 0, SWMR 1$/,/^made for SWMR/{
/^opened with bounds [01] [12], /d
}
