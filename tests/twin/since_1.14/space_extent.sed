# No offset is the same as one of zeros.
s/^(offset .* NULL) .*/\1/
