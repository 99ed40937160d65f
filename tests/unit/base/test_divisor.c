/* Division by multiplication: exact for all edges, and for random numbers. */
#include "base/divisor.h"
#include "unit/cmocka_all.h"

static void check(uint32_t n, uint32_t by)
{
    if (ts_divide(n, ts_divisor(by)) != n / by)
        fail_msg("%u / %u", (unsigned)n, (unsigned)by);
}

static void exact(void **state)
{
    (void)state;
    uint64_t random = 12345;
    for (unsigned i = 0; i < 300000; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        uint32_t by = (uint32_t)(random >> 32) >> i % 32, n = (uint32_t)random;
        by = i < 3000 ? i + 1 : i < 6000 ? UINT32_MAX - (i - 3000) : by ? by : 1;
        uint32_t multiple = n / by * by;
        const uint32_t edges[] = {n, 0, 1, by - 1, by, multiple, multiple - 1, UINT32_MAX, UINT32_MAX / by * by - 1};
        for (unsigned k = 0; k < sizeof edges / sizeof *edges; k++)
            check(edges[k], by);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(exact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
