# The default chunk cache is larger.
s/ 8191 8388608 / 521 1048576 /
