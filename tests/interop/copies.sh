#!/bin/sh
# copies.sh STOCK TESSERA CANON CORPUS: two builds of one program copy the content of files of the corpus; what they made
# must be alike as CANON prints it, but for addresses, and stock libhdf5's tools must accept Tessera's.
set -u
stock=$1 tessera=$2 canon=$3 corpus=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The copies only, without how headers and dataspaces are laid out; and, of files that the oldest readers are to read, without the
# order of attributes: many that come from a newer file are in the header here, in order, and in a heap in libhdf5's copy.
content() {
  order=
  [ "$2" = earliest ] && order='/^ attribute/s/ corder=[0-9]+//'
  "$canon" "$1" 2>&1 | sed -n '/^object <\/across>/,$p' | grep -v '^x ' |
    sed -E -e 's/addr=[0-9]+/addr/; s/pointed_by_[0-9]+/pointed_by/; s/offset [0-9]+/offset/; s/@[0-9]+/@/g; s/ enc=[0-9a-f:]+//' -e "$order"
}

# FILE BOUNDS FLAGS
compare() {
  (cd "$corpus" && "$stock" "$1" "$work/stock.h5" "$2" "$3") >"$work/stock.out" 2>&1
  (cd "$corpus" && "$tessera" "$1" "$work/tessera.h5" "$2" "$3") >"$work/tessera.out" 2>&1
  content "$work/stock.h5" "$2" >"$work/stock.txt"
  content "$work/tessera.h5" "$2" >"$work/tessera.txt"
  [ -s "$work/stock.txt" ] || { echo "$1, $2, flags $3: nothing was copied"; failed=1; }
  for what in out txt; do
    cmp -s "$work/stock.$what" "$work/tessera.$what" && continue
    echo "$1, $2, flags $3:"
    diff "$work/stock.$what" "$work/tessera.$what" | head -6
    failed=1
  done
  (cd "$corpus" && h5dump "$work/tessera.h5") >/dev/null 2>"$work/err" && h5stat "$work/tessera.h5" >/dev/null 2>"$work/err" ||
    { echo "$1, $2, flags $3: $(tail -3 "$work/err")"; failed=1; }
}

failed=0
for name in attr_on_everything attr_count50 type_reference type_vlen_nested type_string_vlen \
            type_compound_vlen links_cycles links_soft links_external links_user_defined sohm_all_btree; do
  for format in old new; do
    compare ${name}_$format.h5 earliest 0
    compare ${name}_$format.h5 latest 0
  done
done
for name in group_new_100links_indexed group_new_deleted_links group_old_100links links_mixed_dense_tracked \
            header_v18_committed_types header_old_many_hard_links70 layout_external_several_old virtual_same_file_new \
            virtual_several2 index_ea_100chunks_filtered index_btree1_65chunks_plain index_farray_1025chunks_filtered \
            index_implicit_20chunks index_single_filtered; do
  compare $name.h5 latest 0
done
# Between sizes of addresses, where libhdf5 crashes: the data are those of the source.
for name in superblock_sizes4_dense superblock_sizes_addr4_len8_old superblock_sizes_addr8_len2_new; do
  "$tessera" "$corpus/$name.h5" "$work/tessera.h5" latest 0 >/dev/null 2>&1
  "$canon" "$corpus/$name.h5" | grep 'read all' | sort | uniq >"$work/source.txt"
  "$canon" "$work/tessera.h5" | grep 'read all' | sort | uniq >"$work/copy.txt"
  [ -s "$work/copy.txt" ] && cmp -s "$work/source.txt" "$work/copy.txt" || { echo "$name: other data"; failed=1; }
done
# Shallow; without attributes.
for flags in 0x1 0x10 0x11; do
  compare links_external_old.h5 earliest $flags
  compare links_mixed_dense_tracked.h5 latest $flags
  compare attr_on_everything_new.h5 latest $flags
done
# Sources that are broken leave the destination sound: it closes and reads.
for name in chunk_unfiltered_size dataset_without_layout layout_compact_less message_pipeline_cut space_huge; do
  "$tessera" "$corpus/bad_$name.h5" "$work/tessera.h5" latest 0 >/dev/null 2>&1 && h5ls -r "$work/tessera.h5" >/dev/null 2>&1 ||
    { echo "bad_$name: the destination is broken"; failed=1; }
done
exit $failed
