#!/bin/sh
# exports.sh LIBRARY: only H5* symbols leave the library, and any process can load it, however it lays out what threads have of their own.
if readelf -d "$1" | grep STATIC_TLS; then
    echo "a variable of each thread has the model initial-exec: dlopen refuses the library where such do not fit"
    exit 1
fi
nm -D --defined-only "$1" | awk '$2 ~ /[A-Z]/ && $3 !~ /^(H5|_init|_fini|__asan|__ubsan|__sanitizer|__odr_asan|__tsan)/ {print $3; bad = 1} END {exit bad}'
