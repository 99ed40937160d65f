/* A plugin for tests: the filter 32700 adds one to every byte, and takes it away again. */
#include <H5PLextern.h>

enum { ADD_ONE = 32700 };

static size_t add_one(unsigned flags, size_t n_values, const unsigned values[], size_t n, size_t *size, void **buf)
{
    unsigned char *bytes = *buf;
    (void)n_values;
    (void)values;
    (void)size;
    for (size_t i = 0; i < n; i++)
        bytes[i] = (unsigned char)(bytes[i] + (flags & H5Z_FLAG_REVERSE ? -1 : 1));
    return n;
}

static const H5Z_class2_t filter = {.version = H5Z_CLASS_T_VERS,
                                    .id = ADD_ONE,
                                    .encoder_present = 1,
                                    .decoder_present = 1,
                                    .name = "add one",
                                    .filter = add_one};

H5PL_type_t H5PLget_plugin_type(void)
{
    return H5PL_TYPE_FILTER;
}

const void *H5PLget_plugin_info(void)
{
    return &filter;
}
