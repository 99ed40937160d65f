/* Files of no bytes, or of some that are no HDF5 file, opened in every way and with every driver: an empty one that is opened for
 * writing becomes an HDF5 file. */
#include <hdf5.h>
#include <stdio.h>
#include <sys/stat.h>

enum { SEC2, STDIO, LOG, CORE_KEPT, CORE, FAMILY, SPLIT, V18, V110, WAYS };

static hid_t access_list(int way)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    switch (way) {
    case STDIO: H5Pset_fapl_stdio(fapl); break;
    case LOG: H5Pset_fapl_log(fapl, NULL, 0, 0); break;
    case CORE_KEPT: H5Pset_fapl_core(fapl, 4096, 1); break;
    case CORE: H5Pset_fapl_core(fapl, 4096, 0); break;
    case FAMILY: H5Pset_fapl_family(fapl, 1 << 20, H5P_DEFAULT); break;
    case SPLIT: H5Pset_fapl_split(fapl, ".m", H5P_DEFAULT, ".r", H5P_DEFAULT); break;
    case V18: H5Pset_libver_bounds(fapl, H5F_LIBVER_V18, H5F_LIBVER_V18); break;
    case V110: H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_V110); break;
    default: break;
    }
    return fapl;
}

static void make(const char *name, int size)
{
    FILE *f = fopen(name, "w");
    for (int i = 0; i < size; i++)
        fputc('x', f);
    fclose(f);
}

static void make_for(int way, int size)
{
    if (way == FAMILY)
        make("empty_0.h5", size);
    else if (way == SPLIT)
        make("empty.h5.m", size), make("empty.h5.r", size);
    else
        make("empty.h5", size);
}

static void use(hid_t file)
{
    unsigned intent = 0;
    hsize_t user_block = 1;
    hid_t fcpl = H5Fget_create_plist(file), group = H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Fget_intent(file, &intent);
    H5Pget_userblock(fcpl, &user_block);
    printf(" opens, intent %#x, user block %d, group %d", intent, (int)user_block, group >= 0);
    H5Gclose(group);
    H5Pclose(fcpl);
    printf(", closes %d", H5Fclose(file));
}

static void try_open(int way, unsigned flags, int size)
{
    const char *name = way == FAMILY ? "empty_%d.h5" : "empty.h5";
    struct stat now;
    make_for(way, size);
    hid_t fapl = access_list(way), file = H5Fopen(name, flags, fapl);
    printf("%d, flags %#x, %d bytes:", way, flags, size);
    if (file >= 0) {
        use(file);
        hid_t again = H5Fopen(name, H5F_ACC_RDONLY, fapl);
        printf(", again: %d\n", again >= 0 ? (int)H5Lexists(again, "group", H5P_DEFAULT) : -1);
        if (again >= 0)
            H5Fclose(again);
    } else {
        stat(way == FAMILY ? "empty_0.h5" : way == SPLIT ? "empty.h5.m" : "empty.h5", &now);
        printf(" not, and it has %d\n", (int)now.st_size);
    }
    H5Pclose(fapl);
}

static void open_twice(void)
{
    make("empty.h5", 0);
    hid_t a = H5Fopen("empty.h5", H5F_ACC_RDWR, H5P_DEFAULT), b = H5Fopen("empty.h5", H5F_ACC_RDWR, H5P_DEFAULT);
    printf("twice: %d %d", a >= 0, b >= 0);
    H5Gclose(H5Gcreate2(a, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    printf(", %d\n", (int)H5Lexists(b, "group", H5P_DEFAULT));
    H5Fclose(a);
    H5Fclose(b);
}

int main(void)
{
    const unsigned flags[] = {H5F_ACC_RDONLY, H5F_ACC_RDWR, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ,
                                     H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, H5F_ACC_CREAT, H5F_ACC_RDWR | H5F_ACC_CREAT};
    static const int sizes[] = {1, 7, 8, 100, 2048};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (int way = 0; way < WAYS; way++)
        for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
            try_open(way, flags[i], 0);
            /* libhdf5 writes over any file that the core driver opens with H5F_ACC_CREAT. */
            for (size_t k = 0; k < sizeof sizes / sizeof sizes[0] && (way == SEC2 || way == V110); k++)
                try_open(way, flags[i], sizes[k]);
        }
    make("empty.h5", 0);
    printf("is HDF5: %d\n", (int)H5Fis_hdf5("empty.h5"));
    open_twice();
    return 0;
}
