/* What functions of the application for conversions are asked, and when: a hard one when it is registered, a soft one for every
 * path that is there and for every new one. */
#include <hdf5.h>
#include <stdio.h>

static int declines;

static herr_t convert(hid_t src, hid_t dst, H5T_cdata_t *cdata, size_t n, size_t buf_stride, size_t bkg_stride, void *buf, void *bkg,
                      hid_t dxpl)
{
    (void)buf_stride, (void)bkg_stride;
    printf("  command %d", (int)cdata->command);
    if (cdata->command != H5T_CONV_FREE) /* libhdf5 has no datatypes left then */
        printf(" from class %d of %zu bytes to %d of %zu", (int)H5Tget_class(src), H5Tget_size(src), (int)H5Tget_class(dst),
               H5Tget_size(dst));
    printf(", %zu elements at %d, background %d, list %d\n", n, buf != NULL, bkg != NULL,
           H5Pisa_class(dxpl, H5P_DATASET_XFER) > 0 || cdata->command == H5T_CONV_FREE);
    return declines && cdata->command == H5T_CONV_INIT ? -1 : 0;
}

#define SHOW(call) (printf("%s\n", #call), printf("  %d\n", (int)(call)))

static void hard(void *buf)
{
    SHOW(H5Tregister(H5T_PERS_HARD, "hard", H5T_NATIVE_INT, H5T_STD_B16LE, convert));
    SHOW(H5Tconvert(H5T_NATIVE_INT, H5T_STD_B16LE, 1, buf, NULL, H5P_DEFAULT));
    SHOW(H5Tregister(H5T_PERS_HARD, "again", H5T_NATIVE_INT, H5T_STD_B16LE, convert));
    SHOW(H5Tconvert(H5T_NATIVE_INT, H5T_STD_B16LE, 1, buf, NULL, H5P_DEFAULT));
    declines = 1;
    SHOW(H5Tregister(H5T_PERS_HARD, "declines", H5T_NATIVE_INT, H5T_STD_B16LE, convert));
    SHOW(H5Tregister(H5T_PERS_HARD, "declines", H5T_NATIVE_INT, H5T_STD_B32LE, convert));
    SHOW(H5Tconvert(H5T_NATIVE_INT, H5T_STD_B16LE, 1, buf, NULL, H5P_DEFAULT));
    SHOW(H5Tconvert(H5T_NATIVE_INT, H5T_STD_B32LE, 1, buf, NULL, H5P_DEFAULT));
    declines = 0;
    SHOW(H5Tunregister(H5T_PERS_HARD, NULL, -1, -1, convert));
    SHOW(H5Tconvert(H5T_NATIVE_INT, H5T_STD_B16LE, 1, buf, NULL, H5P_DEFAULT));
}

static void soft(void *buf)
{
    SHOW(H5Tregister(H5T_PERS_SOFT, "soft", H5T_NATIVE_INT, H5T_STD_B16LE, convert));
    SHOW(H5Tconvert(H5T_NATIVE_INT, H5T_STD_B16LE, 1, buf, NULL, H5P_DEFAULT));
    SHOW(H5Tconvert(H5T_NATIVE_INT, H5T_STD_B16LE, 1, buf, NULL, H5P_DEFAULT));
    SHOW(H5Tregister(H5T_PERS_SOFT, "again", H5T_NATIVE_INT, H5T_STD_B16LE, convert));
    SHOW(H5Tconvert(H5T_NATIVE_INT, H5T_STD_U64BE, 1, buf, NULL, H5P_DEFAULT));
    SHOW(H5Tregister(H5T_PERS_SOFT, "integers", H5T_NATIVE_INT, H5T_NATIVE_INT, convert));
    SHOW(H5Tunregister(H5T_PERS_SOFT, NULL, -1, -1, convert));
    declines = 1;
    SHOW(H5Tconvert(H5T_NATIVE_INT, H5T_STD_U64BE, 1, buf, NULL, H5P_DEFAULT));
    SHOW(H5Tregister(H5T_PERS_SOFT, "declines", H5T_NATIVE_INT, H5T_NATIVE_INT, convert));
    SHOW(H5Tconvert(H5T_NATIVE_INT, H5T_STD_U64BE, 1, buf, NULL, H5P_DEFAULT));
    declines = 0;
    SHOW(H5Tunregister(H5T_PERS_SOFT, NULL, -1, -1, convert));
}

static void instead_of_the_library(void *buf)
{
    H5T_cdata_t *cdata;
    hid_t dxpl = H5Pcreate(H5P_DATASET_XFER);
    SHOW(H5Tregister(H5T_PERS_HARD, "numbers", H5T_NATIVE_INT, H5T_NATIVE_DOUBLE, convert));
    SHOW(H5Tfind(H5T_NATIVE_INT, H5T_NATIVE_DOUBLE, &cdata) == convert);
    SHOW(H5Tregister(H5T_PERS_HARD, "same", H5T_NATIVE_INT, H5T_NATIVE_INT, convert));
    SHOW(H5Tconvert(H5T_NATIVE_INT, H5T_NATIVE_INT, 1, buf, NULL, H5P_DEFAULT));
    SHOW(H5Tunregister(H5T_PERS_SOFT, "numbers", -1, -1, convert));
    SHOW(H5Tunregister(H5T_PERS_HARD, "numbers", H5T_NATIVE_INT, H5T_NATIVE_FLOAT, convert));
    SHOW(H5Tconvert(H5T_NATIVE_INT, H5T_NATIVE_DOUBLE, 1, buf, NULL, dxpl));
    H5Pclose(dxpl);
}

int main(void)
{
    double buf[4] = {0};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hard(buf);
    soft(buf);
    instead_of_the_library(buf);
    SHOW(H5close());
    return 0;
}
