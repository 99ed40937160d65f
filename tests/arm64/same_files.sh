#!/bin/sh
# same_files.sh DROPIN_ARM64 DROPIN_HERE ROOT WORK: h5py makes the corpus on the drop-in library for arm64, emulated, and on the one of
# this machine; the files must be the same, byte for byte. Both are told the same time, and work on one core: workers side by side
# place chunks as they are done.
set -eu
here=$(dirname "$(readlink -f "$0")")
arm=$(readlink -f "$1") native=$(readlink -f "$2") root=$(readlink -f "$3")
# numpy's long double is another type there.
other='type_*longdouble*|type_*ldouble*'
rm -rf "$4"
mkdir -p "$4"
work=$(readlink -f "$4")
${CC:-cc} -shared -fPIC "$here/fixed_time.c" -o "$work/time-here.so"
aarch64-linux-gnu-gcc --sysroot="$root" -shared -fPIC "$here/fixed_time.c" -o "$work/time-arm64.so"
export PYTHONDONTWRITEBYTECODE=1 PYTHONHASHSEED=0
LD_LIBRARY_PATH=$native LD_PRELOAD=$work/time-here.so taskset -c 0 /usr/bin/python3 "$here/../interop/generate.py" "$work/here" --written
env PYTHONHOME="$root/usr" taskset -c 0 qemu-aarch64 -L "$root" -E LD_LIBRARY_PATH="$arm" -E LD_PRELOAD="$work/time-arm64.so" \
  "$root/usr/bin/python3.11" "$here/../interop/generate.py" "$work/arm64" --written
same=0 differ=0
cd "$work/here"
for file in $(find . -type f | sort); do
  case ${file##*/} in
    $other) continue ;;
  esac
  if cmp -s "$file" "../arm64/$file"; then
    same=$((same + 1))
  else
    differ=$((differ + 1))
    echo "differs: $file"
  fi
done
echo "arm64 and $(uname -m): $same files the same, $differ differ"
[ "$same" -gt 700 ] && [ "$differ" = 0 ]
