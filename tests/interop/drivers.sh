#!/bin/sh
# drivers.sh STOCK TESSERA: who makes a file, who changes it, who checks it; each driver, old and new formats.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
who() { [ "$1" = s ] && echo "$stock" || echo "$tessera"; }
stock=$1 tessera=$2
for driver in core family split multi; do
    name=f; [ $driver = family ] && name=f-%d
    for formats in old new; do
        for order in tts tst stt sts tss sst ttt; do
            rm -f "$dir"/*
            for step in 1:make 2:change 3:check; do
                side=$(echo $order | cut -c "${step%:*}")
                if ! "$(who "$side")" $driver "$dir/$name" "${step#*:}" $formats; then
                    echo "$driver, $formats formats, order $order: ${step#*:} failed"
                    failed=$((failed + 1))
                    break
                fi
            done
        done
    done
done
[ $failed = 0 ] && echo "all turns agree"
exit $((failed > 0))
