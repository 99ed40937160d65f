/* What targets on whole files do to one that is open for writing: a few steps, each of which a few bytes of the input
 * choose. Whatever the file says, each works or is refused. */
#ifndef FUZZ_STEPS_H
#define FUZZ_STEPS_H

#include "whole.h"

enum { STEPS = 7, STEP = 4 };
enum { MOST_PATHS = 64, PATH = 256, MOST_POINTS = 4096 };

struct step {
    uint8_t what, where, other, how;
};

struct found {
    char (*paths)[PATH];
    unsigned n;
};

struct file {
    hid_t id;
    struct found objects, links;
};

typedef void action(struct file *f, const struct step *s);

static void add_path(struct found *found, const char *name)
{
    if (found->n < MOST_PATHS && strlen(name) < PATH)
        strcpy(found->paths[found->n++], name);
}

static herr_t find_object(hid_t root, const char *name, const H5O_info2_t *info, void *data)
{
    struct found *found = data;
    (void)root, (void)info;
    add_path(found, name);
    return found->n == MOST_PATHS;
}

static herr_t find_link(hid_t root, const char *name, const H5L_info2_t *info, void *data)
{
    struct found *found = data;
    (void)root, (void)info;
    add_path(found, name);
    return found->n == MOST_PATHS;
}

static const char *pick(const struct found *found, unsigned which)
{
    return found->n ? found->paths[which % found->n] : ".";
}

static hid_t open_object(const struct file *f, const struct step *s)
{
    return H5Oopen(f->id, pick(&f->objects, s->where), H5P_DEFAULT);
}

/* Links go next to or into an object: making one where there is no group is refused. */
static void new_name(const struct step *s, const char *what, char name[32])
{
    snprintf(name, 32, "%s%u", what, s->other);
}

static void make_group(struct file *f, const struct step *s)
{
    char name[32];
    new_name(s, "group", name);
    hid_t in = open_object(f, s), gcpl = H5Pcreate(H5P_GROUP_CREATE);
    if (s->how & 1)
        H5Pset_link_creation_order(gcpl, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    if (s->how & 2)
        H5Pset_link_phase_change(gcpl, 0, 0);
    hid_t group = H5Gcreate2(in, name, H5P_DEFAULT, gcpl, H5P_DEFAULT);
    for (unsigned i = 0; i < (s->how >> 2 & 7); i++) {
        snprintf(name, sizeof name, "inside%u", i);
        H5Lcreate_soft("/", group, name, H5P_DEFAULT, H5P_DEFAULT);
    }
    H5Gclose(group);
    H5Pclose(gcpl);
    H5Oclose(in);
}

static void make_many_links(struct file *f, const struct step *s)
{
    char name[64];
    hid_t in = open_object(f, s);
    for (unsigned i = 0; i < (s->how & 7 ? s->how / 8 : s->how) && in >= 0; i++) {
        snprintf(name, sizeof name, "many%u%.*s", i ^ s->other, (int)(i % 32),
                 "-a-name-that-takes-some-room-in-a-heap");
        if (H5Lcreate_soft("/nowhere", in, name, H5P_DEFAULT, H5P_DEFAULT) < 0)
            break;
    }
    H5Oclose(in);
}

static void make_link(struct file *f, const struct step *s)
{
    char name[32];
    new_name(s, "link", name);
    hid_t in = open_object(f, s);
    const char *target = pick(&f->objects, s->other);
    if (s->how % 3 == 0)
        H5Lcreate_hard(f->id, target, in, name, H5P_DEFAULT, H5P_DEFAULT);
    else if (s->how % 3 == 1)
        H5Lcreate_soft(target, in, name, H5P_DEFAULT, H5P_DEFAULT);
    else
        H5Lcreate_external("no-such-file.h5", target, in, name, H5P_DEFAULT, H5P_DEFAULT);
    H5Oclose(in);
}

static void delete_link(struct file *f, const struct step *s)
{
    if (s->how & 1)
        H5Ldelete_by_idx(f->id, pick(&f->objects, s->where), s->how & 2 ? H5_INDEX_NAME : H5_INDEX_CRT_ORDER,
                         s->how & 4 ? H5_ITER_DEC : H5_ITER_INC, s->other, H5P_DEFAULT);
    else
        H5Ldelete(f->id, pick(&f->links, s->where), H5P_DEFAULT);
}

static void delete_all_links(struct file *f, const struct step *s)
{
    for (unsigned i = 0; i < f->links.n; i++)
        if ((i + s->where) % (s->how % 4 + 1) == 0)
            H5Ldelete(f->id, f->links.paths[i], H5P_DEFAULT);
}

static void move_link(struct file *f, const struct step *s)
{
    char name[32];
    new_name(s, "moved", name);
    hid_t to = H5Oopen(f->id, pick(&f->objects, s->other), H5P_DEFAULT);
    if (s->how & 1)
        H5Lcopy(f->id, pick(&f->links, s->where), to, name, H5P_DEFAULT, H5P_DEFAULT);
    else
        H5Lmove(f->id, pick(&f->links, s->where), to, name, H5P_DEFAULT, H5P_DEFAULT);
    H5Oclose(to);
}

static hid_t new_type(unsigned how)
{
    hid_t type;
    switch (how % 4) {
    case 0:
        return H5Tcopy(H5T_STD_I16BE);
    case 1:
        return H5Tvlen_create(H5T_NATIVE_INT);
    case 2:
        type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, H5T_VARIABLE);
        return type;
    default:
        type = H5Tcreate(H5T_COMPOUND, 16);
        H5Tinsert(type, "a", 0, H5T_NATIVE_INT);
        H5Tinsert(type, "b", 8, H5T_NATIVE_DOUBLE);
        return type;
    }
}

