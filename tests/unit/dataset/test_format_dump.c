/* The sample file at the end of docs/structured-chunk-format.md is, byte by byte, what the library writes. */
#include "unit/cmocka_all.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdf5.h"

#define FILE_NAME "dataset_format_dump.h5"
#define DOCUMENT "docs/structured-chunk-format.md"
#define HEADING "## A whole file"

enum { MOST = 4096 };

/* Elements 1, 3 and 5, 6, 7 of 8, in chunks of 4. Deflate would do, but its bytes depend on the version of zlib. */
static void write_sample(void)
{
    hsize_t n = 8, chunk = 4, at[] = {1, 3, 5, 6, 7}, count = 5;
    short data[] = {0x101, 0x103, 0x105, 0x106, 0x107};
    hid_t fcpl = H5Pcreate(H5P_FILE_CREATE), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(fcpl, 0);
    H5Pset_obj_track_times(dcpl, 0);
    assert_int_equal(H5Pset_sparse_chunk(dcpl, 1, &chunk), 0);
    assert_int_equal(H5Pset_selection_packing(dcpl), 0);
    assert_int_equal(H5Pset_section_filter(dcpl, H5_SECTION_FIXED, H5Z_FILTER_SHUFFLE, H5Z_FLAG_OPTIONAL, 0, NULL), 0);
    hid_t file = H5Fcreate(FILE_NAME, H5F_ACC_TRUNC, fcpl, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, &n, NULL), mem = H5Screate_simple(1, &count, NULL);
    hid_t dset = H5Dcreate2(file, "d", H5T_STD_I16BE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    assert_int_equal(H5Sselect_elements(space, H5S_SELECT_SET, 5, at), 0);
    assert_int_equal(H5Dwrite(dset, H5T_NATIVE_SHORT, mem, space, H5P_DEFAULT, data), 0);
    assert_int_equal(H5Dclose(dset), 0);
    assert_int_equal(H5Fclose(file), 0);
    H5Sclose(space);
    H5Sclose(mem);
    H5Pclose(fcpl);
    H5Pclose(dcpl);
}

static size_t read_sample(unsigned char *out)
{
    FILE *in = fopen(FILE_NAME, "rb");
    assert_non_null(in);
    size_t n = fread(out, 1, MOST, in);
    fclose(in);
    return n;
}

static FILE *open_document(void)
{
    char path[1024] = __FILE__;
    char *here = strstr(path, "tests/unit/dataset/");
    assert_non_null(here);
    strcpy(here, DOCUMENT);
    FILE *in = fopen(path, "r");
    if (!in)
        fail_msg("%s does not open", path);
    return in;
}

/* A line is an address, bytes in hexadecimal, "x N" behind the last for N of them, and after two spaces or more what they
 * mean. Blocks of bytes are parted by single spaces. */
static size_t parse_line(const char *line, unsigned char *out, size_t at)
{
    char *next;
    unsigned long addr = strtoul(line, &next, 16);
    if (addr != at || next - line != 4)
        fail_msg("the document goes on at %lx after %zx: %s", addr, at, line);
    while (*next == ' ' && (next[1] != ' ' || next == line + 4)) {
        while (*next == ' ')
            next++;
        unsigned long times = *next == 'x' ? strtoul(next + 1, &next, 10) - 1 : 0;
        unsigned char byte = times ? out[at - 1] : (unsigned char)strtoul(next, &next, 16);
        for (unsigned long k = 0; k < (times ? times : 1); k++) {
            assert_true(at < MOST);
            out[at++] = byte;
        }
    }
    return at;
}

/* All that stands between fences behind the heading. */
static size_t read_document(unsigned char *out)
{
    char line[512];
    bool found = false, fenced = false;
    size_t at = 0;
    FILE *in = open_document();
    while (fgets(line, sizeof line, in)) {
        found = found || strncmp(line, HEADING, strlen(HEADING)) == 0;
        if (found && strncmp(line, "```", 3) == 0)
            fenced = !fenced;
        else if (fenced)
            at = parse_line(line, out, at);
    }
    fclose(in);
    return at;
}

static void document_tells_the_bytes(void **state)
{
    static unsigned char told[MOST], written[MOST];
    (void)state;
    write_sample();
    size_t n = read_sample(written), n_told = read_document(told);
    for (size_t i = 0; i < n && i < n_told; i++)
        if (written[i] != told[i])
            fail_msg("at %zx: %02x in the document, %02x in the file", i, told[i], written[i]);
    assert_int_equal(n_told, n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(document_tells_the_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
