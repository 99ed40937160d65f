/* Reads everything in a file through the public API and folds it into one number. */
#ifndef TESTS_UNIT_API_WALK_FILE_H
#define TESTS_UNIT_API_WALK_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdf5.h"

struct walked {
    uint64_t hash;
    unsigned objects, datasets, attributes;
    bool failed; /* some call did not do what it should */
};

static inline void fold_bytes(struct walked *w, const void *data, size_t n)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < n; i++)
        w->hash = (w->hash ^ p[i]) * UINT64_C(1099511628211);
}

static inline void fold_number(struct walked *w, uint64_t v)
{
    fold_bytes(w, &v, sizeof v);
}

static void fold_element(struct walked *w, hid_t type, const char *element);

static inline void fold_members(struct walked *w, hid_t type, const char *element)
{
    int n = H5Tget_nmembers(type);
    for (int i = 0; i < n; i++) {
        hid_t member = H5Tget_member_type(type, (unsigned)i);
        fold_element(w, member, element + H5Tget_member_offset(type, (unsigned)i));
        w->failed |= member < 0 || H5Tclose(member) < 0;
    }
    w->failed |= n < 0;
}

static inline void fold_list(struct walked *w, hid_t type, const char *elements, size_t n)
{
    hid_t base = H5Tget_super(type);
    size_t width = H5Tget_size(base);
    for (size_t i = 0; i < n && base >= 0; i++)
        fold_element(w, base, elements + i * width);
    w->failed |= base < 0 || H5Tclose(base) < 0;
}

static inline void fold_array(struct walked *w, hid_t type, const char *element)
{
    hsize_t dims[H5S_MAX_RANK];
    size_t n = 1;
    int rank = H5Tget_array_dims2(type, dims);
    for (int i = 0; i < rank; i++)
        n *= (size_t)dims[i];
    if (rank < 0)
        w->failed = true;
    else
        fold_list(w, type, element, n);
}

static void fold_element(struct walked *w, hid_t type, const char *element)
{
    hvl_t list;
    const char *text;
    switch (H5Tget_class(type)) {
    case H5T_COMPOUND:
        fold_members(w, type, element);
        break;
    case H5T_ARRAY:
        fold_array(w, type, element);
        break;
    case H5T_VLEN:
        memcpy(&list, element, sizeof list);
        fold_number(w, list.len);
        fold_list(w, type, list.p, list.len);
        break;
    case H5T_STRING:
        if (H5Tis_variable_str(type) > 0) {
            memcpy(&text, element, sizeof text);
            fold_number(w, text ? strlen(text) : 99);
            fold_bytes(w, text, text ? strlen(text) : 0);
            break;
        }
        fold_bytes(w, element, H5Tget_size(type));
        break;
    case H5T_NO_CLASS:
        w->failed = true;
        break;
    default:
        fold_bytes(w, element, H5Tget_size(type));
    }
}

static inline void fold_values(struct walked *w, hid_t type, hid_t space, char *buf, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fold_element(w, type, buf + i * H5Tget_size(type));
    /* A second time when memory was short: what was read must not leak. */
    if (H5Dvlen_reclaim(type, space, H5P_DEFAULT, buf) < 0) {
        w->failed = true;
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, buf);
    }
}

/* Reads all elements with the given reader, in their native type. */
static inline void walk_values(struct walked *w, hid_t obj, hid_t file_type, hid_t space, bool dataset)
{
    hid_t type = H5Tget_native_type(file_type, H5T_DIR_ASCEND);
    hssize_t n = H5Sget_simple_extent_npoints(space);
    size_t width = type < 0 ? 0 : H5Tget_size(type);
    if (type < 0 || n < 0 || width == 0) {
        w->failed = true;
    } else if (n > 0) {
        char *buf = calloc((size_t)n, width);
        herr_t status = dataset ? H5Dread(obj, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buf) : H5Aread(obj, type, buf);
        if (status < 0)
            w->failed = true;
        else
            fold_values(w, type, space, buf, (size_t)n);
        free(buf);
    }
    if (type >= 0)
        H5Tclose(type);
}

static inline void walk_holder(struct walked *w, hid_t obj, bool dataset)
{
    hid_t type = dataset ? H5Dget_type(obj) : H5Aget_type(obj), space = dataset ? H5Dget_space(obj) : H5Aget_space(obj);
    if (type < 0 || space < 0)
        w->failed = true;
    else
        walk_values(w, obj, type, space, dataset);
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
}

static inline herr_t walk_attribute(hid_t obj, const char *name, const H5A_info_t *info, void *data)
{
    struct walked *w = data;
    (void)info;
    hid_t attr = H5Aopen(obj, name, H5P_DEFAULT);
    fold_bytes(w, name, strlen(name));
    w->attributes++;
    if (attr < 0) {
        w->failed = true;
        return 0;
    }
    walk_holder(w, attr, false);
    w->failed |= H5Aclose(attr) < 0;
    return 0;
}

static inline void walk_dataset(struct walked *w, hid_t dset)
{
    hid_t dcpl = H5Dget_create_plist(dset);
    w->datasets++;
    if (dcpl < 0) {
        w->failed = true;
    } else {
        fold_number(w, (uint64_t)H5Pget_layout(dcpl));
        w->failed |= H5Pclose(dcpl) < 0;
    }
    walk_holder(w, dset, true);
}

static inline herr_t walk_object(hid_t root, const char *name, const H5O_info2_t *info, void *data)
{
    struct walked *w = data;
    (void)info;
    hid_t obj = H5Oopen(root, name, H5P_DEFAULT);
    fold_bytes(w, name, strlen(name));
    w->objects++;
    if (obj < 0) {
        w->failed = true;
        return 0;
    }
    if (H5Iget_type(obj) == H5I_DATASET)
        walk_dataset(w, obj);
    w->failed |= H5Aiterate2(obj, H5_INDEX_NAME, H5_ITER_INC, NULL, walk_attribute, w) < 0;
    w->failed |= H5Oclose(obj) < 0;
    return 0;
}

static inline struct walked walk_file(const char *path)
{
    struct walked w = {.hash = UINT64_C(14695981039346656037)};
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) {
        w.failed = true;
        return w;
    }
    w.failed |= H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_INC, walk_object, &w, H5O_INFO_BASIC) < 0;
    w.failed |= H5Fclose(file) < 0;
    return w;
}

static inline const char *corpus_path(const char *name, char *path, size_t size)
{
    const char *dir = getenv("TESSERA_CORPUS");
    snprintf(path, size, "%s/%s", dir ? dir : ".", name);
    return path;
}

#endif
