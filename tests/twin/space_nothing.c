/* Dataspaces without an extent, null ones, and those with nothing selected, in all calls that move elements. */
#include <stdio.h>

#include <hdf5.h>

static int calls;

static herr_t on_element(void *element, hid_t type, unsigned rank, const hsize_t *point, void *data)
{
    (void)element, (void)type, (void)rank, (void)point, (void)data;
    return calls++ * 0;
}

static herr_t on_scatter(const void **buf, size_t *bytes, void *data)
{
    static const int four[4] = {1, 2, 3, 4};
    (void)data;
    calls++;
    *buf = four;
    *bytes = sizeof four;
    return 0;
}

static herr_t on_gather(const void *buf, size_t bytes, void *data)
{
    (void)buf, (void)bytes, (void)data;
    return calls++ * 0;
}

static void in_memory(hid_t space, int has_extent)
{
    int buf[16] = {0}, fill = 7;
    hid_t sequences = H5Tvlen_create(H5T_NATIVE_INT);
    hvl_t none[4] = {{0, NULL}};
    calls = 0;
    printf(" fill %d", (int)H5Dfill(&fill, H5T_NATIVE_INT, buf, H5T_NATIVE_INT, space));
    printf(" reclaim %d", (int)H5Dvlen_reclaim(sequences, space, H5P_DEFAULT, none));
    printf(" iterate %d", (int)H5Diterate(buf, H5T_NATIVE_INT, space, on_element, NULL));
    if (has_extent) { /* libhdf5 takes those without one, too */
        printf(" scatter %d", (int)H5Dscatter(on_scatter, NULL, H5T_NATIVE_INT, space, buf));
        printf(" gather %d", (int)H5Dgather(space, buf, H5T_NATIVE_INT, sizeof buf, buf, on_gather, NULL));
    }
    printf(", %d calls, %d %d\n", calls, buf[0], buf[3]);
    H5Tclose(sequences);
}

static void of_a_dataset(hid_t file, const char *name, hid_t extent, const hid_t *spaces, int n)
{
    int buf[16] = {0};
    hsize_t size = 0;
    hid_t sequences = H5Tvlen_create(H5T_NATIVE_INT);
    hid_t set = H5Dcreate2(file, name, sequences, extent, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t ints = H5Dcreate_anon(file, H5T_NATIVE_INT, extent, H5P_DEFAULT, H5P_DEFAULT);
    for (int i = 0; i < n; i++) {
        printf("%s, space %d: size %d", name, i, (int)H5Dvlen_get_buf_size(set, sequences, spaces[i], &size));
        printf(" read %d", (int)H5Dread(ints, H5T_NATIVE_INT, H5S_ALL, spaces[i], H5P_DEFAULT, buf));
        printf(" %d", (int)H5Dread(ints, H5T_NATIVE_INT, spaces[i], spaces[i], H5P_DEFAULT, buf));
        printf(" write %d", (int)H5Dwrite(ints, H5T_NATIVE_INT, H5S_ALL, spaces[i], H5P_DEFAULT, buf));
        printf(" %d\n", (int)H5Dwrite(ints, H5T_NATIVE_INT, spaces[i], spaces[i], H5P_DEFAULT, buf));
    }
    H5Dclose(ints);
    H5Dclose(set);
    H5Tclose(sequences);
}

int main(void)
{
    const hsize_t four = 4, zero = 0;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t file = H5Fcreate("space_nothing.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t spaces[] = {H5Screate(H5S_SIMPLE), H5Screate(H5S_NULL), H5Screate_simple(1, &zero, &four),
                      H5Screate_simple(1, &four, NULL), H5Screate_simple(1, &four, NULL)};
    H5Sselect_none(spaces[3]);
    for (int i = 0; i < 5; i++) {
        printf("space %d:", i);
        in_memory(spaces[i], i > 0);
    }
    of_a_dataset(file, "null", spaces[1], spaces, 4);
    of_a_dataset(file, "simple", spaces[4], spaces, 5);
    for (int i = 0; i < 5; i++)
        H5Sclose(spaces[i]);
    printf("closed: %d\n", (int)H5Fclose(file));
    return 0;
}
