/* A whole file in memory, used through the public API: what all targets on one share. No input may make the library
 * hold more than 64 MiB and 16 times the file's size. */
#ifndef FUZZ_WHOLE_H
#define FUZZ_WHOLE_H

#include <sanitizer/allocator_interface.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdf5.h"

/* No file makes a target ask for more than this at once: what the library allocates beyond it is its own doing. */
#define MOST_BYTES ((size_t)1 << 18)
#define MOST_OBJECTS 200
#define MOST_ATTRIBUTES 50

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

struct walk {
    unsigned objects;
};

static atomic_size_t live, limit = SIZE_MAX;

static void on_malloc(const volatile void *ptr, size_t size)
{
    (void)ptr;
    if (atomic_fetch_add(&live, size) + size <= atomic_load(&limit))
        return;
    size_t most = atomic_exchange(&limit, SIZE_MAX);
    fprintf(stderr, "an allocation of %zu bytes goes beyond %zu in all\n", size, most);
    abort();
}

static void on_free(const volatile void *ptr)
{
    if (ptr)
        atomic_fetch_sub(&live, __sanitizer_get_allocated_size(ptr));
}

static inline void bound_memory(void)
{
    __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
}

/* From here on no more than 64 MiB and 16 times so many bytes; 0 ends it. */
static inline void bound_set(size_t bytes)
{
    atomic_store(&limit, bytes ? atomic_load(&live) + ((size_t)64 << 20) + 16 * bytes : SIZE_MAX);
}

/* So many more, until it ends. */
static inline void bound_more(size_t bytes)
{
    if (atomic_load(&limit) != SIZE_MAX)
        atomic_fetch_add(&limit, bytes);
}

static size_t bytes_of(hid_t space, hid_t type)
{
    hssize_t n = H5Sget_select_npoints(space);
    size_t width = H5Tget_size(type);
    if (n <= 0 || width == 0 || (size_t)n > MOST_BYTES / width)
        return 0;
    return (size_t)n * width;
}

/* Leaves at most MOST_BYTES selected, from the start of the extent on. */
static void select_some(hid_t space, size_t width)
{
    hsize_t dims[H5S_MAX_RANK], start[H5S_MAX_RANK] = {0};
    int rank = H5Sget_simple_extent_dims(space, dims, NULL);
    hsize_t room = width ? MOST_BYTES / width : 0;
    if (rank <= 0 || room == 0)
        return;
    for (int i = rank - 1; i >= 0; i--) {
        if (dims[i] > room)
            dims[i] = room ? room : 1;
        room = dims[i] ? room / dims[i] : 0;
    }
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, dims, NULL);
}

/* Follows the first few references of a buffer. */
static void follow(hid_t dset, hid_t type, const char *buf, size_t bytes)
{
    bool region = H5Tequal(type, H5T_STD_REF_DSETREG) > 0;
    if (!region && H5Tequal(type, H5T_STD_REF_OBJ) <= 0)
        return;
    H5R_type_t kind = region ? H5R_DATASET_REGION : H5R_OBJECT;
    size_t width = H5Tget_size(type);
    char name[256];
    for (size_t at = 0; at < bytes && at < 4 * width; at += width) {
        H5O_type_t found;
        H5Rget_obj_type2(dset, kind, buf + at, &found);
        H5Rget_name(dset, kind, buf + at, name, sizeof name);
        hid_t obj = H5Rdereference2(dset, H5P_DEFAULT, kind, buf + at);
        H5Oclose(obj);
        hid_t space = region ? H5Rget_region(dset, kind, buf + at) : -1;
        H5Sget_select_npoints(space);
        H5Sclose(space);
    }
}