static void *new_values(hid_t type, hsize_t n)
{
    static const char *text = "the text of a string";
    static int numbers[] = {1, 2, 3, 4, 5};
    size_t width = H5Tget_size(type);
    char *buf = calloc((size_t)n + 1, width);
    for (size_t i = 0; buf && i < n; i++) {
        if (H5Tget_class(type) == H5T_VLEN)
            ((hvl_t *)(void *)buf)[i] = (hvl_t){.len = i % 6, .p = numbers};
        else if (H5Tis_variable_str(type) > 0)
            ((const char **)(void *)buf)[i] = i % 3 ? text : NULL;
        else
            memset(buf + i * width, (int)i, width);
    }
    return buf;
}

static void make_dataset(struct file *f, const struct step *s)
{
    char name[32];
    new_name(s, "data", name);
    hsize_t dims[2] = {s->other % 50 + 1, 3}, most[2] = {H5S_UNLIMITED, s->how & 16 ? H5S_UNLIMITED : 3};
    hsize_t chunk[2] = {4, 2};
    hid_t in = open_object(f, s), type = new_type(s->how), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    bool chunked = s->how & 4;
    if (chunked)
        H5Pset_chunk(dcpl, 2, chunk);
    else if (s->how & 8)
        H5Pset_layout(dcpl, H5D_COMPACT);
    if (chunked && s->how & 8)
        H5Pset_deflate(dcpl, 1);
    if (s->how & 32)
        H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY);
    hid_t space = H5Screate_simple(2, dims, chunked && !(s->how & 128) ? most : NULL);
    hid_t dset = H5Dcreate2(in, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    void *buf = new_values(type, dims[0] * dims[1]);
    if (!(s->how & 64))
        H5Dwrite(dset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buf);
    free(buf);
    H5Dclose(dset);
    H5Sclose(space);
    H5Pclose(dcpl);
    H5Tclose(type);
    H5Oclose(in);
}

static void make_structured(struct file *f, const struct step *s)
{
    char name[32];
    new_name(s, "sparse", name);
    hsize_t dims[2] = {s->other % 50 + 1, 3}, most[2] = {H5S_UNLIMITED, s->how & 16 ? H5S_UNLIMITED : 3};
    hsize_t chunk[2] = {4, 2}, start[2] = {s->other % 7 % dims[0], 1}, stride[2] = {3, 1}, count[2] = {0, 1};
    hid_t in = open_object(f, s), type = new_type(s->how), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_struct_chunk(dcpl, 2, chunk, s->how & 4 ? H5D_VL_CHUNK : H5D_SPARSE_CHUNK);
    if (s->how & 32)
        H5Pset_selection_packing(dcpl);
    if (s->how & 8)
        H5Pset_deflate(dcpl, 1);
    hid_t space = H5Screate_simple(2, dims, s->how & 128 ? NULL : most);
    hid_t dset = H5Dcreate2(in, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    void *buf = new_values(type, dims[0] * dims[1]);
    count[0] = (dims[0] - start[0] + 2) / 3;
    if (s->how & 64)
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, NULL);
    H5Dwrite(dset, type, space, space, H5P_DEFAULT, buf);
    free(buf);
    H5Dclose(dset);
    H5Sclose(space);
    H5Pclose(dcpl);
    H5Tclose(type);
    H5Oclose(in);
}

