# References are no atomic types: they have neither precision nor offset.
/^STD_REF_OBJ$/,/^UNIX_D32BE$/d
/ class 7 /s/ prec .* (fields|ebias)/ \1/
s/ order 4 prec [0-9]+ off -?[0-9]+ sign -1 pad [0-9]+ [0-9]+ / order 4 /
