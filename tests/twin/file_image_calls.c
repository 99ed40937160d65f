/* Applications that own the memory of a file: they keep what a closed file leaves behind, and let a file work in their
 * own buffer. Only what is asked for a file is told here; when property lists copy images is the library's business. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INCREMENT ((size_t)1 << 16)

struct owner {
    int refs, tell;
    void *shared; /* what file_open gives, instead of new memory */
    void *kept;
    size_t size, mallocs, frees;
};

static void *get(size_t size, H5FD_file_image_op_t op, void *udata)
{
    struct owner *o = udata;
    if (op == H5FD_FILE_IMAGE_OP_FILE_OPEN) {
        printf("  malloc, as long as the image: %d\n", size == o->size);
        o->size = size;
        if (o->shared)
            return o->shared;
    }
    o->mallocs++;
    return malloc(size);
}

static void *copy(void *to, const void *from, size_t size, H5FD_file_image_op_t op, void *udata)
{
    struct owner *o = udata;
    if (op == H5FD_FILE_IMAGE_OP_FILE_OPEN)
        printf("  memcpy, same size: %d\n", size == o->size);
    return memmove(to, from, size);
}

static void *resize(void *bytes, size_t size, H5FD_file_image_op_t op, void *udata)
{
    struct owner *o = udata;
    if (o->tell)
        printf("  realloc of %s to %zu, op %d\n", bytes ? "bytes" : "nothing", size, (int)op);
    if (bytes && bytes == o->shared) {
        printf("  refused\n");
        return NULL;
    }
    o->mallocs += !bytes;
    o->size = size;
    return realloc(bytes, size);
}

static herr_t drop(void *bytes, H5FD_file_image_op_t op, void *udata)
{
    struct owner *o = udata;
    if (op == H5FD_FILE_IMAGE_OP_FILE_CLOSE) {
        printf("  free at file close, shared: %d\n", bytes == o->shared);
        o->kept = bytes;
        return 0;
    }
    o->frees++;
    free(bytes);
    return 0;
}

static void *take(void *udata)
{
    ((struct owner *)udata)->refs++;
    return udata;
}

static herr_t give(void *udata)
{
    ((struct owner *)udata)->refs--;
    return 0;
}

static hid_t list_of(struct owner *o, size_t increment)
{
    H5FD_file_image_callbacks_t calls = {get, copy, resize, drop, take, give, o};
    hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(list, increment, 0);
    printf("callbacks: %d\n", H5Pset_file_image_callbacks(list, &calls));
    return list;
}

static void write_bytes(hid_t file, const char *name, hsize_t n, int value)
{
    hid_t space = H5Screate_simple(1, &n, NULL);
    hid_t dset = H5Dcreate2(file, name, H5T_NATIVE_UCHAR, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    unsigned char *bytes = malloc(n);
    memset(bytes, value, n);
    printf("write %s: %d\n", name, H5Dwrite(dset, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0);
    free(bytes);
    H5Dclose(dset);
    H5Sclose(space);
}

static void show(hid_t file, const char *name)
{
    static unsigned char bytes[2000000];
    hid_t dset = H5Dopen2(file, name, H5P_DEFAULT);
    hssize_t n = 0;
    unsigned long sum = 0;
    if (dset >= 0) {
        hid_t space = H5Dget_space(dset);
        n = H5Sget_simple_extent_npoints(space);
        H5Sclose(space);
        H5Dread(dset, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes);
        H5Dclose(dset);
    }
    for (hssize_t i = 0; i < n; i++)
        sum += bytes[i];
    printf("%s: %lld bytes, sum %lu\n", name, (long long)n, sum);
}

/* A new file; what is left when it is closed is the application's. */
static void keep_new(struct owner *o)
{
    o->tell = 1;
    hid_t list = list_of(o, INCREMENT);
    hid_t file = H5Fcreate("image_new.h5", H5F_ACC_TRUNC, H5P_DEFAULT, list);
    H5Pclose(list);
    write_bytes(file, "a", 300000, 3);
    printf("close: %d\n", H5Fclose(file));
    printf("kept: %d, %zu bytes, an HDF5 file: %d\n", o->kept != NULL, o->size,
           o->kept && memcmp(o->kept, "\211HDF", 4) == 0);
}

/* Its image opened as it is, or to be changed; the library works in memory of the application. */
static void use_image(struct owner *image, unsigned flags, void *shared)
{
    struct owner o = {.shared = shared, .size = image->size};
    hid_t list = list_of(&o, INCREMENT);
    printf("set image: %d\n", H5Pset_file_image(list, image->kept, image->size));
    hid_t file = H5Fopen("image_of_memory.h5", flags, list);
    printf("opened: %d\n", file >= 0);
    show(file, "a");
    if (flags & H5F_ACC_RDWR) {
        hid_t dset = H5Dopen2(file, "a", H5P_DEFAULT);
        unsigned char *bytes = malloc(300000);
        memset(bytes, 7, 300000);
        H5Dwrite(dset, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes);
        free(bytes);
        H5Dclose(dset);
        if (!shared)
            write_bytes(file, "b", 1500000, 1);
    }
    printf("close: %d\n", H5Fclose(file));
    H5Pclose(list);
    printf("lists gave back what they took: %d, and their data: %d\n", o.mallocs - o.frees == (shared ? 0 : 1), o.refs);
    if (shared)
        printf("changed in place: %d\n", memcmp(shared, image->kept, image->size) != 0);
    else
        free(o.kept);
}

int main(void)
{
    struct owner image = {0};
    setvbuf(stdout, NULL, _IOLBF, 0);
    keep_new(&image);
    printf("read it\n");
    use_image(&image, H5F_ACC_RDONLY, NULL);
    printf("change it\n");
    use_image(&image, H5F_ACC_RDWR, NULL);
    printf("change it in the application's buffer\n");
    void *shared = malloc(image.size);
    use_image(&image, H5F_ACC_RDWR, shared);
    free(image.kept);
    image.kept = shared;
    printf("and read that\n");
    use_image(&image, H5F_ACC_RDONLY, NULL);
    free(shared);
    return 0;
}
