/* The first example of docs/structured-chunk-format.md is compiled, and copies a dataset. */
#include "unit/dataset/direct_sets.h"

#include <unistd.h>

#define FILE_NAME "direct_example.h5"
#define DOCUMENT "docs/structured-chunk-format.md"

static int copy_chunk(const hsize_t *offset, H5D_struct_chunk_info_t *info, haddr_t *addr, hsize_t *size, void *op_data)
{
    (void)addr;
    hid_t *dset = op_data; /* from, to */
    void *sections[H5_SECTION_NUM] = {NULL};
    char *bytes = malloc(*size), *at = bytes;
    for (int i = 0; i < info->num_sections; at += info->section_size[i++])
        sections[i] = at;
    int bad = !bytes || H5Dread_struct_chunk(dset[0], H5P_DEFAULT, offset, NULL, sections) < 0 ||
              H5Dwrite_struct_chunk(dset[1], H5P_DEFAULT, offset, info, sections) < 0;
    free(bytes);
    return bad ? H5_ITER_ERROR : H5_ITER_CONT;
}

static void example(void **state)
{
    struct set s = {.kind = TEXT, .index = BTREE, .filters = PACKED};
    hid_t file = new_set_file(FILE_NAME), from = make_set(file, "from", &s), to = make_set(file, "to", &s);
    (void)state;
    write_set(from, TEXT, 0, 3, 100);
    assert_int_equal(H5Dstruct_chunk_iter(from, H5P_DEFAULT, copy_chunk, (hid_t[]){from, to}), 0);
    assert_same_sets(from, to, TEXT);
    H5Dclose(from);
    H5Dclose(to);
    H5Fclose(file);
}

static FILE *open_document(void)
{
    char path[1024] = __FILE__;
    char *here = strstr(path, "tests/unit/dataset/");
    assert_non_null(here);
    strcpy(here, DOCUMENT);
    return fopen(path, "r");
}

/* The document has this function, word for word. */
static void documented(void **state)
{
    char line[300];
    static char document[100000], source[2000];
    FILE *doc = open_document(), *self = fopen(__FILE__, "r");
    (void)state;
    assert_non_null(doc);
    assert_non_null(self);
    document[fread(document, 1, sizeof document - 1, doc)] = 0;
    while (fgets(line, sizeof line, self))
        if (*source || strncmp(line, "static int copy_chunk", 21) == 0) {
            strcat(source, line);
            if (line[0] == '}')
                break;
        }
    assert_true(strlen(source) > 500);
    assert_non_null(strstr(document, source));
    fclose(doc);
    fclose(self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(example), cmocka_unit_test(documented)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(FILE_NAME);
    return failed;
}
