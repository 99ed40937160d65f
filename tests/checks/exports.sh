#!/bin/sh
# exports.sh LIBRARY: only H5* symbols leave the library.
nm -D --defined-only "$1" | awk '$2 ~ /[A-Z]/ && $3 !~ /^(H5|_init|_fini|__asan|__ubsan|__sanitizer|__odr_asan|__tsan)/ {print $3; bad = 1} END {exit bad}'
