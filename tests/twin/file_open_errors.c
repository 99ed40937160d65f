/* Opening what is no HDF5 file, or not a whole one. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "read_util.h"

static char *corpus(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", getenv("TESSERA_CORPUS"), name);
    return path;
}

static void write_file(const char *name, const void *data, size_t size)
{
    FILE *f = fopen(name, "wb");
    if (f) {
        fwrite(data, 1, size, f);
        fclose(f);
    }
}

static size_t read_file(const char *name, unsigned char *data, size_t room)
{
    FILE *f = fopen(name, "rb");
    size_t n = f ? fread(data, 1, room, f) : 0;
    if (f)
        fclose(f);
    return n;
}

static herr_t count_texts(unsigned n, const H5E_error2_t *record, void *data)
{
    (void)n;
    *(int *)data += record->desc && *record->desc;
    return 0;
}

static int says_why(void)
{
    int texts = 0;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, count_texts, &texts);
    return texts > 0;
}

static void try_open(const char *what, const char *name, unsigned flags, hid_t fapl)
{
    hid_t file = H5Fopen(name, flags, fapl);
    printf("%s: open %s", what, file < 0 ? "fails" : "works");
    if (file < 0)
        printf(", says why %d", says_why());
    else
        H5Fclose(file);
    printf(", is_hdf5 %d\n", H5Fis_hdf5(name));
}

/* A whole file cut at many places. */
static void try_truncated(const char *name)
{
    static unsigned char data[1 << 20];
    size_t n = read_file(corpus(name), data, sizeof data);
    size_t cuts[] = {1, 7, 8, 9, 12, 16, 40, 47, 48, 49, 95, 96, 97, 200, 511, 512, 513, n / 2, n - 1, n};
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        char what[128];
        if (cuts[i] > n)
            continue;
        snprintf(what, sizeof what, "%s cut at %zu", name, cuts[i]);
        write_file("cut.h5", data, cuts[i]);
        try_open(what, "cut.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    }
    memset(data + n, 'x', 1000);
    write_file("longer.h5", data, n + 1000);
    try_open("with bytes behind the end", "longer.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
}

/* Every byte of the superblock changed in turn. */
static void try_damaged(const char *name, size_t bytes)
{
    static unsigned char data[1 << 20];
    size_t n = read_file(corpus(name), data, sizeof data);
    for (size_t i = 0; i < bytes; i++) {
        /* The driver's block at 2^56 - 1: stock lets it pass. */
        if (i == 55)
            continue;
        data[i] ^= 0xff;
        write_file("damaged.h5", data, n);
        hid_t file = H5Fopen("damaged.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
        printf("%s byte %zu: %s", name, i, file < 0 ? "no" : "opens");
        printf(" %d\n", H5Fis_hdf5("damaged.h5"));
        if (file >= 0)
            H5Fclose(file);
        data[i] ^= 0xff;
    }
}

static void try_signature_places(void)
{
    static unsigned char data[1 << 16], whole[1 << 16];
    size_t n = read_file(corpus("superblock_v110_userblock0.h5"), whole, 30000);
    for (size_t at = 256; at <= 8192; at *= 2) {
        char what[64];
        memset(data, 0, sizeof data);
        memcpy(data + at, whole, n);
        write_file("moved.h5", data, at + n);
        snprintf(what, sizeof what, "file moved by %zu", at);
        try_open(what, "moved.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    }
    memset(data, 0, sizeof data);
    memcpy(data + 700, whole, n);
    write_file("moved.h5", data, 700 + n);
    try_open("file moved by 700", "moved.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
}

static void try_arguments(void)
{
    const char *whole = corpus("group_old_9links.h5");
    unsigned flags[] = {H5F_ACC_TRUNC, H5F_ACC_EXCL, H5F_ACC_CREAT, H5F_ACC_SWMR_WRITE, 0x1000, 0x40 | 0x80};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        hid_t file = H5Fopen(whole, flags[i], H5P_DEFAULT);
        printf("flags %#x: %s\n", flags[i], file < 0 ? "fails" : "opens");
        H5Fclose(file);
    }
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    printf("wrong list: %s\n", H5Fopen(whole, H5F_ACC_RDONLY, dcpl) < 0 ? "fails" : "opens");
    printf("no list: %s\n", H5Fopen(whole, H5F_ACC_RDONLY, -5) < 0 ? "fails" : "opens");
    H5Pclose(dcpl);
    printf("no name: %d %d\n", H5Fopen(NULL, H5F_ACC_RDONLY, H5P_DEFAULT) < 0, H5Fis_hdf5(NULL) < 0);
    printf("empty name: %d %d\n", H5Fopen("", H5F_ACC_RDONLY, H5P_DEFAULT) < 0, H5Fis_hdf5("") < 0);
    printf("closing nothing: %d %d %d\n", H5Fclose(-1), H5Fclose(0), H5Fclose(H5T_NATIVE_INT));
}

int main(void)
{
    if (!getenv("TESSERA_CORPUS"))
        return 1;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    try_open("missing", "no_such_file.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    try_open("missing folder", "no/such/file.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    mkdir("folder", 0777);
    try_open("folder", "folder", H5F_ACC_RDONLY, H5P_DEFAULT);
    write_file("empty", "", 0);
    try_open("empty", "empty", H5F_ACC_RDONLY, H5P_DEFAULT);
    write_file("text", "no HDF5 file at all, but some text", 34);
    try_open("text", "text", H5F_ACC_RDONLY, H5P_DEFAULT);
    static char zeros[100000];
    write_file("zeros", zeros, sizeof zeros);
    try_open("zeros", "zeros", H5F_ACC_RDONLY, H5P_DEFAULT);
    try_open("device", "/dev/null", H5F_ACC_RDONLY, H5P_DEFAULT);
    write_file("locked", zeros, 10);
    if (geteuid() != 0) {
        chmod("locked", 0);
        try_open("no permission", "locked", H5F_ACC_RDONLY, H5P_DEFAULT);
    }
    try_truncated("group_old_9links.h5");
    try_truncated("superblock_v18_userblock0.h5");
    try_truncated("superblock_v110_userblock512.h5");
    try_damaged("group_old_9links.h5", 96);
    try_damaged("superblock_v18_userblock0.h5", 48);
    try_damaged("superblock_v110_userblock0.h5", 48);
    try_signature_places();
    try_arguments();
    return 0;
}
