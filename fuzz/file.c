/* A whole file: opened from memory through the public API, walked, and everything in it read. */
#include "whole.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    bound_memory();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    bound_set(size);
    read_image(data, size);
    H5Eclear2(H5E_DEFAULT);
    bound_set(0);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return mutate_image(data, size, 0, max_size, seed);
}
