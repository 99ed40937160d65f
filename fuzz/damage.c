/* A whole file whose headers lie, each with a right checksum: opened from memory for writing, changed through the
 * public API, and read as it then is. The input says where its blocks of metadata are; the mutator damages fields in
 * them, and checksums are made right before the file is opened. So all that is checked later than a checksum is met. */
#include "base/checksum.h"
#include "steps.h"

/* The input: HEAD bytes of settings, the last two of them the number of blocks; STEPS times what to do; the blocks,
 * each its address and its bytes without the checksum behind them, the top bit telling that there is one; the file. */
enum { HEAD = 4, PREFIX = HEAD + STEPS * STEP, BLOCK = 8 };

#define HAS_CHECKSUM ((uint32_t)1 << 31)

struct block {
    size_t at, size;
    bool checksum;
};

static uint32_t get32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static size_t blocks_in(const uint8_t *data)
{
    return data[2] | (size_t)data[3] << 8;
}

/* Where the file begins, or 0. */
static size_t image_at(const uint8_t *data, size_t size)
{
    size_t at = size > PREFIX ? PREFIX + blocks_in(data) * BLOCK : size;
    return at < size ? at : 0;
}

static bool get_block(const uint8_t *data, size_t size, size_t i, struct block *b)
{
    const uint8_t *at = data + PREFIX + i * BLOCK;
    uint32_t bytes = get32(at + 4);
    *b = (struct block){.at = get32(at), .size = bytes & ~HAS_CHECKSUM, .checksum = bytes & HAS_CHECKSUM};
    size_t room = size - image_at(data, size), need = b->size + (b->checksum ? 4 : 0);
    return b->size > 0 && b->at < room && need <= room - b->at;
}

static void mend(const uint8_t *data, size_t size, uint8_t *image)
{
    struct block b;
    for (size_t i = 0; i < blocks_in(data); i++) {
        if (!get_block(data, size, i, &b) || !b.checksum)
            continue;
        uint32_t sum = ts_checksum(image + b.at, b.size);
        for (unsigned k = 0; k < 4; k++)
            image[b.at + b.size + k] = (uint8_t)(sum >> 8 * k);
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    bound_memory();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return 0;
}

static void open_and_change(const uint8_t *data, const uint8_t *image, size_t size)
{
    hid_t fapl = image_fapl(image, size);
    if (data[0] & 1)
        H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    hid_t file = H5Fopen("image", H5F_ACC_RDWR, fapl);
    if (file >= 0) {
        size_t bytes = 0;
        if (data[0] & 4)
            read_all(file);
        change(file, data + HEAD);
        void *left = data[0] & 2 ? image_of(file, &bytes) : NULL;
        H5Fclose(file);
        if (left)
            read_image(left, bytes);
        free(left);
    }
    H5Pclose(fapl);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t at = image_at(data, size);
    uint8_t *image = at ? malloc(size - at) : NULL;
    if (!image)
        return 0;
    memcpy(image, data + at, size - at);
    mend(data, size, image);
    bound_set(size);
    open_and_change(data, image, size - at);
    H5Eclear2(H5E_DEFAULT);
    bound_set(0);
    free(image);
    return 0;
}

/* Numbers that something may have been made for, or not. */
static uint64_t odd_number(uint64_t r, size_t file)
{
    static const uint64_t numbers[] = {0,
                                       1,
                                       2,
                                       3,
                                       4,
                                       7,
                                       8,
                                       15,
                                       16,
                                       63,
                                       64,
                                       255,
                                       256,
                                       511,
                                       512,
                                       4095,
                                       4096,
                                       65535,
                                       65536,
                                       0x7FFFFFFF,
                                       0x80000000,
                                       0xFFFFFFFF,
                                       UINT64_C(1) << 32,
                                       UINT64_C(1) << 40,
                                       INT64_MAX,
                                       UINT64_C(1) << 63,
                                       UINT64_MAX - 1,
                                       UINT64_MAX};
    enum { COUNT = sizeof numbers / sizeof *numbers };
    size_t which = r % (COUNT + 4);
    return which < COUNT ? numbers[which] : which < COUNT + 2 ? file + (which & 1) : (r >> 8) % (file + 1);
}

/* One field of a block becomes another number, some other field, or a little more or less than it was. Headers tell
 * most at their beginning. */
static void damage(uint8_t *image, const struct block *b, size_t file, uint64_t r)
{
    size_t width = (size_t)1 << (r & 3), most = r & 4 && b->size > 48 ? 48 : b->size;
    if (width > most)
        width = 1;
    size_t at = b->at + (size_t)(r >> 16) % (most - width + 1),
           from = b->at + (size_t)(r >> 32) % (b->size - width + 1);
    uint64_t v = odd_number(r >> 24, file);
    switch (r >> 3 & 7) {
    case 0:
        image[at] = (uint8_t)(image[at] + 1);
        break;
    case 1:
        image[at] = (uint8_t)(image[at] - 1);
        break;
    case 2:
        image[at] ^= (uint8_t)(1 << (r >> 40 & 7));
        break;
    case 3:
        memmove(image + at, image + from, width);
        break;
    case 4:
        LLVMFuzzerMutate(image + at, width, width);
        break;
    default:
        for (size_t k = 0; k < width; k++)
            image[at + k] = (uint8_t)(v >> 8 * k);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    uint64_t r = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15);
    size_t at = image_at(data, size), n = at ? blocks_in(data) : 0;
    struct block b;
    if (n == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    if (seed % 3 == 0) {
        uint8_t counts[2] = {data[2], data[3]};
        LLVMFuzzerMutate(data, PREFIX, PREFIX);
        memcpy(data + 2, counts, sizeof counts);
        return size;
    }
    for (unsigned i = 0; i <= seed / 3 % 3; i++) {
        r = (r ^ r >> 29) * UINT64_C(0xBF58476D1CE4E5B9) + i;
        if (get_block(data, size, (size_t)(r >> 33) % n, &b))
            damage(data + at, &b, size - at, r ^ r >> 31);
    }
    return size;
}