static void make_attributes(struct file *f, const struct step *s)
{
    char name[64];
    hid_t obj = open_object(f, s), type = new_type(s->how);
    hsize_t n = s->how & 4 ? 300 : s->other % 20 + 1;
    hid_t space = H5Screate_simple(1, &n, NULL);
    void *buf = new_values(type, n);
    for (unsigned i = 0; i <= (s->how & 4 ? s->how >> 6 : s->how >> 4); i++) {
        snprintf(name, sizeof name, "attribute%u-%u", s->other, i);
        hid_t attr = H5Acreate2(obj, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(attr, type, buf);
        H5Aclose(attr);
        if (attr < 0)
            break;
    }
    free(buf);
    H5Sclose(space);
    H5Tclose(type);
    H5Oclose(obj);
}

static void delete_attribute(struct file *f, const struct step *s)
{
    H5Adelete_by_idx(f->id, pick(&f->objects, s->where), s->how & 1 ? H5_INDEX_NAME : H5_INDEX_CRT_ORDER,
                     s->how & 2 ? H5_ITER_DEC : H5_ITER_INC, s->other % 16, H5P_DEFAULT);
}

static hid_t open_attribute(hid_t obj, const struct step *s)
{
    return H5Aopen_by_idx(obj, ".", H5_INDEX_NAME, H5_ITER_INC, s->other % 16, H5P_DEFAULT, H5P_DEFAULT);
}

static void rename_attribute(struct file *f, const struct step *s)
{
    char name[PATH], renamed[2 * PATH];
    hid_t obj = open_object(f, s), attr = open_attribute(obj, s);
    if (H5Aget_name(attr, sizeof name, name) >= 0) {
        snprintf(renamed, sizeof renamed, "%s%.*s", name, s->how,
                 "-renamed-to-something-that-is-longer-than-it-was-before");
        H5Arename(obj, name, renamed);
    }
    H5Aclose(attr);
    H5Oclose(obj);
}

/* What is in it goes back into it, or values made of bytes where no value is more than its bytes. */
static void rewrite_attribute(struct file *f, const struct step *s)
{
    hid_t obj = open_object(f, s), attr = open_attribute(obj, s);
    hid_t type = H5Aget_type(attr), space = H5Aget_space(attr);
    size_t bytes = bytes_of(space, type);
    void *buf = bytes ? calloc(1, bytes) : NULL;
    if (buf && H5Aread(attr, type, buf) >= 0) {
        H5Awrite(attr, type, buf);
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, buf);
    }
    free(buf);
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attr);
    H5Oclose(obj);
}

/* Storage of a size that a file of this size may need. Files of external data are left alone. */
static bool modest(hid_t dset, const hsize_t dims[], int rank)
{
    hid_t dcpl = H5Dget_create_plist(dset), type = H5Dget_type(dset);
    hsize_t chunk[H5S_MAX_RANK], points = 1, in_chunk = 1;
    H5D_layout_t layout = H5Pget_layout(dcpl);
    unsigned flags;
    int chunk_rank = 0;
    if (layout == H5D_CHUNKED)
        chunk_rank = H5Pget_chunk(dcpl, H5S_MAX_RANK, chunk);
    else if (layout == H5D_STRUCT_CHUNK)
        chunk_rank = H5Pget_struct_chunk(dcpl, H5S_MAX_RANK, chunk, &flags);
    bool good = dcpl >= 0 && H5Pget_external_count(dcpl) == 0 && rank >= 0;
    for (int i = 0; i < rank && points <= MOST_POINTS; i++)
        points *= dims[i] <= MOST_POINTS ? dims[i] : MOST_POINTS + 1;
    for (int i = 0; i < chunk_rank && in_chunk <= MOST_POINTS; i++)
        in_chunk *= chunk[i] <= MOST_POINTS ? chunk[i] : MOST_POINTS + 1;
    hsize_t room = MOST_BYTES / (H5Tget_size(type) | 1);
    good = good && points <= MOST_POINTS && in_chunk <= MOST_POINTS && points <= room && in_chunk <= room;
    /* Chunks that reach far beyond the extent. */
    good = good && (chunk_rank == 0 || points * in_chunk <= room);
    H5Tclose(type);
    H5Pclose(dcpl);
    return good;
}

static hid_t open_dataset(struct file *f, const struct step *s, hsize_t dims[H5S_MAX_RANK], int *rank)
{
    hid_t dset = H5Dopen2(f->id, pick(&f->objects, s->where), H5P_DEFAULT);
    hid_t space = H5Dget_space(dset);
    *rank = H5Sget_simple_extent_dims(space, dims, NULL);
    H5Sclose(space);
    if (dset < 0 || modest(dset, dims, *rank))
        return dset;
    H5Dclose(dset);
    return -1;
}

