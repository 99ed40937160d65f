# A chunk without bounds is taken.
/^  chunks of 18446744073709551615( in what is [a-z0-9 ]+)?: /d
# Filters of strings and sequences are treated as those of other types.
/^  [^:]*, (mandatory|optional), of sequence: /d
