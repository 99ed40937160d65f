#!/bin/sh
# format.sh ROOT FOLDER...: the code in these folders is as clang-format writes it (.clang-format). Lists that stand as tables have
# "clang-format off" before them. Releases of clang-format differ in what they write, so where there is no clang-format-14
# nothing is checked (77).
cd "$1" && shift
command -v clang-format-14 >/dev/null || exit 77
find "$@" -name '*.[ch]' -print0 | xargs -0 -n 50 -P "$(nproc)" clang-format-14 --dry-run --Werror 2>&1 | grep 'error:' && exit 1
exit 0
