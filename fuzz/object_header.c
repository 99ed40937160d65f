/* An object header of any bytes: all its messages, its attributes, as an extension of the superblock too. */
#include "common.h"
#include "container/setup.h"
#include "object/attr.h"
#include "plist/dcpl.h"

static void read_messages(struct ts_fhandle *fh, const struct ts_ohdr *oh)
{
    struct ts_type *type = NULL;
    struct ts_space *space = NULL;
    struct ts_layout layout;
    struct ts_pipeline pipeline;
    struct ts_fill_msg fill;
    struct ts_msg_body hold;
    struct ts_efl efl;
    struct ts_ohdr_times times;
    H5O_hdr_info_t stats;
    char *comment = NULL;
    if (ts_object_read_type(fh, oh, &type) == 1)
        ts_type_unref(type);
    if (ts_ohdr_space(oh, &space) == 1)
        ts_space_unref(space);
    if (ts_ohdr_layout(oh, &layout) == 1)
        ts_layout_deinit(&layout);
    if (ts_ohdr_pipeline(oh, &pipeline) == 1)
        ts_pipeline_deinit(&pipeline);
    if (ts_ohdr_fill(oh, &fill, &hold) == 1)
        ts_msg_body_deinit(&hold);
    if (ts_ohdr_efl(oh, &efl) == 1)
        ts_efl_deinit(&efl);
    ts_ohdr_comment(oh, &comment);
    ts_free(comment);
    ts_ohdr_times(oh, &times);
    ts_ohdr_stats(oh, &stats);
    ts_err_clear();
}

static void read_attributes(const struct ts_loc *loc, const struct ts_ohdr *oh)
{
    struct ts_attr_list list;
    struct ts_attr *attr;
    H5_ih_info_t size;
    hsize_t n;
    for (int order = H5_ITER_INC; order <= H5_ITER_NATIVE; order++)
        if (ts_attr_list(loc, "/", H5_INDEX_NAME, (H5_iter_order_t)order, &list) == 0) {
            if (list.n > 0 && ts_attr_exists(loc, list.attrs[0]->name) < 0)
                ts_err_clear();
            ts_attr_list_deinit(&list);
        }
    if (ts_attr_open_by_idx(loc, NULL, H5_INDEX_CRT_ORDER, H5_ITER_DEC, 0, &attr) == 0)
        ts_attr_unref(attr);
    ts_attr_count(oh, &n);
    ts_attr_meta_size(oh, &size);
    ts_err_clear();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_file ff;
    struct ts_ohdr *oh;
    if (size < FUZZ_HEAD)
        return 0;
    struct ts_file *f = fuzz_open(&ff, data, size, data[0] & 0x10);
    /* Headers of objects hold references of their own to the handle and its file: neither may become free. */
    struct ts_fhandle fh = {.file = f, .name = f->name};
    atomic_init(&f->refs, 1);
    ts_count_init(&fh.refs, 1);
    f->sb.extension = data[0] & 0x20 ? ff.start : HADDR_UNDEF;
    struct ts_loc loc = {&fh, ff.start};
    if (ts_container_setup(f) == 0 && ts_ohdr_open(f, ff.start, &oh) == 0) {
        ts_ohdr_kind(oh);
        read_messages(&fh, oh);
        read_attributes(&loc, oh);
        ts_ohdr_close(oh);
    }
    if (!ts_count_is_one(&fh.refs))
        abort();
    fuzz_close(&ff);
    return 0;
}
