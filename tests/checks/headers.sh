#!/bin/sh
# Every public header compiles alone, as C and as C++, and the interface of each older release can be chosen.
# Usage: headers.sh INCLUDE_DIR [C_COMPILER [CXX_COMPILER]]
set -u
include=${1:?usage: headers.sh INCLUDE_DIR [C_COMPILER [CXX_COMPILER]]}
cc=${2:-cc}
cxx=${3:-c++}
warn="-Wall -Wextra -Werror -pedantic -fsyntax-only"
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0

fail()
{
    echo "FAIL: $1" >&2
    failed=1
}

c() { "$cc" -std=c99 $warn -I"$include" "$@"; }
cpp() { "$cxx" -std=c++11 $warn -I"$include" "$@"; }

count=0
for header in "$include"/*.h; do
    name=$(basename "$header")
    # Twice, for the include guard; a header of macros alone leaves the unit empty without the typedef.
    printf '#include "%s"\n#include "%s"\ntypedef int not_empty;\n' "$name" "$name" >"$work/one.c"
    cp "$work/one.c" "$work/one.cpp"
    c "$work/one.c" || fail "$name as C"
    cpp "$work/one.cpp" || fail "$name as C++"
    count=$((count + 1))
done
[ "$count" -gt 40 ] || fail "only $count headers in $include"

# api NAME FLAGS: the program on stdin compiles with the flags, in both languages.
api()
{
    { echo '#include "hdf5.h"'; cat; } >"$work/api.c"
    cp "$work/api.c" "$work/api.cpp"
    c $2 "$work/api.c" || fail "$1 as C"
    cpp $2 "$work/api.cpp" || fail "$1 as C++"
}

# refused NAME FLAGS: the program on stdin does not compile.
refused()
{
    { echo '#include "hdf5.h"'; cat; } >"$work/api.c"
    if c $2 "$work/api.c" 2>/dev/null; then
        fail "$1 was accepted"
    fi
}

api "newest interface" "" <<'EOF'
herr_t link_cb(hid_t g, const char *name, const H5L_info_t *info, void *data);
herr_t obj_cb(hid_t o, const char *name, const H5O_info_t *info, void *data);
herr_t free_cb(void *obj, void **request);
herr_t link_cb(hid_t g, const char *name, const H5L_info_t *info, void *data)
{
    (void)name, (void)data;
    return info->u.token.__data[0] == 0 && g > 0;
}
herr_t obj_cb(hid_t o, const char *name, const H5O_info_t *info, void *data)
{
    (void)name, (void)data;
    return info->token.__data[0] == 0 && o > 0;
}
herr_t free_cb(void *obj, void **request)
{
    H5O_info_t info;
    H5L_info_t link;
    H5F_info_t file;
    H5R_ref_t ref;
    hdset_reg_ref_t region = {{0}}, copy;
    hsize_t size = 0;
    uint64_t *same = &size;
    (void)obj, (void)request, (void)same;
    copy = region;
    (void)copy;
    H5Oget_info(1, &info, H5O_INFO_BASIC);
    H5Lget_info(1, "a", &link, H5P_DEFAULT);
    H5Literate(1, H5_INDEX_NAME, H5_ITER_INC, &size, link_cb, NULL);
    H5Ovisit(1, H5_INDEX_NAME, H5_ITER_INC, obj_cb, NULL, H5O_INFO_ALL);
    H5Fget_info(1, &file);
    H5Rcreate_object(1, "a", H5P_DEFAULT, &ref);
    H5Sencode(1, NULL, NULL, H5P_DEFAULT);
    H5Pencode(1, NULL, NULL, H5P_DEFAULT);
    H5Dopen(1, "a", H5P_DEFAULT);
    return (herr_t)H5Iregister_type(0, 0, free_cb);
}
EOF

api "1.12 interface" "-DH5_USE_112_API" <<'EOF'
int f(void);
int f(void)
{
    H5O_info_t info;
    unsigned long long count = 0;
    hsize_t *same = &count;
    (void)same;
    return H5Oget_info(1, &info, H5O_INFO_BASIC) + info.token.__data[0] + H5Sencode(1, NULL, NULL, H5P_DEFAULT);
}
EOF

api "2.0 interface" "-DH5_USE_200_API" <<'EOF'
herr_t free_cb(void *obj, void **request);
herr_t free_cb(void *obj, void **request)
{
    hsize_t offset = 0;
    uint32_t mask;
    size_t size = 1;
    (void)request;
    return H5Dread_chunk(1, H5P_DEFAULT, &offset, &mask, obj, &size) + (herr_t)H5Tdecode(obj, size) +
           (herr_t)H5Iregister_type(0, free_cb);
}
EOF

api "1.14 interface" "-DH5_USE_114_API" <<'EOF'
herr_t free_cb(void *obj, void **request);
herr_t free_cb(void *obj, void **request)
{
    hsize_t offset = 0;
    uint32_t mask;
    (void)request;
    return H5Dread_chunk(1, H5P_DEFAULT, &offset, &mask, obj) + (herr_t)H5Tdecode(obj) +
           (herr_t)H5Iregister_type(0, 0, free_cb);
}
EOF

api "1.10 interface" "-DH5_USE_110_API" <<'EOF'
herr_t obj_cb(hid_t o, const char *name, const H5O_info_t *info, void *data);
herr_t free_cb(void *obj);
herr_t obj_cb(hid_t o, const char *name, const H5O_info_t *info, void *data)
{
    (void)name, (void)data;
    return info->addr == HADDR_UNDEF && info->hdr.version == 1 && o > 0;
}
herr_t free_cb(void *obj)
{
    H5O_info_t info;
    H5L_info_t link;
    H5F_info_t file;
    hdset_reg_ref_t region;
    (void)obj;
    H5Rcreate(region, 1, "a", H5R_DATASET_REGION, 1);
    H5Oget_info(1, &info);
    H5Lget_info(1, "a", &link, H5P_DEFAULT);
    (void)link.u.address;
    H5Ovisit(1, H5_INDEX_NAME, H5_ITER_INC, obj_cb, NULL);
    H5Fget_info(1, &file);
    (void)file.super.version;
    H5Rdereference(1, H5P_DEFAULT, H5R_OBJECT, &link);
    H5Sencode(1, NULL, NULL);
    return (herr_t)H5Iregister_type(0, 0, free_cb);
}
EOF

api "1.8 interface" "-DH5_USE_18_API" <<'EOF'
int f(void);
int f(void)
{
    H5F_info_t file;
    H5O_info_t info;
    H5Fget_info(1, &file);
    H5Oget_info(1, &info);
    H5Gcreate(1, "a", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Rdereference(1, H5R_OBJECT, &file);
    return (int)file.super_ext_size;
}
EOF

api "1.6 interface" "-DH5_USE_16_API" <<'EOF'
herr_t attr_cb(hid_t loc, const char *name, void *data);
herr_t attr_cb(hid_t loc, const char *name, void *data)
{
    H5E_auto_t report;
    H5Z_class_t filter = {H5Z_FILTER_RESERVED, name, NULL, NULL, NULL};
    H5Zregister(&filter);
    H5Eget_auto(&report, &data);
    H5Dopen(loc, name);
    H5Gcreate(loc, name, 0);
    H5Acreate(loc, name, H5T_NATIVE_INT, loc, H5P_DEFAULT);
    H5Tarray_create(H5T_NATIVE_INT, 0, NULL, NULL);
    return H5Aiterate(loc, NULL, attr_cb, NULL);
}
EOF

api "one function at another version" "-DH5_USE_110_API -DH5Oget_info_vers=3 -DH5Dopen_vers=1" <<'EOF'
int f(void);
int f(void)
{
    H5O_info_t info;
    H5Dopen(1, "a");
    return H5Oget_info(1, &info, H5O_INFO_BASIC) + info.token.__data[0];
}
EOF

api "without deprecated functions" "-DH5_NO_DEPRECATED_SYMBOLS" <<'EOF'
int f(void);
int f(void)
{
    int result = 0;
    H5E_BEGIN_TRY {
        result = (int)H5Dopen2(1, "a", H5P_DEFAULT);
    } H5E_END_TRY;
    return result;
}
EOF

for level in "" -DH5_USE_110_API -DH5_USE_16_API; do
    api "asynchronous calls $level" "$level" <<'EOF'
int f(int (*wrapped)(const char *, const char *, unsigned, hid_t, hid_t));
int f(int (*wrapped)(const char *, const char *, unsigned, hid_t, hid_t))
{
    hid_t es = H5EScreate(), file = H5Fopen_async("a", H5F_ACC_RDONLY, H5P_DEFAULT, es);
    hid_t dset = H5Dopen_async(file, "d", H5P_DEFAULT, H5ES_NONE);
    wrapped = H5Dclose_async_wrap;
    wrapped("f90", "wrapper", 1, dset, es);
    return H5Fclose_async(file, es) + H5Gclose_async_wrap("f90", "wrapper", 2, dset, es);
}
EOF
done

api "silenced errors" "" <<'EOF'
#if !H5_VERSION_GE(1, 10, 8) || !H5_VERSION_LE(2, 0, 0) || H5_VERSION_GE(1, 99, 0)
#error "comparison of versions"
#endif
int f(void);
int f(void)
{
    int result = 0;
    H5E_BEGIN_TRY {
        result = (int)H5Dopen1(1, "a");
    } H5E_END_TRY;
    H5check();
    return result + (H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE ? 1 : 0);
}
EOF

echo 'int not_empty;' | refused "a version that does not exist" "-DH5Dopen_vers=3"
echo 'int not_empty;' | refused "an old interface without deprecated functions" "-DH5_USE_18_API -DH5_NO_DEPRECATED_SYMBOLS"
echo 'herr_t (*f)(void) = H5Eclear1;' | refused "a deprecated function" "-DH5_NO_DEPRECATED_SYMBOLS"

[ "$failed" = 0 ] && echo "$count headers, C and C++, every interface: ok"
exit "$failed"
