# Access lists of datasets tell the view that was asked for; what is asked about a chunk that is not there is left as it was.
s/^(    access: .*) view [01] /\1 /
s/(beyond: -1) [0-9a-f]+ [0-9]+/\1/g
s/^(      between: [0-9]+ [0-9]+) .*/\1/
# Addresses count from the beginning of the file.
s/ address [0-9a-f]+ / /
# Chunks that are all there are allocated, not in part.
s/^(    storage: .* status) [12] /\1 /