static void write_dataset(struct file *f, const struct step *s)
{
    hsize_t dims[H5S_MAX_RANK], start[H5S_MAX_RANK] = {0};
    int rank;
    hid_t dset = open_dataset(f, s, dims, &rank);
    hid_t type = H5Dget_type(dset), space = H5Dget_space(dset);
    if (rank > 0 && s->how & 1) {
        start[0] = dims[0] ? s->other % dims[0] : 0;
        dims[0] -= start[0];
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, dims, NULL);
    }
    size_t bytes = bytes_of(space, type);
    void *buf = bytes ? calloc(1, bytes) : NULL;
    hsize_t n = buf ? (hsize_t)H5Sget_select_npoints(space) : 0;
    hid_t mem = H5Screate_simple(1, &n, NULL);
    if (buf && H5Dread(dset, type, mem, space, H5P_DEFAULT, buf) >= 0) {
        if (H5Tdetect_class(type, H5T_VLEN) == 0 && H5Tdetect_class(type, H5T_STRING) == 0)
            memset(buf, s->how, bytes);
        H5Dwrite(dset, type, mem, space, H5P_DEFAULT, buf);
        H5Dvlen_reclaim(type, mem, H5P_DEFAULT, buf);
    }
    free(buf);
    buf = n ? calloc((size_t)n, sizeof(int)) : NULL;
    if (buf && s->how & 2)
        H5Dwrite(dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, buf);
    free(buf);
    H5Sclose(mem);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(dset);
}

static void resize_dataset(struct file *f, const struct step *s)
{
    hsize_t dims[H5S_MAX_RANK];
    int rank;
    hid_t dset = open_dataset(f, s, dims, &rank);
    for (int i = 0; i < rank; i++)
        if (s->how >> i % 7 & 1)
            dims[i] = s->how & 128 ? dims[i] + s->other % 32 : dims[i] * (s->other % 4) / 4;
    if (dset >= 0 && modest(dset, dims, rank))
        H5Dset_extent(dset, dims);
    H5Dclose(dset);
}

/* A part of the extent, or what is defined in it, or all. */
static void erase(struct file *f, const struct step *s)
{
    hsize_t dims[H5S_MAX_RANK], start[H5S_MAX_RANK] = {0};
    int rank;
    hid_t dset = open_dataset(f, s, dims, &rank), space = H5Dget_space(dset);
    if (rank > 0 && s->how & 1) {
        start[0] = dims[0] ? s->other % dims[0] : 0;
        dims[0] = (dims[0] - start[0]) / (1 + (s->how >> 2 & 1));
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, dims, NULL);
    }
    hid_t defined = H5Dget_defined(dset, space, H5P_DEFAULT);
    H5Derase(dset, s->how & 2 ? defined : space, H5P_DEFAULT);
    H5Sclose(defined);
    H5Sclose(space);
    H5Dclose(dset);
}

/* More rows, and values in them. */
static void append(struct file *f, const struct step *s)
{
    hsize_t dims[H5S_MAX_RANK], start[H5S_MAX_RANK] = {0};
    int rank;
    hid_t dset = open_dataset(f, s, dims, &rank);
    if (rank > 0) {
        start[0] = dims[0];
        dims[0] += s->other % 64 + 1;
    }
    if (rank > 0 && modest(dset, dims, rank) && H5Dset_extent(dset, dims) >= 0) {
        hid_t space = H5Dget_space(dset);
        dims[0] -= start[0];
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, dims, NULL);
        hsize_t n = (hsize_t)H5Sget_select_npoints(space);
        hid_t mem = H5Screate_simple(1, &n, NULL);
        int *buf = calloc((size_t)n + 1, sizeof *buf);
        H5Dwrite(dset, H5T_NATIVE_INT, mem, space, H5P_DEFAULT, buf);
        free(buf);
        H5Sclose(mem);
        H5Sclose(space);
    }
    H5Dclose(dset);
}

static void write_chunk(struct file *f, const struct step *s)
{
    static const char bytes[64] = "not what any filter made";
    hsize_t dims[H5S_MAX_RANK], at[H5S_MAX_RANK] = {0};
    int rank;
    hid_t dset = open_dataset(f, s, dims, &rank);
    H5Dwrite_chunk(dset, H5P_DEFAULT, s->how & 1, at, s->other % sizeof bytes, bytes);
    H5Dclose(dset);
}

