#!/bin/sh
# environment.sh SRC: the library asks for variables in one place only, which knows when they must not be trusted.
found=$(grep -rnE '\b(secure_)?getenv *\(|\benviron\b' "$1" --include='*.[ch]' | grep -v "^$1/base/env\.[ch]:")
[ -z "$found" ] && exit 0
echo "$found"
echo "use ts_env of base/env.h"
exit 1
