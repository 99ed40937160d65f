/* A SWMR writer makes, renames and deletes objects, links and attributes: what is there after a flush, to a reader in another
 * process and when the file was closed. (Datasets that libhdf5 has written in this mode it cannot delete or copy in it.) */
#include <hdf5.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *path = "swmr_names.h5";

static hid_t bounds(void)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST);
    return fapl;
}

static herr_t make_dataset(hid_t f, const char *name, H5D_layout_t layout)
{
    hsize_t n = 4, most = layout == H5D_CHUNKED ? H5S_UNLIMITED : n;
    int values[4] = {1, 2, 3, 4};
    hid_t space = H5Screate_simple(1, &n, &most), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    if (layout == H5D_CHUNKED)
        H5Pset_chunk(dcpl, 1, &n);
    else
        H5Pset_layout(dcpl, layout);
    hid_t d = H5Dcreate2(f, name, H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    herr_t status = H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(d);
    H5Pclose(dcpl);
    H5Sclose(space);
    return status;
}

static herr_t make_attr(hid_t object, const char *name)
{
    int value = 7;
    hid_t space = H5Screate(H5S_SCALAR), a = H5Acreate2(object, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
    herr_t status = H5Awrite(a, H5T_NATIVE_INT, &value);
    H5Aclose(a);
    H5Sclose(space);
    return status;
}

static herr_t make_type(hid_t f)
{
    hid_t type = H5Tcopy(H5T_NATIVE_INT);
    herr_t status = H5Tcommit2(f, "type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Tclose(type);
    return status;
}

static herr_t make_many(hid_t f, int attributes)
{
    char name[20];
    for (int i = 0; i < 20; i++) {
        sprintf(name, "many%d", i);
        if (attributes ? make_attr(f, name) < 0 : H5Gclose(H5Gcreate2(f, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)) < 0)
            return -1;
    }
    return 0;
}

static herr_t attr_on_dataset(hid_t f)
{
    hid_t d = H5Dopen2(f, "d", H5P_DEFAULT);
    herr_t status = make_attr(d, "on dataset");
    H5Dclose(d);
    return status;
}

static herr_t linked_late(hid_t f)
{
    hid_t space = H5Screate(H5S_SCALAR), d = H5Dcreate_anon(f, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
    herr_t status = H5Olink(d, f, "late", H5P_DEFAULT, H5P_DEFAULT);
    H5Dclose(d);
    H5Sclose(space);
    return status;
}

enum { KINDS = 20 };

static herr_t change(hid_t f, int kind)
{
    switch (kind) {
    case 0: return H5Gclose(H5Gcreate2(f, "new", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    case 1: return make_dataset(f, "chunked", H5D_CHUNKED);
    case 2: return make_dataset(f, "contiguous", H5D_CONTIGUOUS);
    case 3: return make_dataset(f, "compact", H5D_COMPACT);
    case 4: return make_attr(f, "attr");
    case 5: return H5Adelete(f, "a");
    case 6: return H5Arename(f, "a", "b");
    case 7: return H5Lcreate_soft("/g", f, "soft", H5P_DEFAULT, H5P_DEFAULT);
    case 8: return H5Lcreate_hard(f, "g", f, "hard", H5P_DEFAULT, H5P_DEFAULT);
    case 9: return H5Lcreate_external("x.h5", "/g", f, "external", H5P_DEFAULT, H5P_DEFAULT);
    case 10: return H5Ldelete(f, "g", H5P_DEFAULT);
    case 11: return H5Lmove(f, "d", f, "g/d", H5P_DEFAULT, H5P_DEFAULT);
    case 12: return H5Lmove(f, "g", f, "moved", H5P_DEFAULT, H5P_DEFAULT);
    case 13: return make_type(f);
    case 14: return H5Oset_comment_by_name(f, "g", "words", H5P_DEFAULT);
    case 15: return H5Ocopy(f, "g", f, "copy", H5P_DEFAULT, H5P_DEFAULT);
    case 16: return attr_on_dataset(f);
    case 17: return linked_late(f);
    case 18: return make_many(f, 0);
    default: return make_many(f, 1);
    }
}

static herr_t print_link(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    int values[4] = {0};
    (void)data;
    printf(" %s", name);
    if (info->type != H5L_TYPE_HARD)
        return 0;
    hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    if (H5Iget_type(object) == H5I_DATASET) {
        printf("=%d", H5Dread(object, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
        printf(":%d", values[3]);
    }
    H5Oclose(object);
    return 0;
}

static herr_t print_attr(hid_t object, const char *name, const H5A_info_t *info, void *data)
{
    (void)object, (void)info, (void)data;
    printf(" @%s", name);
    return 0;
}

static void print_all(const char *who, unsigned flags)
{
    hsize_t at = 0;
    hid_t f = H5Fopen(path, flags, H5P_DEFAULT);
    printf("  %s:", who);
    H5Literate(f, H5_INDEX_NAME, H5_ITER_INC, &at, print_link, NULL);
    H5Aiterate2(f, H5_INDEX_NAME, H5_ITER_INC, NULL, print_attr, NULL);
    H5Fclose(f);
    printf("\n");
    fflush(stdout);
}

static hid_t start(int way)
{
    hid_t fapl = bounds(), f = H5Fcreate(path, H5F_ACC_TRUNC | (way == 2 ? H5F_ACC_SWMR_WRITE : 0), H5P_DEFAULT, fapl);
    H5Gclose(H5Gcreate2(f, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    make_dataset(f, "d", H5D_CHUNKED);
    make_attr(f, "a");
    if (way == 0)
        H5Fstart_swmr_write(f);
    if (way == 1) {
        H5Fclose(f);
        f = H5Fopen(path, H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, fapl);
    }
    H5Pclose(fapl);
    return f;
}

/* The writer is another process, which waits after its flush until the reader has looked. */
static void write_beside_reader(int way, int kind)
{
    int to_reader[2], to_writer[2];
    char word = 0;
    fflush(stdout);
    if (pipe(to_reader) != 0 || pipe(to_writer) != 0)
        return;
    pid_t pid = fork();
    if (pid == 0) {
        H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
        hid_t f = start(way);
        herr_t status = change(f, kind);
        printf("way %d, change %d: %d, flush %d\n", way, kind, status, H5Fflush(f, H5F_SCOPE_GLOBAL));
        fflush(stdout);
        if (write(to_reader[1], &word, 1) == 1 && read(to_writer[0], &word, 1) == 1)
            H5Fclose(f);
        fflush(stdout);
        _exit(0);
    }
    if (read(to_reader[0], &word, 1) == 1)
        print_all("reader beside it", H5F_ACC_RDONLY | H5F_ACC_SWMR_READ);
    if (write(to_writer[1], &word, 1) == 1)
        waitpid(pid, NULL, 0);
    print_all("afterwards", H5F_ACC_RDONLY);
    for (int i = 0; i < 2; i++)
        close(to_reader[i]), close(to_writer[i]);
}

int main(void)
{
    for (int way = 0; way < 3; way++)
        for (int kind = 0; kind < KINDS; kind++)
            write_beside_reader(way, kind);
    return 0;
}
