#include "dataset/chunk_shape.h"

#include <stdint.h>

#include "base/error.h"
#include "space/space.h"
#include "type/type.h"

/* Sparse data have 0.1 to 10 defined elements of 100. Chunks of what is sparser than assumed are small, of what is
 * denser large; ten times either way is no harm. */
enum { DEFINED_BYTES = 1 << 20, ELEMENTS_PER_DEFINED = 100, LARGEST_FRAME = 4, UNKNOWN_SIDE = 1024 };

/* How long a side of a chunk can be. One without end takes what there is room for. */
static hsize_t longest(const struct ts_space *s, unsigned dim)
{
    hsize_t now = ts_space_dims(s)[dim], most = ts_space_maxdims(s)[dim];
    if (most == H5S_UNLIMITED)
        return UINT32_MAX;
    hsize_t side = most > now ? most : now;
    return side == 0 ? 1 : side > UINT32_MAX ? UINT32_MAX : side;
}

/* The side of a frame is what it is now, though it might grow. */
static hsize_t frame_side(const struct ts_space *s, unsigned dim)
{
    hsize_t now = ts_space_dims(s)[dim], most = longest(s, dim);
    hsize_t side = now > 0 ? now : UNKNOWN_SIDE;
    return side < most ? side : most;
}

static hsize_t root(uint64_t n)
{
    uint64_t low = 1, high = UINT32_MAX;
    while (low < high) {
        uint64_t middle = low + (high - low + 1) / 2;
        if (middle <= n / middle)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static uint64_t fill_side(hsize_t *side, hsize_t most, uint64_t room)
{
    *side = most < room ? most : room;
    return room / *side;
}

/* Sides of at most these lengths, for about so many elements. */
static void cut_square(const hsize_t most[2], uint64_t elements, hsize_t dims[2])
{
    unsigned shorter = most[0] < most[1] ? 0 : 1;
    fill_side(&dims[shorter], most[shorter], root(elements));
    fill_side(&dims[1 - shorter], most[1 - shorter], elements / dims[shorter]);
}

/* Frames one after the other, the fastest of the other dimensions first. */
static void stack_frames(const struct ts_space *s, unsigned n, uint64_t frames, hsize_t *dims)
{
    for (unsigned i = n; i-- > 0;)
        frames = fill_side(&dims[i], longest(s, i), frames);
}

/* Wherever the type is, in memory or in a file, it counts as it is in a structured chunk. */
static int count_elements(struct ts_type *type, uint64_t *elements)
{
    enum { ADDR_SIZE = 8 };
    struct ts_type *stored = ts_type_ref(type);
    if (ts_type_has_chunk_fields(type) && ts_type_set_loc(&stored, TS_LOC_CHUNK, ADDR_SIZE) < 0) {
        ts_type_unref(stored);
        return -1;
    }
    size_t size = ts_type_size(stored);
    uint64_t defined = size > 0 && size < DEFINED_BYTES ? DEFINED_BYTES / size : 1;
    ts_type_unref(stored);
    *elements = defined * ELEMENTS_PER_DEFINED;
    return 0;
}

int ts_chunk_shape_choose(const struct ts_space *space, struct ts_type *type, hsize_t *dims)
{
    unsigned rank = ts_space_rank(space);
    uint64_t elements;
    if (rank == 0)
        return TS_ERR(DATASET, BADVALUE, "sparse chunks need a dataspace with dimensions");
    if (count_elements(type, &elements) < 0)
        return -1;
    if (rank == 1) {
        fill_side(&dims[0], longest(space, 0), elements);
        return 0;
    }
    unsigned at = rank - 2;
    hsize_t most[2] = {longest(space, at), longest(space, at + 1)};
    if (rank > 2)
        for (unsigned i = 0; i < 2; i++)
            most[i] = frame_side(space, at + i);
    if (rank > 2 && most[0] * most[1] <= LARGEST_FRAME * elements) {
        dims[at] = most[0];
        dims[at + 1] = most[1];
    } else {
        cut_square(most, elements, dims + at);
    }
    uint64_t frames = elements / (dims[at] * dims[at + 1]);
    stack_frames(space, at, frames ? frames : 1, dims);
    return 0;
}
