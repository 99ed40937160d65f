# Negative floats above -0.5 become the smallest integer, unless both types are those of C in its byte order.
/^(f32|f64|f80) -> [iu](8|16|32|64) /b
/^b?(f|vax)[^ ]* -> [iu]/d
# Half precision is a type of C there, and rounds once.
/ -> f16 /d
/^b?f16 -> /d