static void read_as(hid_t dset, hid_t type, hid_t space)
{
    hsize_t n = (hsize_t)H5Sget_select_npoints(space);
    size_t bytes = bytes_of(space, type);
    void *buf = bytes ? calloc(1, bytes) : NULL;
    hid_t mem = buf ? H5Screate_simple(1, &n, NULL) : -1;
    if (mem >= 0 && H5Dread(dset, type, mem, space, H5P_DEFAULT, buf) >= 0) {
        follow(dset, type, buf, bytes);
        H5Dvlen_reclaim(type, mem, H5P_DEFAULT, buf);
    }
    H5Sclose(mem);
    free(buf);
}

static void look_at_type(hid_t type)
{
    unsigned char encoded[4096];
    size_t size = sizeof encoded;
    H5Tget_class(type);
    int n = H5Tget_nmembers(type);
    for (int i = 0; i < n && i < 20; i++)
        H5free_memory(H5Tget_member_name(type, (unsigned)i));
    H5Tencode(type, encoded, &size);
}

static int count_chunk(const H5D_chunk_info_t *info, void *data)
{
    hsize_t *left = data;
    return !info || (*left)-- == 0;
}

static void ask_for_chunks(hid_t dset, hid_t space)
{
    hsize_t chunks = 0, offset[H5S_MAX_RANK], stored;
    unsigned mask;
    haddr_t addr;
    if (H5Dget_num_chunks(dset, H5S_ALL, &chunks) >= 0 && chunks > 0)
        H5Dget_chunk_info(dset, H5S_ALL, chunks - 1, offset, &mask, &addr, &stored);
    if (H5Dget_num_chunks(dset, space, &chunks) >= 0 && chunks > 0)
        H5Dget_chunk_info(dset, space, chunks - 1, offset, &mask, &addr, &stored);
    for (int order = 0; order < 3; order++) {
        hsize_t left = 2000, idx = chunks / 2;
        H5Dchunk_iterate(dset, order % 2 ? space : H5S_ALL, (H5D_chunk_order_t)order, &idx, count_chunk, &left);
    }
    H5Sclose(H5Dget_chunk_selection(dset));
}

static void read_dataset(hid_t dset)
{
    hid_t type = H5Dget_type(dset), space = H5Dget_space(dset), dcpl = H5Dget_create_plist(dset);
    hid_t native = H5Tget_native_type(type, H5T_DIR_DEFAULT);
    look_at_type(type);
    select_some(space, H5Tget_size(type));
    read_as(dset, type, space);
    read_as(dset, native, space);
    hid_t defined = H5Dget_defined(dset, space, H5P_DEFAULT);
    read_as(dset, native, defined);
    H5Sclose(defined);
    H5Dget_storage_size(dset);
    H5D_space_status_t status;
    H5Dget_space_status(dset, &status);
    ask_for_chunks(dset, space);
    H5Tclose(native);
    H5Pclose(dcpl);
    H5Sclose(space);
    H5Tclose(type);
}

static herr_t read_attribute(hid_t obj, const char *name, const H5A_info_t *info, void *data)
{
    unsigned *left = data;
    (void)info;
    if ((*left)-- == 0)
        return 1;
    hid_t attr = H5Aopen(obj, name, H5P_DEFAULT);
    hid_t type = H5Aget_type(attr), space = H5Aget_space(attr);
    look_at_type(type);
    size_t bytes = bytes_of(space, type);
    void *buf = bytes ? calloc(1, bytes) : NULL;
    if (buf && H5Aread(attr, type, buf) >= 0)
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, buf);
    free(buf);
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attr);
    return 0;
}

static herr_t visit_object(hid_t root, const char *name, const H5O_info2_t *info, void *data)
{
    struct walk *walk = data;
    unsigned attributes = MOST_ATTRIBUTES;
    hsize_t at = 0;
    if (++walk->objects > MOST_OBJECTS)
        return 1;
    hid_t obj = H5Oopen(root, name, H5P_DEFAULT);
    if (obj < 0)
        return 0;
    H5Aiterate2(obj, H5_INDEX_NAME, H5_ITER_NATIVE, &at, read_attribute, &attributes);
    char comment[64];
    H5Oget_comment(obj, comment, sizeof comment);
    if (info->type == H5O_TYPE_DATASET)
        read_dataset(obj);
    if (info->type == H5O_TYPE_NAMED_DATATYPE)
        look_at_type(obj);
    H5Oclose(obj);
    return 0;
}

