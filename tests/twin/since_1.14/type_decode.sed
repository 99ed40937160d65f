# References are no atomic types: they have neither precision nor offset.
/ class [79] /s/ prec .* (fields|ebias)/ \1/
