/* H5F: opening and closing files, and what a handle tells of itself. */
#include "H5Fpublic.h"

#include <string.h>

#include "api/api.h"
#include "api/drivers.h"
#include "api/flush.h"
#include "api/location.h"
#include "api/new_file.h"
#include "base/alloc.h"
#include "container/creation.h"
#include "container/ids.h"
#include "container/page_buffer.h"
#include "container/setup.h"
#include "file/alloc.h"
#include "file/gather.h"
#include "object/object.h"
#include "plist/engine.h"
#include "plist/fapl.h"

/* H5F_ACC_DEBUG of old releases: it has no meaning any more. */
#define FORMER_DEBUG 0x0008u

static int check_open_flags(unsigned flags)
{
    if (flags & (H5F_ACC_EXCL | H5F_ACC_TRUNC))
        return TS_ERR(ARGS, BADVALUE, "invalid file open flags");
    if (flags & ~(H5F_ACC_CREAT | H5F_ACC_RDWR | H5F_ACC_SWMR_READ | H5F_ACC_SWMR_WRITE | FORMER_DEBUG))
        return TS_ERR(ARGS, BADVALUE, "invalid file open flags");
    if (flags & H5F_ACC_SWMR_WRITE && !(flags & H5F_ACC_RDWR))
        return TS_SAY(FILE, CANTOPENFILE, "SWMR write access on a file open for read-only access is not allowed");
    if (flags & H5F_ACC_SWMR_READ && flags & H5F_ACC_RDWR)
        return TS_SAY(FILE, CANTOPENFILE, "SWMR read access on a file open for read-write access is not allowed");
    return 0;
}

/* A superblock that knows the root group's symbol table must know its header, too. */
static int check_root(struct ts_file *file)
{
    struct ts_ohdr *root;
    if (file->sb.root_btree == HADDR_UNDEF)
        return 0;
    if (ts_ohdr_open(file, file->sb.root, &root) < 0)
        return TS_ERR(FILE, CANTOPENFILE, "no root group at %#llx", (unsigned long long)file->sb.root);
    ts_ohdr_close(root);
    return 0;
}

/* A file that is there and empty, as those who ask the system for a name leave one, becomes an HDF5 file when it is
 * opened for writing; so does one that is not there, with H5F_ACC_CREAT. Others may do that at the same time: then it
 * is opened as it is by now. */
static int open_or_make(const char *name, unsigned flags, struct ts_plist *fapl, struct ts_fhandle **out)
{
    unsigned mark = ts_err_mark();
    int status = ts_fhandle_open(name, flags, fapl, out);
    if (status == 0 || !(flags & H5F_ACC_RDWR))
        return status;
    bool absent = flags & H5F_ACC_CREAT && ts_err_was(mark, TS_WHY_ABSENT);
    if (!absent && !ts_err_was(mark, TS_WHY_EMPTY))
        return status;
    unsigned how = (flags & H5F_ACC_SWMR_WRITE) | (absent ? H5F_ACC_EXCL : 0);
    if (ts_api_create_file(name, how, ts_plist_default(TS_PLIST_FILE_CREATE), fapl, out) < 0 &&
        ts_fhandle_open(name, flags, fapl, out) < 0)
        return -1;
    ts_err_rewind(mark);
    return 0;
}

static int open_handle(const char *name, unsigned flags, struct ts_plist *fapl, struct ts_fhandle **out)
{
    if (open_or_make(name, flags, fapl, out) < 0)
        return TS_ERR(FILE, CANTOPENFILE, "unable to open file '%s'", name);
    if (check_root((*out)->file) < 0 || ts_page_buffer_agree((*out)->file) < 0) {
        ts_fhandle_unref(*out);
        return TS_ERR(FILE, CANTOPENFILE, "unable to open file '%s'", name);
    }
    return 0;
}

