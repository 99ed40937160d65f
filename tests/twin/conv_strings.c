/* Strings of all sizes and character sets read and written as each other: in datasets, attributes, members of compounds,
 * sequences and arrays. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hdf5.h>

enum { N = 2, ROOM = 128 };

static const char *const texts[N] = {"h\xc3\xa4llo", "wor"};

static hid_t string_type(size_t size, int cset)
{
    hid_t t = H5Tcopy(H5T_C_S1);
    H5Tset_size(t, size);
    H5Tset_cset(t, (H5T_cset_t)cset);
    return t;
}

/* libhdf5 takes the ways between character sets once it has gone one within a set. */
static void go_within_sets(void)
{
    for (int cset = 0; cset < 2; cset++) {
        char *p = (char *)(size_t)texts[0];
        hid_t t = string_type(H5T_VARIABLE, cset), one = H5Screate(H5S_SCALAR);
        printf("within a set: %d\n", (int)H5Tconvert(t, t, 1, &p, NULL, H5P_DEFAULT));
        H5Dvlen_reclaim(t, one, H5P_DEFAULT, &p);
        H5Sclose(one);
        H5Tclose(t);
    }
}

enum frame { ALONE, MEMBER, ARRAY, FRAMES };

/* The string at an offset inside something larger. */
static hid_t framed(hid_t string, enum frame frame, size_t offset)
{
    hsize_t one = 1;
    hid_t t;
    if (frame == ALONE)
        return H5Tcopy(string);
    if (frame == ARRAY)
        return H5Tarray_create2(string, 1, &one);
    t = H5Tcreate(H5T_COMPOUND, offset + H5Tget_size(string));
    H5Tinsert(t, "n", 0, H5T_NATIVE_INT);
    H5Tinsert(t, "s", offset, string);
    return t;
}

static void put(char *at, size_t i, hid_t string)
{
    if (H5Tis_variable_str(string) > 0)
        memcpy(at, &texts[i], sizeof texts[i]);
    else
        strncpy(at, texts[i], H5Tget_size(string));
}

static void show(const char *at, hid_t string)
{
    const char *p;
    if (H5Tis_variable_str(string) > 0) {
        memcpy(&p, at, sizeof p);
        printf(" '%s'", p ? p : "(none)");
    } else {
        printf(" '%.*s'", (int)H5Tget_size(string), at);
    }
}

static int transfer(hid_t where, hid_t type, void *out, const void *in)
{
    if (H5Iget_type(where) == H5I_ATTR)
        return out ? H5Aread(where, type, out) : H5Awrite(where, type, in);
    return out ? H5Dread(where, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out)
               : H5Dwrite(where, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, in);
}

static void through(hid_t where, hid_t string, enum frame frame)
{
    size_t offset = frame == MEMBER ? 8 : 0;
    hid_t type = framed(string, frame, offset), space = H5Screate_simple(1, (const hsize_t[]){N}, NULL);
    char in[ROOM] = {0}, out[ROOM] = {0};
    for (size_t i = 0; i < N; i++)
        put(in + i * H5Tget_size(type) + offset, i, string);
    int wrote = transfer(where, type, NULL, in), read = wrote < 0 ? -1 : transfer(where, type, out, NULL);
    printf(" %d %d", wrote, read);
    for (size_t i = 0; read >= 0 && i < N; i++)
        show(out + i * H5Tget_size(type) + offset, string);
    if (read >= 0 && H5Tis_variable_str(string) > 0)
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, out);
    printf("\n");
    H5Sclose(space);
    H5Tclose(type);
}

static void pair(hid_t file, hid_t from, hid_t to, const char *name)
{
    hid_t space = H5Screate_simple(1, (const hsize_t[]){N}, NULL);
    H5T_cdata_t *cdata;
    printf("%s: %d %d\n", name, H5Tfind(from, to, &cdata) != NULL, (int)H5Tcompiler_conv(from, to));
    for (int frame = ALONE; frame < FRAMES; frame++) {
        char full[100];
        snprintf(full, sizeof full, "%s, frame %d", name, frame);
        hid_t type = framed(to, (enum frame)frame, 4);
        hid_t set = H5Dcreate2(file, full, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        hid_t attr = H5Acreate2(file, full, type, space, H5P_DEFAULT, H5P_DEFAULT);
        printf("  dataset");
        through(set, from, (enum frame)frame);
        printf("  attribute");
        through(attr, from, (enum frame)frame);
        H5Aclose(attr);
        H5Dclose(set);
        H5Tclose(type);
    }
    H5Sclose(space);
}

/* Sequences of strings. */
static void sequences(hid_t file)
{
    hid_t space = H5Screate(H5S_SCALAR), to = string_type(H5T_VARIABLE, 1), from = string_type(H5T_VARIABLE, 0);
    hid_t to_many = H5Tvlen_create(to), from_many = H5Tvlen_create(from);
    hid_t set = H5Dcreate2(file, "sequences", to_many, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hvl_t in = {N, (void *)(size_t)texts}, out = {0, NULL};
    printf("sequence: %d", (int)H5Dwrite(set, from_many, H5S_ALL, H5S_ALL, H5P_DEFAULT, &in));
    printf(" %d", (int)H5Dread(set, from_many, H5S_ALL, H5S_ALL, H5P_DEFAULT, &out));
    for (size_t i = 0; i < out.len; i++)
        show((const char *)out.p + i * sizeof(char *), from);
    printf("\n");
    H5Dvlen_reclaim(from_many, space, H5P_DEFAULT, &out);
    H5Dclose(set);
    H5Tclose(to_many);
    H5Tclose(from_many);
    H5Tclose(to);
    H5Tclose(from);
    H5Sclose(space);
}

int main(void)
{
    static const size_t sizes[] = {5, 8, H5T_VARIABLE};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t file = H5Fcreate("conv_strings.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    go_within_sets();
    for (int from = 0; from < 6; from++)
        for (int to = 0; to < 6; to++) {
            hid_t a = string_type(sizes[from / 2], from % 2), b = string_type(sizes[to / 2], to % 2);
            char name[64];
            snprintf(name, sizeof name, "%zd, set %d, to %zd, set %d", (ssize_t)sizes[from / 2], from % 2,
                     (ssize_t)sizes[to / 2], to % 2);
            pair(file, a, b, name);
            H5Tclose(a);
            H5Tclose(b);
        }
    sequences(file);
    printf("closed: %d\n", (int)H5Fclose(file));
    return 0;
}
