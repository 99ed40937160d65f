# What is asked about a chunk that is not there is left as it was, and there is no chunk number 0 where there is none.
s/(nowhere size 0) storage .*/\1/
s/^(    [0-9]+: at 4711 4711) info .*/\1/
