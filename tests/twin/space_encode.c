/* The bytes of H5Sencode for all sorts of extents and selections, what is said of the buffer, and decoding them again. */
#include <stdio.h>
#include <string.h>

#include <hdf5.h>

static void show(const char *name, hid_t space)
{
    unsigned char bytes[1024] = {0};
    size_t need = 0, little = 3, room = sizeof bytes;
    printf("%s: %d", name, (int)H5Sencode(space, NULL, &need));
    printf(" %zu, into 3 bytes %d", need, (int)H5Sencode(space, bytes, &little));
    printf(" %zu, into enough %d %zu\n  ", little, (int)H5Sencode(space, bytes, &room), room);
    for (size_t i = 0; i < need; i++)
        printf("%02x", bytes[i]);
    hid_t back = H5Sdecode(bytes);
    printf("\n  decoded %d, class %d, %lld of %lld elements, equal %d\n", back > 0, (int)H5Sget_simple_extent_type(back),
           (long long)H5Sget_select_npoints(back), (long long)H5Sget_simple_extent_npoints(back),
           (int)H5Sextent_equal(back, space));
    H5Sclose(back);
}

/* Each adds to or replaces the selection before. */
static void selections(const char *name, hid_t space)
{
    const hsize_t start[] = {1, 1}, stride[] = {2, 2}, count[] = {2, 2}, block[] = {1, 2}, corner[] = {3, 5};
    const hsize_t one[] = {1, 1}, points[] = {0, 1, 3, 4, 2, 2}, endless[] = {H5S_UNLIMITED, 1};
    const hssize_t offset[] = {1, -1}, nowhere[] = {0, 0};
    printf("--- %s\n", name);
    show("all", space);
    H5Sselect_none(space);
    show("none", space);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, block);
    show("regular", space);
    H5Soffset_simple(space, offset);
    show("with an offset", space);
    H5Soffset_simple(space, nowhere);
    H5Sselect_hyperslab(space, H5S_SELECT_OR, corner, NULL, one, NULL);
    show("irregular", space);
    H5Sselect_elements(space, H5S_SELECT_SET, 3, points);
    show("points", space);
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, endless, block) >= 0)
        show("unlimited", space);
    H5Sclose(space);
}

static hid_t of_a_file(hid_t space)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk[] = {2, 2};
    H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    H5Pset_chunk(dcpl, 2, chunk);
    hid_t file = H5Fcreate("space_encode.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    hid_t set = H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    H5Dclose(set);
    H5Fclose(file);
    file = H5Fopen("space_encode.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    set = H5Dopen2(file, "d", H5P_DEFAULT);
    hid_t back = H5Dget_space(set);
    H5Dclose(set);
    H5Fclose(file);
    H5Pclose(dcpl);
    H5Pclose(fapl);
    return back;
}

int main(void)
{
    const hsize_t dims[] = {4, 6}, max[] = {H5S_UNLIMITED, 6}, empty[] = {0, 6};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    show("scalar", H5Screate(H5S_SCALAR));
    show("null", H5Screate(H5S_NULL));
    show("no extent", H5Screate(H5S_SIMPLE));
    show("empty", H5Screate_simple(2, empty, max));
    selections("fixed", H5Screate_simple(2, dims, NULL));
    selections("growing", H5Screate_simple(2, dims, max));
    selections("of a file", of_a_file(H5Screate_simple(2, dims, max)));
    return 0;
}
