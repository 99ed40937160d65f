#include "driver/class110.h"

#include <string.h>

#define COPY(member) memcpy(&out->member, &in->member, sizeof out->member);

void ts_class110_widen(const struct ts_class110 *in, H5FD_class_t *out)
{
    *out = (H5FD_class_t){.version = H5FD_CLASS_VERSION, .value = H5_VFD_INVALID};
    TS_CLASS110(COPY)
}

void ts_class110_narrow(const H5FD_class_t *in, struct ts_class110 *out)
{
    TS_CLASS110(COPY)
}
