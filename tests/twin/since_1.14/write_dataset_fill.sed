# Chunks that are all there are allocated, not in part.
s/: status (-?[0-9]+) [12],/: status \1,/
