#!/bin/sh
# run.sh SOURCE PROGRAM [SOURCE PROGRAM]...: runs examples side by side in a scratch folder. Each must print what the comment on
# top of its source says, and end well.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
expected() {
  awk '/^ \* Prints:$/ {on = 1; next} /^ \*\/$/ {exit} on' "$1" | sed 's/^ \* \{0,5\}//'
}

running=""
for argument in "$@"; do
  case $argument in
    *.c) source=$argument ;;
    *)
      name=$(basename "$source" .c)
      expected "$source" >"$name.expected"
      [ -s "$name.expected" ] || { echo "$source does not say what it prints"; exit 1; }
      "$argument" >"$name.out" 2>"$name.err" &
      running="$running $name:$!"
      ;;
  esac
done
for one in $running; do
  name=${one%:*}
  wait "${one#*:}" || { echo "$name failed"; cat "$name.out" "$name.err"; exit 1; }
  diff "$name.expected" "$name.out"
done
