# Negative floats above -0.5 become the smallest integer, unless both types are those of C in its byte order.
/^== type_float/,/^open objects/d
/^  [bl]e_f[248] /d
