/* The stored chunks of a dataset, for the table and the map. */
#ifndef TOOLS_CHUNKS_H
#define TOOLS_CHUNKS_H

#include "tool.h"

enum chunk_order { ORDER_NATIVE, ORDER_COORD, ORDER_ADDR };

struct chunk {
    hsize_t offset[H5S_MAX_RANK];
    haddr_t address; /* in the file, whatever precedes the HDF5 part included */
    hsize_t size;
    unsigned masks[H5_SECTION_NUM]; /* bit i: filter i of the section was not applied */
    size_t stored[H5_SECTION_NUM];  /* bytes of each section */
    size_t plain[H5_SECTION_NUM];   /* the same before filters */
    hsize_t defined;                /* elements, in a sparse dataset */
};

/* A dataset, and which of its chunks are wanted. What is not chunked is one chunk of the whole extent. */
struct chunk_view {
    const char *path;
    hid_t dset, type, dcpl, selection;
    H5D_layout_t layout;
    bool sparse, boxed;
    int rank;
    hsize_t dims[H5S_MAX_RANK], chunk[H5S_MAX_RANK];
    hsize_t start[H5S_MAX_RANK], stop[H5S_MAX_RANK]; /* the box, at first the extent */
    unsigned sections;
    H5_section_type_t types[H5_SECTION_NUM];
    H5D_chunk_index_t index;
    haddr_t base; /* where addresses of chunks count from */
    unsigned options;
};

/* box: "START:STOP,..." or NULL. What is wrong is reported; the exit status. */
int chunk_view_init(struct chunk_view *view, const struct target *target, const char *box);
void chunk_view_deinit(struct chunk_view *view);

/* Calls `use` for every stored chunk that meets the box. A failure is reported; the exit status. */
int chunk_view_each(const struct chunk_view *view, enum chunk_order order,
                    void (*use)(const struct chunk_view *view, const struct chunk *chunk, void *ctx), void *ctx);

bool chunk_view_chunked(const struct chunk_view *view);
/* Its values are in other files. */
bool chunk_view_external(const struct chunk_view *view);
/* "chunked", "sparse", ...; "extensible array", ...; "selection", ... */
const char *chunk_view_layout(const struct chunk_view *view);
const char *chunk_view_index(const struct chunk_view *view);
const char *section_name(H5_section_type_t type);

/* Bytes of the chunk's values before filters; of a sparse chunk, of its defined elements. */
hsize_t chunk_plain_bytes(const struct chunk_view *view, const struct chunk *chunk);
/* How many chunks meet the box, stored or not. */
hsize_t chunk_view_possible(const struct chunk_view *view);

/* What all the chunks that were shown come to. */
struct chunk_sums {
    hsize_t chunks, bytes, plain, defined;
};
void chunk_sums_add(struct chunk_sums *sums, const struct chunk_view *view, const struct chunk *chunk);

/* map.c: the chunks as a JSON object, docs/chunk-map.md. A failure is reported; the exit status. */
int print_map(FILE *out, const struct chunk_view *view, enum chunk_order order);
/* What the object would not say of all that reading the dataset takes, for the caller to free; NULL: nothing. */
char *map_lacks(const struct chunk_view *view);
/* file_map.c: the same of all datasets in a group and below it, each once. */
int print_file_map(FILE *out, const struct target *target, enum chunk_order order);

#endif