static void commit_type(struct file *f, const struct step *s)
{
    char name[32];
    new_name(s, "type", name);
    hid_t in = open_object(f, s), type = new_type(s->how);
    H5Tcommit2(in, name, type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hsize_t n = 3;
    hid_t space = H5Screate_simple(1, &n, NULL);
    hid_t attr = H5Acreate2(in, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Aclose(attr);
    H5Sclose(space);
    H5Tclose(type);
    H5Oclose(in);
}

static void copy_object(struct file *f, const struct step *s)
{
    char name[32];
    new_name(s, "copy", name);
    hid_t ocpypl = H5Pcreate(H5P_OBJECT_COPY);
    H5Pset_copy_object(ocpypl, s->how & (H5O_COPY_SHALLOW_HIERARCHY_FLAG | H5O_COPY_EXPAND_SOFT_LINK_FLAG |
                                         H5O_COPY_EXPAND_REFERENCE_FLAG | H5O_COPY_WITHOUT_ATTR_FLAG));
    hsize_t dims[H5S_MAX_RANK];
    int rank;
    H5O_info2_t info;
    /* Copying a whole group of datasets that nobody wrote may ask for any amount of space. */
    hid_t dset = open_dataset(f, s, dims, &rank);
    bool known = H5Oget_info_by_name3(f->id, pick(&f->objects, s->where), &info, H5O_INFO_BASIC, H5P_DEFAULT) >= 0;
    if (dset >= 0 || (known && info.type != H5O_TYPE_DATASET))
        H5Ocopy(f->id, pick(&f->objects, s->where), f->id, name, ocpypl, H5P_DEFAULT);
    H5Dclose(dset);
    H5Pclose(ocpypl);
}

static void change_header(struct file *f, const struct step *s)
{
    hid_t obj = open_object(f, s);
    if (s->how & 1)
        H5Oset_comment(obj, s->how & 2 ? "a comment" : NULL);
    else if (s->how & 2)
        H5Oincr_refcount(obj);
    else
        H5Odecr_refcount(obj);
    H5Oclose(obj);
}

static void flush(struct file *f, const struct step *s)
{
    H5Fflush(f->id, s->how & 1 ? H5F_SCOPE_LOCAL : H5F_SCOPE_GLOBAL);
    H5Fget_freespace(f->id);
}

static action *const actions[] = {
    make_group,      make_many_links, make_link,        delete_link,      delete_all_links,  move_link,
    make_dataset,    make_attributes, delete_attribute, rename_attribute, rewrite_attribute, write_dataset,
    resize_dataset,  write_chunk,     commit_type,      copy_object,      change_header,     flush,
    make_structured, erase,           append,
};

/* The file says how large nodes of groups are, up to 5 MB, and of chunks, up to 35 MB with the most dimensions: each
 * new one is that large in the cache, in the commit and in the file. */
static inline void allow_for_nodes(hid_t file)
{
    unsigned in_node, in_leaf, chunks;
    hid_t fcpl = H5Fget_create_plist(file);
    if (H5Pget_sym_k(fcpl, &in_node, &in_leaf) >= 0 && H5Pget_istore_k(fcpl, &chunks) >= 0) {
        size_t bytes =
            2 * ((size_t)in_node * 16 + (size_t)in_leaf * 40 + (size_t)chunks * (8 + 8 * (H5S_MAX_RANK + 2)));
        bound_more((size_t)3 * STEPS * bytes);
    }
    H5Pclose(fcpl);
}

static inline void change(hid_t id, const uint8_t *steps)
{
    struct file f = {.id = id};
    allow_for_nodes(id);
    f.objects.paths = calloc(MOST_PATHS, PATH);
    f.links.paths = calloc(MOST_PATHS, PATH);
    H5Ovisit3(id, H5_INDEX_NAME, H5_ITER_NATIVE, find_object, &f.objects, H5O_INFO_BASIC);
    H5Lvisit2(id, H5_INDEX_NAME, H5_ITER_NATIVE, find_link, &f.links);
    for (unsigned i = 0; i < STEPS; i++) {
        const uint8_t *at = steps + (size_t)i * STEP;
        struct step s = {at[0], at[1], at[2], at[3]};
        actions[s.what % (sizeof actions / sizeof *actions)](&f, &s);
    }
    free(f.objects.paths);
    free(f.links.paths);
}

static inline void *image_of(hid_t file, size_t *size)
{
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    ssize_t bytes = H5Fget_file_image(file, NULL, 0);
    void *image = bytes > 0 ? malloc((size_t)bytes) : NULL;
    if (image && H5Fget_file_image(file, image, (size_t)bytes) != bytes) {
        free(image);
        image = NULL;
    }
    *size = image ? (size_t)bytes : 0;
    return image;
}

#endif
