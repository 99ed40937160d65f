# The size of an array or a sequence cannot be set.
/ class (9|10), /s/ (larger|copy 1 size) (0|-1) / \1 /g
/ class 10, /s/ now [0-9]+ bytes/ now/
