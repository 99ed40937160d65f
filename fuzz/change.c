/* A whole file, opened from memory for writing and changed through the public API: the input's first bytes choose how.
 * Whatever the file says, each change works or is refused; then the file is flushed, closed, and read as it now is. */
#include "steps.h"

/* The input: HEAD bytes of settings, STEPS times what to do, the file. */
enum { HEAD = 4, PREFIX = HEAD + STEPS * STEP };
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    bound_memory();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size <= PREFIX)
        return 0;
    bound_set(size);
    hid_t fapl = image_fapl(data + PREFIX, size - PREFIX);
    if (data[0] & 1)
        H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    hid_t file = H5Fopen("image", H5F_ACC_RDWR, fapl);
    if (file >= 0) {
        size_t bytes = 0;
        change(file, data + HEAD);
        void *image = data[0] & 2 ? image_of(file, &bytes) : NULL;
        H5Fclose(file);
        if (image)
            read_image(image, bytes);
        free(image);
    }
    H5Pclose(fapl);
    H5Eclear2(H5E_DEFAULT);
    bound_set(0);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    if (size > PREFIX && seed % 4 == 0) {
        LLVMFuzzerMutate(data, PREFIX, PREFIX);
        return size;
    }
    return mutate_image(data, size, PREFIX, max_size, seed / 4);
}
