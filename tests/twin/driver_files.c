/* Files by the drivers for memory, families and kinds of data: what is made, what is refused, what is there again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hdf5.h>

static char dir[64];

static char *path(const char *name)
{
    static char buf[4][128];
    static int next;
    char *p = buf[next++ % 4];
    snprintf(p, sizeof buf[0], "%s/%s", dir, name);
    return p;
}

static long size_of(const char *name)
{
    struct stat st;
    return stat(path(name), &st) == 0 ? (long)st.st_size : -1;
}

/* -1 no file, 0 empty, 1 something */
static int state_of(const char *name)
{
    long size = size_of(name);
    return size > 0 ? 1 : (int)size;
}

static void put(hid_t file, const char *name, int n)
{
    hsize_t size = (hsize_t)n;
    int *data = malloc(sizeof(int) * (size_t)n);
    for (int i = 0; i < n; i++)
        data[i] = i % 1000 - n;
    hid_t space = H5Screate_simple(1, &size, NULL);
    hid_t d = H5Dcreate2(file, name, H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    printf("  put %s: %d", name, d >= 0);
    printf(" %d\n", H5Dwrite(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
    H5Dclose(d);
    H5Sclose(space);
    free(data);
}

static void get(hid_t file, const char *name)
{
    hid_t d = H5Dopen2(file, name, H5P_DEFAULT);
    if (d < 0) {
        printf("  no %s\n", name);
        return;
    }
    hid_t space = H5Dget_space(d);
    hssize_t n = H5Sget_simple_extent_npoints(space);
    int *data = malloc(sizeof(int) * (size_t)n);
    long sum = 0;
    printf("  get %s: %d", name, H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
    for (hssize_t i = 0; i < n; i++)
        sum += data[i] * (long)(i % 7 + 1);
    printf(", %ld elements, sum %ld\n", (long)n, sum);
    H5Sclose(space);
    H5Dclose(d);
    free(data);
}

static hid_t create(const char *what, const char *name, unsigned flags, hid_t fapl)
{
    hid_t f = H5Fcreate(path(name), flags, H5P_DEFAULT, fapl);
    printf("%s: create %d\n", what, f >= 0);
    return f;
}

static hid_t reopen(const char *what, const char *name, unsigned flags, hid_t fapl)
{
    hid_t f = H5Fopen(path(name), flags, fapl);
    printf("%s: open %d\n", what, f >= 0);
    return f;
}

static void done(hid_t f)
{
    if (f >= 0)
        printf("  close %d\n", H5Fclose(f));
}

static void text_file(const char *name)
{
    FILE *f = fopen(path(name), "w");
    fputs("text", f);
    fclose(f);
}

static void core_without_store(void)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(fapl, 1000, 0);
    hid_t f = create("memory", "m", H5F_ACC_TRUNC, fapl);
    put(f, "a", 5000);
    printf("  flush %d\n", H5Fflush(f, H5F_SCOPE_GLOBAL));
    get(f, "a");
    done(f);
    printf("  file %d\n", state_of("m"));
    text_file("m");
    done(create("memory over a file", "m", H5F_ACC_TRUNC, fapl));
    done(create("memory beside a file", "m", H5F_ACC_EXCL, fapl));
    printf("  file %ld\n", size_of("m"));
    done(reopen("memory from text", "m", H5F_ACC_RDWR, fapl));
    done(reopen("memory from nothing", "nothing", H5F_ACC_RDWR, fapl));
    /* Changes of a file that was read into memory are lost. */
    f = create("file", "real", H5F_ACC_TRUNC, H5P_DEFAULT);
    put(f, "a", 10);
    done(f);
    f = reopen("memory from file", "real", H5F_ACC_RDWR, fapl);
    put(f, "b", 10);
    get(f, "a");
    done(f);
    f = reopen("file", "real", H5F_ACC_RDONLY, H5P_DEFAULT);
    get(f, "a");
    get(f, "b");
    done(f);
    H5Pclose(fapl);
}

static void core_with_store(void)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(fapl, 64, 1);
    hid_t f = create("store", "s", H5F_ACC_EXCL, fapl);
    put(f, "a", 50000);
    printf("  flush %d, file %d\n", H5Fflush(f, H5F_SCOPE_GLOBAL), state_of("s"));
    put(f, "b", 10);
    done(f);
    done(create("store again", "s", H5F_ACC_EXCL, fapl));
    f = reopen("store", "s", H5F_ACC_RDWR, fapl);
    put(f, "c", 30000);
    printf("  delete %d\n", H5Ldelete(f, "b", H5P_DEFAULT));
    done(f);
    f = reopen("store", "s", H5F_ACC_RDONLY, H5P_DEFAULT);
    get(f, "a");
    get(f, "b");
    get(f, "c");
    done(f);
    f = reopen("store for reading", "s", H5F_ACC_RDONLY, fapl);
    get(f, "c");
    done(f);
    H5Pclose(fapl);
}

static void images(void)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    hid_t f = create("file", "i", H5F_ACC_TRUNC, H5P_DEFAULT);
    put(f, "a", 20);
    H5Fflush(f, H5F_SCOPE_GLOBAL);
    ssize_t size = H5Fget_file_image(f, NULL, 0);
    void *image = malloc((size_t)size);
    printf("  image %d\n", H5Fget_file_image(f, image, (size_t)size) == size);
    done(f);
    H5Pset_fapl_core(fapl, 1024, 1);
    printf("  set %d\n", H5Pset_file_image(fapl, image, (size_t)size));
    done(reopen("image over a file", "i", H5F_ACC_RDWR, fapl));
    f = reopen("image to a new file", "j", H5F_ACC_RDWR, fapl);
    printf("  file %d\n", state_of("j"));
    put(f, "b", 20);
    get(f, "a");
    done(f);
    f = reopen("that file", "j", H5F_ACC_RDONLY, H5P_DEFAULT);
    get(f, "a");
    get(f, "b");
    done(f);
    f = reopen("image for reading", "k", H5F_ACC_RDONLY, fapl);
    get(f, "a");
    done(f);
    printf("  file %d\n", state_of("k"));
    H5Pset_fapl_core(fapl, 1024, 0);
    f = reopen("image in memory", "l", H5F_ACC_RDWR, fapl);
    get(f, "a");
    put(f, "b", 5000);
    get(f, "b");
    done(f);
    printf("  file %d\n", state_of("l"));
    f = create("new with an image", "l", H5F_ACC_TRUNC, fapl);
    get(f, "a");
    done(f);
    free(image);
    H5Pclose(fapl);
}

static void families(void)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), other = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_family(fapl, 4096, H5P_DEFAULT);
    hid_t f = create("family", "f-%d", H5F_ACC_TRUNC, fapl);
    put(f, "a", 4000);
    put(f, "b", 10);
    done(f);
    printf("  members %ld %ld, the fourth %d, the seventh %d\n", size_of("f-0"), size_of("f-2"), state_of("f-3"),
           state_of("f-6"));
    done(create("family again", "f-%d", H5F_ACC_EXCL, fapl));
    f = reopen("family", "f-%d", H5F_ACC_RDWR, fapl);
    get(f, "a");
    put(f, "c", 4000);
    done(f);
    printf("  members %ld %ld, the ninth %d\n", size_of("f-0"), size_of("f-6"), state_of("f-8"));
    H5Pset_fapl_family(other, 0, H5P_DEFAULT);
    f = reopen("family of whatever size", "f-%d", H5F_ACC_RDONLY, other);
    get(f, "c");
    done(f);
    H5Pset_fapl_family(other, 2048, H5P_DEFAULT);
    done(reopen("family of another size", "f-%d", H5F_ACC_RDONLY, other));
    done(reopen("its first member", "f-0", H5F_ACC_RDONLY, H5P_DEFAULT));
    f = create("smaller family", "f-%d", H5F_ACC_TRUNC, fapl);
    done(f);
    printf("  members %d %d %d\n", state_of("f-0"), state_of("f-3"), state_of("f-9"));
    f = reopen("smaller family", "f-%d", H5F_ACC_RDWR, fapl);
    get(f, "a");
    put(f, "a", 3000);
    done(f);
    f = reopen("smaller family", "f-%d", H5F_ACC_RDONLY, fapl);
    get(f, "a");
    done(f);
    H5Pset_fapl_family(other, 0, H5P_DEFAULT);
    done(create("family without a size", "g-%d", H5F_ACC_TRUNC, other));
    done(create("family without numbers", "g", H5F_ACC_TRUNC, fapl));
    H5Pclose(other);
    H5Pclose(fapl);
}

