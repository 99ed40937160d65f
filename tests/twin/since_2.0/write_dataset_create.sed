# Filters of strings and sequences are treated as those of other types.
/^checksum of sequences: created/{
N
d
}
/^checksum of sequences: /d
