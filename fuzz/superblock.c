/* Superblock and driver information block of any bytes. */
#include <stdint.h>
#include <stdlib.h>

#include "base/error.h"
#include "format/superblock.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ts_superblock sb;
    struct ts_driver_info info;
    if (ts_superblock_decode(data, size, &sb) == 0 && (sb.version > 3 || sb.addr_size > 8 || sb.len_size > 8))
        abort();
    if (ts_driver_info_decode(data, size, &info) == 0 && info.size > size)
        abort();
    ts_err_clear();
    return 0;
}