hid_t H5Fopen(const char *filename, unsigned flags, hid_t fapl_id)
{
    TS_API_ENTER(FILE, CANTOPENFILE, "unable to open file",
                 TS_SYNCHRONOUS(FILE, CANTOPENFILE, "unable to synchronously open file"));
    struct ts_fhandle *fh;
    if (!filename || !*filename)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid file name");
    if (check_open_flags(flags) < 0)
        return TS_API_FAIL(-1);
    struct ts_plist *fapl = TS_API_PLIST(fapl_id, TS_PLIST_FILE_ACCESS);
    if (!fapl || open_handle(filename, flags, fapl, &fh) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_ID(H5I_FILE, fh);
}

hid_t H5Freopen(hid_t file_id)
{
    TS_API_ENTER(FILE, CANTINIT, "unable to reopen file");
    struct ts_fhandle *fh = TS_API_OBJ(file_id, H5I_FILE), *again;
    if (!fh)
        return TS_API_FAIL(-1);
    if (ts_fhandle_again(fh, &again) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_ID(H5I_FILE, again);
}

static int make_filter(struct ts_api_scope *scope, hid_t file_id, unsigned types, struct ts_container_ids *out)
{
    struct ts_fhandle *fh = NULL;
    if (file_id != (hid_t)H5F_OBJ_ALL && !(fh = ts_api_pin(scope, file_id, H5I_FILE)))
        return -1;
    if (!(types & H5F_OBJ_ALL))
        return TS_ERR(ARGS, BADVALUE, "not an object type: types %#x name none", types);
    *out = (struct ts_container_ids){
        .types = types, .file = fh ? fh->file : NULL, .local = types & H5F_OBJ_LOCAL ? fh : NULL};
    return 0;
}

ssize_t H5Fget_obj_count(hid_t file_id, unsigned types)
{
    TS_API_ENTER(FILE, BADITER, "H5F_get_obj_count failed", TS_BAD_ID(ARGS, BADVALUE, "not a file id"));
    struct ts_container_ids filter;
    if (make_filter(&ts_scope_, file_id, types, &filter) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(ts_container_ids_collect(&filter, SIZE_MAX, NULL));
}

/* No room at all asks how much is needed. */
ssize_t H5Fget_obj_ids(hid_t file_id, unsigned types, size_t max_objs, hid_t *obj_id_list)
{
    TS_API_ENTER(FILE, BADITER, "H5F_get_obj_ids failed", TS_BAD_ID(ARGS, BADVALUE, "not a file id"));
    struct ts_container_ids filter;
    if (make_filter(&ts_scope_, file_id, types, &filter) < 0)
        return TS_API_FAIL(-1);
    if (!obj_id_list)
        return TS_API_ERR(-1, ARGS, BADVALUE, "object ID list is NULL");
    return TS_API_RET(max_objs ? ts_container_ids_collect(&filter, max_objs, obj_id_list)
                               : ts_container_ids_collect(&filter, SIZE_MAX, NULL));
}

/* Attributes and named datatypes are kept in memory as they were read, so those of a SWMR writer are not open when it
 * starts. */
static int start_swmr(struct ts_file *f)
{
    struct ts_container_ids filter = {.file = f, .types = H5F_OBJ_DATATYPE | H5F_OBJ_ATTR};
    if (f->swmr == TS_SWMR_WRITER)
        return TS_ERR(FILE, BADVALUE, "'%s' is in SWMR writing mode already", f->name);
    if (f->writable && f->sb.version >= 3 && ts_file_low_bound(f) < H5F_LIBVER_V110)
        return TS_ERR(FILE, BADVALUE,
                      "'%s' may be written in forms older than 1.10, by H5Fset_libver_bounds: SWMR readers know newer "
                      "ones only",
                      f->name);
    ssize_t n = ts_container_ids_collect(&filter, SIZE_MAX, NULL);
    if (n != 0)
        return n < 0 ? -1
                     : TS_ERR(FILE, BADVALUE,
                              "'%s' has %zd attributes and named datatypes open: close them before "
                              "SWMR writing starts",
                              f->name, n);
    return ts_file_start_swmr(f);
}

herr_t H5Fstart_swmr_write(hid_t file_id)
{
    TS_API_ENTER(FILE, SYSTEM, "unable to start SWMR writing",
                 TS_BAD_ID(ARGS, BADTYPE, "hid_t identifier is not a file ID"));
    struct ts_fhandle *fh = TS_API_OBJ(file_id, H5I_FILE);
    return fh ? TS_API_RET(start_swmr(fh->file)) : TS_API_FAIL(-1);
}

herr_t H5Fclose(hid_t file_id)
{
    TS_API_ENTER(FILE, CANTCLOSEFILE, "closing file ID failed", TS_BAD_ID(ARGS, BADTYPE, "not a file ID"));
    if (ts_id_close(file_id, H5I_FILE) >= 0)
        return TS_API_RET(0);
    return ts_api_gone(file_id, H5I_FILE) ? TS_API_ERR(-1, FILE, CANTCLOSEFILE, "closing file ID failed")
                                          : TS_API_FAIL(-1);
}

htri_t H5Fis_accessible(const char *container_name, hid_t fapl_id)
{
    TS_API_ENTER(FILE, NOTHDF5, "unable to determine if file is accessible as HDF5");
    struct ts_plist *fapl = TS_API_PLIST(fapl_id, TS_PLIST_FILE_ACCESS);
    if (!fapl)
        return TS_API_FAIL(-1);
    if (!container_name || !*container_name)
        return TS_API_ERR(-1, ARGS, BADVALUE, "no file name");
    return TS_API_RET(ts_file_is_hdf5(container_name, fapl));
}

htri_t H5Fis_hdf5(const char *filename)
{
    TS_API_ENTER(FILE, NOTHDF5, "unable to determine if file is accessible as HDF5");
    if (!filename || !*filename)
        return TS_API_ERR(-1, ARGS, BADRANGE, "no file name specified");
    return TS_API_RET(ts_file_is_hdf5(filename, ts_plist_default(TS_PLIST_FILE_ACCESS)));
}

/* One attempt is what there is when nobody asked for any. */
static int tell_attempts(struct ts_plist *pl)
{
    unsigned attempts;
    if (ts_fapl_read_attempts(pl, &attempts) < 0)
        return -1;
    attempts += attempts == 0;
    return ts_fapl_set_read_attempts(pl, attempts);
}

/* Own are the values that libhdf5 sets: it shows in the order of the list's properties. */
static int touch_all(struct ts_plist *pl)
{
    return ts_fapl_touch_alignment(pl) < 0 || ts_fapl_touch_alignment_threshold(pl) < 0 ||
                   ts_fapl_touch_mdc_image(pl) < 0 || ts_fapl_touch_mdc_config(pl) < 0 || ts_fapl_touch_w0(pl) < 0 ||
                   ts_fapl_touch_nbytes(pl) < 0 || ts_fapl_touch_nslots(pl) < 0 || ts_fapl_touch_elink_cache(pl) < 0 ||
                   ts_fapl_touch_close_degree(pl) < 0 || ts_fapl_touch_small_block(pl) < 0 ||
                   ts_fapl_touch_meta_block(pl) < 0 || ts_fapl_touch_sieve_buf(pl) < 0 ||
                   ts_fapl_touch_libver_high(pl) < 0 || ts_fapl_touch_libver_low(pl) < 0 ||
                   ts_fapl_touch_flush_cb(pl) < 0 || ts_fapl_touch_driver(pl) < 0 || ts_fapl_touch_gc_ref(pl) < 0
               ? -1
               : 0;
}

hid_t H5Fget_access_plist(hid_t file_id)
{
    TS_API_ENTER(FILE, CANTGET, "can't get file access property list");
    struct ts_fhandle *fh = TS_API_OBJ(file_id, H5I_FILE);
    struct ts_plist *copy;
    if (!fh || ts_plist_copy(fh->file->fapl, &copy) < 0)
        return TS_API_FAIL(-1);
    if (touch_all(copy) < 0 || tell_attempts(copy) < 0) {
        ts_plist_unref(copy);
        return TS_API_FAIL(-1);
    }
    return TS_API_NEW_LIST(copy);
}

hid_t H5Fget_create_plist(hid_t file_id)
{
    TS_API_ENTER(FILE, CANTGET, "can't get file creation property list");
    struct ts_fhandle *fh = TS_API_OBJ(file_id, H5I_FILE);
    struct ts_plist *fcpl;
    if (!fh || ts_container_creation_list(fh->file, &fcpl) < 0)
        return TS_API_FAIL(-1);
    return TS_API_NEW_LIST(fcpl);
}

herr_t H5Fget_intent(hid_t file_id, unsigned *intent)
{
    TS_API_ENTER(FILE, CANTOPERATE, "can't operate on file", TS_BAD_ID(ARGS, BADTYPE, "not a file"));
    struct ts_fhandle *fh = TS_API_OBJ(file_id, H5I_FILE);
    if (!fh)
        return TS_API_FAIL(-1);
    if (intent)
        *intent = ts_file_intent(fh->file);
    return 0;
}

herr_t H5Fget_fileno(hid_t file_id, unsigned long *fileno)
{
    TS_API_ENTER(FILE, CANTOPERATE, "can't operate on file");
    struct ts_fhandle *fh = TS_API_OBJ(file_id, H5I_FILE);
    if (!fh)
        return TS_API_FAIL(-1);
    if (fileno)
        *fileno = fh->file->entry.serial;
    return 0;
}

herr_t H5Fget_filesize(hid_t file_id, hsize_t *size)
{
    TS_API_ENTER(FILE, CANTGET, "unable to get file size", TS_BAD_ID(ARGS, BADVALUE, "not a file ID"));
    struct ts_fhandle *fh = TS_API_OBJ(file_id, H5I_FILE);
    haddr_t eof;
    if (!fh || ts_api_write_waiting(fh->file) < 0 || ts_driver_eof(fh->file->driver, &eof) < 0)
        return TS_API_FAIL(-1);
    /* What is allocated counts, also where nothing has been written yet. */
    haddr_t end = fh->file->sb.base + ts_alloc_end(fh->file);
    if (size)
        *size = fh->file->writable && end > eof ? end : eof;
    return 0;
}

herr_t H5Fget_eoa(hid_t file_id, haddr_t *eoa)
{
    TS_API_ENTER(FILE, CANTOPERATE, "can't operate on file",
                 TS_BAD_ID(ARGS, BADTYPE, "hid_t identifier is not a file ID"));
    struct ts_fhandle *fh = TS_API_OBJ(file_id, H5I_FILE);
    if (!fh || ts_driver_api_check_swmr(fh->file->fapl) < 0 || ts_api_write_waiting(fh->file) < 0)
        return TS_API_FAIL(-1);
    if (eoa)
        *eoa = fh->file->writable ? fh->file->sb.base + fh->file->end : fh->file->sb.end;
    return 0;
}

ssize_t H5Fget_name(hid_t obj_id, char *name, size_t size)
{
    TS_API_ENTER(FILE, CANTGET, "unable to get file name", TS_BAD_ID(ARGS, BADVALUE, "not a valid object ID"));
    struct ts_loc loc;
    if (ts_api_gone(obj_id, H5I_FILE))
        return TS_API_ERR(-1, ARGS, BADTYPE, "not a file");
    if (ts_api_location(&ts_scope_, obj_id, &loc) < 0)
        return TS_API_FAIL(-1);
    return (ssize_t)ts_api_copy_name(name, size, loc.fh->name);
}

herr_t H5Fget_vfd_handle(hid_t file_id, hid_t fapl, void **file_handle)
{
    TS_API_ENTER(FILE, CANTGET, "unable to get VFD handle");
    if (!file_handle)
        return TS_API_ERR(-1, ARGS, BADVALUE, "invalid file handle pointer");
    struct ts_fhandle *fh = TS_API_OBJ(file_id, H5I_FILE);
    const struct ts_driver_config *config = fh ? ts_fapl_driver(fh->file->fapl) : NULL;
    struct ts_driver_part part;
    if (!config || ts_driver_api_part(&ts_scope_, config->kind, fapl, &part) < 0 || ts_gather_write(fh->file) < 0)
        return TS_API_FAIL(-1);
    return TS_API_RET(fh->file->driver->cls->handle(fh->file->driver, &part, file_handle));
}

ssize_t H5Fget_file_image(hid_t file_id, void *buf_ptr, size_t buf_len)
{
    TS_API_ENTER(FILE, CANTGET, "unable to get file image", TS_BAD_ID(ARGS, BADVALUE, "not a file ID"));
    struct ts_fhandle *fh = TS_API_OBJ(file_id, H5I_FILE);
    size_t size;
    if (!fh || ts_file_image(fh->file, buf_len, buf_ptr, &size) < 0)
        return TS_API_FAIL(-1);
    return (ssize_t)size;
}
