# Chunks that are all there are allocated, not in part.
s/, status [12],/,/
