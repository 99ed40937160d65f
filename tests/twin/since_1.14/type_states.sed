# What is locked or committed may be changed in memory.
/^(of a dataset of a committed type|committed|opened|locked[^:]*): /d
# References are no atomic types: they have neither precision nor offset.
/ class 7, /d