static void kinds(const char *what, const char *name, hid_t fapl)
{
    hid_t f = create(what, name, H5F_ACC_TRUNC, fapl);
    put(f, "a", 3000);
    printf("  group %d\n", H5Gclose(H5Gcreate2(f, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    done(f);
    done(create(what, name, H5F_ACC_EXCL, fapl));
    f = reopen(what, name, H5F_ACC_RDWR, fapl);
    put(f, "group/b", 2000);
    done(f);
    f = reopen(what, name, H5F_ACC_RDONLY, fapl);
    get(f, "a");
    get(f, "group/b");
    done(f);
}

static void split_and_multi(void)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_split(fapl, "-m.h5", H5P_DEFAULT, "-r.h5", H5P_DEFAULT);
    kinds("split", "p", fapl);
    printf("  members %d %ld, whole %d\n", state_of("p-m.h5"), size_of("p-r.h5"), state_of("p"));
    H5Pset_fapl_multi(fapl, NULL, NULL, NULL, NULL, 1);
    kinds("multi", "q", fapl);
    printf("  members %d %d %d, raw %ld\n", state_of("q-s.h5"), state_of("q-o.h5"), state_of("q-g.h5"),
           size_of("q-r.h5"));
    H5Pclose(fapl);
}

int main(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    snprintf(dir, sizeof dir, "/tmp/tessera-twin-XXXXXX");
    if (!mkdtemp(dir))
        return 1;
    core_without_store();
    core_with_store();
    images();
    families();
    split_and_multi();
    char command[96];
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    return system(command);
}
