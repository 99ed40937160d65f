/* Reading and writing attributes as elements of the application's type. */
#include "base/alloc.h"
#include "base/error.h"
#include "file/change.h"
#include "object/attr.h"
#include "object/vl_sink.h"
#include "object/vl_source.h"

static int read_converted(const struct ts_attr *attr, struct ts_conv_path *path, struct ts_conv_env *env, size_t n,
                          void *buf)
{
    struct ts_vl_source source;
    ts_vl_source_init(&source, attr->owner.fh->file);
    env->source = &source;
    /* Not from what others may change meanwhile: no lock is held while converting. */
    uint8_t *data = ts_malloc(attr->data_size);
    if (!data)
        return -1;
    ts_attr_copy_data(attr, data);
    int status = ts_conv_copy(path, env, n, data, buf);
    ts_free(data);
    return status;
}

int ts_attr_read_as(const struct ts_attr *attr, const struct ts_type *type, struct ts_conv_env *env, void *buf)
{
    struct ts_conv_path *path;
    size_t n = (size_t)ts_space_npoints(attr->space);
    if (n == 0)
        return 0;
    if (ts_conv_find(attr->type, type, &path) < 0)
        return TS_ERR(ATTR, UNSUPPORTED, "attribute '%s': unable to convert between its datatype and that in memory",
                      attr->name);
    int status = 0;
    if (ts_conv_is_noop(path))
        ts_attr_copy_data(attr, buf);
    else
        status = read_converted(attr, path, env, n, buf);
    ts_conv_path_unref(path);
    return status < 0 ? TS_ERR(ATTR, READERROR, "cannot read attribute '%s'", attr->name) : 0;
}

/* In one change: the new data, and the end of the heap objects that the old ones had. */
static int write_and_remove_old(struct ts_attr *attr, const uint8_t *data, struct ts_vl_sink *sink)
{
    struct ts_file *f = attr->owner.fh->file;
    if (sink->pause(sink->ctx) < 0 || ts_change_begin(f) < 0)
        return -1;
    int status = ts_attr_write(attr, data);
    return ts_change_end(f, status < 0 ? -1 : ts_vl_sink_remove_old(sink));
}

/* data holds the old elements, which conversions need, then the new ones. Heap objects of the old ones go when the new
 * ones are stored. */
static int convert_and_write(struct ts_attr *attr, struct ts_conv_path *path, struct ts_conv_env *env, const void *buf,
                             uint8_t *data)
{
    struct ts_file *f = attr->owner.fh->file;
    struct ts_vl_source source;
    struct ts_vl_sink sink;
    if (ts_vl_sink_open(f, &sink) < 0)
        return -1;
    ts_vl_source_init(&source, f);
    env->source = &source;
    env->sink = &sink;
    int status = ts_conv_copy(path, env, (size_t)ts_space_npoints(attr->space), buf, data);
    if (status == 0)
        status = write_and_remove_old(attr, data, &sink);
    ts_vl_sink_close(&sink);
    return status;
}

static int write_by(struct ts_attr *attr, struct ts_conv_path *path, struct ts_conv_env *env, const void *buf)
{
    if (ts_conv_is_noop(path))
        return ts_attr_write(attr, buf);
    uint8_t *data = ts_malloc(attr->data_size);
    if (!data)
        return -1;
    ts_attr_copy_data(attr, data);
    int status = convert_and_write(attr, path, env, buf, data);
    ts_free(data);
    return status;
}

int ts_attr_write_as(struct ts_attr *attr, const struct ts_type *type, struct ts_conv_env *env, const void *buf)
{
    struct ts_conv_path *path;
    if (attr->data_size == 0)
        return 0;
    if (ts_conv_find(type, attr->type, &path) < 0)
        return TS_ERR(ATTR, UNSUPPORTED, "unable to convert between src and dst datatypes of an attribute");
    int status = write_by(attr, path, env, buf);
    ts_conv_path_unref(path);
    return status < 0 ? TS_ERR(ATTR, WRITEERROR, "unable to write attribute") : 0;
}