static herr_t visit_link(hid_t group, const char *name, const H5L_info2_t *info, void *data)
{
    struct walk *walk = data;
    char target[256];
    if (++walk->objects > MOST_OBJECTS)
        return 1;
    if (info->type != H5L_TYPE_HARD)
        H5Lget_val(group, name, target, sizeof target, H5P_DEFAULT);
    return 0;
}

/* A file may say that its index has a place for each of countless chunks: on a disk those are a hole, in memory they
 * are not. */
static inline void *resize_image(void *image, size_t size, H5FD_file_image_op_t op, void *udata)
{
    (void)op, (void)udata;
    return size <= (size_t)16 << 20 ? realloc(image, size) : NULL;
}

static inline hid_t image_fapl(const void *image, size_t size)
{
    H5FD_file_image_callbacks_t calls = {.image_realloc = resize_image};
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(fapl, 1 << 16, 0);
    H5Pset_file_image_callbacks(fapl, &calls);
    H5Pset_file_image(fapl, (void *)(uintptr_t)image, size);
    return fapl;
}

/* Reads everything there is, within limits. */
static inline void read_all(hid_t file)
{
    struct walk walk = {0};
    H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_INC, visit_object, &walk, H5O_INFO_BASIC);
    walk.objects = 0;
    hsize_t at = 0;
    H5Literate2(file, H5_INDEX_CRT_ORDER, H5_ITER_DEC, &at, visit_link, &walk);
    hid_t fcpl = H5Fget_create_plist(file);
    H5Pclose(fcpl);
    H5F_info2_t info;
    H5Fget_info2(file, &info);
    H5Fget_freespace(file);
}

static inline void read_image(const void *image, size_t size)
{
    hid_t fapl = image_fapl(image, size);
    hid_t file = H5Fopen("image", H5F_ACC_RDONLY, fapl);
    if (file >= 0) {
        read_all(file);
        H5Fclose(file);
    }
    H5Pclose(fapl);
}

/* The next place from `at` on that could be an address: eight bytes whose value lies inside the file. Else `at`. */
static inline size_t address_at(const uint8_t *data, size_t size, size_t at)
{
    for (size_t i = at; i + 8 < size && i < at + 512; i++) {
        uint64_t v = 0;
        for (unsigned k = 0; k < 8; k++)
            v |= (uint64_t)data[i + k] << 8 * k;
        if (v >= 48 && v < size)
            return i;
    }
    return at;
}

/* Inserting or removing bytes moves all that follows away from where the file says it is: mostly changes are made in
 * place, among them copies of one part over another, so that two things point at the same. The file begins at
 * `start`. */
static inline size_t mutate_image(uint8_t *data, size_t size, size_t start, size_t max_size, unsigned seed)
{
    unsigned dice = seed % 16;
    uint64_t r = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    if (size <= start + 16 || dice == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    uint8_t *image = data + start;
    size_t bytes = size - start, room = bytes - 16;
    size_t to = (size_t)(r >> 20) % room, from = (size_t)(r >> 40) % room;
    if (dice < 5)
        memmove(image + address_at(image, bytes, to), image + address_at(image, bytes, from), 8);
    else if (dice < 8)
        memmove(image + to, image + from, (size_t)1 << (dice - 4));
    else if (dice < 10)
        image[to] = (uint8_t)(r >> 8);
    else if (dice < 12)
        image[to] = (uint8_t)(image[to] + (dice == 10 ? 1 : -1));
    else
        LLVMFuzzerMutate(image + to, 16, 16);
    return size;
}

#endif
