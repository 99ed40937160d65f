/* Settings of parallel I/O. They exist without MPI too. */
#ifndef H5FDmpi_H
#define H5FDmpi_H

#define H5D_ONE_LINK_CHUNK_IO_THRESHOLD 0
#define H5D_MULTI_CHUNK_IO_COL_THRESHOLD 60

typedef enum H5FD_mpio_xfer_t {
    H5FD_MPIO_INDEPENDENT = 0,
    H5FD_MPIO_COLLECTIVE = 1
} H5FD_mpio_xfer_t;

typedef enum H5FD_mpio_chunk_opt_t {
    H5FD_MPIO_CHUNK_DEFAULT = 0,
    H5FD_MPIO_CHUNK_ONE_IO = 1,
    H5FD_MPIO_CHUNK_MULTI_IO = 2
} H5FD_mpio_chunk_opt_t;

typedef enum H5FD_mpio_collective_opt_t {
    H5FD_MPIO_COLLECTIVE_IO = 0,
    H5FD_MPIO_INDIVIDUAL_IO = 1
} H5FD_mpio_collective_opt_t;

#include "H5FDmpio.h"

#endif
