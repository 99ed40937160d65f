# References are no atomic types: they have neither precision nor offset.
/ class [79] /s/ prec .* (fields|ebias)/ \1/
# Bit fields have a place of their own in native compounds.
/ dir -?[0-9]+: /h
G
/\n[^\n]*compound.* dir /d
s/\n.*//
