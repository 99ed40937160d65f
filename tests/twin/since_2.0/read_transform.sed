# What a real beyond its range becomes as unsigned int is the compiler's choice.
/^    UINT /d
# 2.2.0 transforms fill values, but not those of chunks that are not there.
/^( [^ ]|==|open objects)/h
G
/\n (chunked: 80|c[fiu][1-8]: 6|grown: 3000|limited: 3000)$/d
s/\n.*//
