"""What is not compared, and why. A field is `r` for what a call returns, PARAMETER or PARAMETER.FIELD for what it fills, or
cb.FIELD for what a function of the application is given in a structure."""
import functools
import re

WHERE = "where things lie in a file is each library's own choice"
SIZES = "how much room things take in a file is each library's own choice"
TIMES = "the clock"
CACHE = "there is no such cache: metadata has one budget"
MEMORY = "what a library keeps in memory is its own business"
COMPRESSED = "compressors differ in what they make of the same bytes"
RECORDS = "how many records lie between the outermost one and the cause"

MASKS = [
    (r"H5O\w+|H5D\w+", r"(\w+\.)?(addr|fileno)", WHERE),
    (r"H5O\w+", r"\w+\.(version|nmesgs|nchunks|flags|total|meta|mesg|free|present|shared|obj_index|obj_heap|attr_index|attr_heap)", SIZES),
    (r"H5O\w+|H5G\w+", r"\w+\.[amcb]time", TIMES),
    (r"H5G\w+", r"\w+\.(fileno|objno|ohdr_\w+)", WHERE),
    (r"H5[LG]\w+", r"(linfo|cb)\.u", WHERE),
    (r"H5Dget_offset|H5FDget_eoa|H5FDget_eof|H5Fget_freespace|H5FDalloc", r"r", WHERE),
    (r"H5Fget_(eoa|filesize|mdc_image_info|info\d)", r".*", SIZES),
    (r"H5Fget_(mdc_size|mdc_hit_rate|page_buffering_stats|metadata_read_retry_info)", r".*", CACHE),
    (r"H5Fget_file_image|H5Fget_free_sections", r".*", SIZES),
    (r"H5get_(alloc_stats|free_list_sizes)", r".*", MEMORY),
    (r"H5FDread", r"buf", WHERE),
    (r"H5Rcreate", r"ref", WHERE),
    (r"H5G\w+", r"ginfo.storage_type", "Tessera writes groups in the form of 1.8 and later"),
    (r"H5Dread_chunk", r"buf", COMPRESSED), (r"H5Dget_chunk_\w+", r"size|chunk_bytes", COMPRESSED),
    (r"H5Dget_storage_size", r"r", COMPRESSED),
    (r"H5Eget_num", r"r", RECORDS), (r"H5Ewalk\d", r"cb", RECORDS),
    (r"H5Iregister_type", r"r", "which number a type of ids gets"),
    (r"H5Aget_info\w*", r"ainfo.corder(_valid)?",
     "of an attribute that is just made libhdf5 knows it from when another function has looked (tests/twin/attr_order.c)"),
]

# Calls that are meant to end differently (README.md, docs/compatibility.md), and what hangs on them.
DELIBERATE = [
    (r"H5FD_ros3_init|H5P[sg]et_fapl_ros3", "there is no ros3 driver: it needs an HTTP client"),
    (r"H5FDcmp", "the order of different files is that of their addresses in memory"),
    (r"H5F(start|stop)_mdc_logging|H5Fget_mdc_logging_status", "there is no log of libhdf5's metadata cache"),
]

# Calls that work on one of the two only, as they are meant to: what is compared goes on without them.
NONSENSE = "it means nothing, and stock does not look"
EXCUSED = [
    (r"H5Fget_intent", r"stock ok, ours fail .*not a file", NONSENSE),
    (r"H5Fget_free_sections", r"stock ok, ours fail .*is no kind of file memory", "stock reads behind a table"),
    (r"H5Fset_libver_bounds", r"stock ok, ours fail .*versions from -?\d+ to -?\d+", NONSENSE),
    (r"H5Fincrement_filesize", r"stock ok, ours fail .*unable to increment file size", "the end of the file would overflow"),
    (r"H5Fu?n?mount", r"stock ok, ours fail .*unable to (un)?mount file", "on a dataset"),
    (r"H5FDopen", r"stock ok, ours fail .*unable to open file", "a folder, or truncating what is opened for reading"),
    (r"H5FDregister", r"stock ok, ours fail .*null class pointer is disallowed", "a driver without a name"),
    (r"H5FDunregister", r"stock ok, ours fail .*unable to unregister file driver", "without its own drivers the library opens nothing"),
    (r"H5PLinsert", r"stock ok, ours fail .*path table is empty", "stock leaves entries that nobody can read"),
    (r"H5FDget_vfd_handle", r"stock fail, ours ok .*can't get file handle for file driver", "no driver of the library looks at that list"),
    (r"H5(Gcreate|Tcommit)_anon|H5Acreate2|H5Aopen(_by_idx)?|H5Rdereference2", r"stock ok, ours fail", "libhdf5 does not look at this access list"),
    (r"H5Pget_\w+", r"stock ok, ours fail \(H5E_(ATOM|PLIST|ARGS) .*", "libhdf5 does not look at the list when nothing is asked"),
    (r"H5Arename\w*", r"stock ok, ours fail", "libhdf5 looks at nothing when old and new name are the same"),
    (r"H5Aiterate\w*", r"stock ok, ours fail \(H5E_ARGS H5E_BADVALUE no operator.*", "libhdf5 wants a function only when it calls it"),
    (r"H5Aread", r"stock ok, ours fail", "an attribute that was never written is read by libhdf5 as any type"),
    (r"H5Pset_btree_ratios", r"stock ok, ours fail .*nan.*", "libhdf5 takes what is no number"),
    (r"H5Pset_fapl_splitter", r"stock ok, ours fail .*one file.*", "libhdf5 takes drivers of many files that its splitter cannot open"),
    (r"H5P(register|insert)\d", r"stock ok, ours fail \(H5E_PLIST H5E_CANTREGISTER.*", "names of the library's properties are its own"),
    (r"H5Pset_layout", r"stock fail, ours ok", "H5D_NLAYOUTS of 1.10 is the layout of sparse datasets"),
    (r"H5Ovisit(_by_name)?2", r"stock fail, ours ok \(H5E_OHDR H5E_BADITER.*",
     "libhdf5 takes any object for a group when its type was not asked for"),
    (r"H5Tarray_create\d|H5Tcommit\w*", r"stock ok, ours fail \(H5E_DATATYPE H5E_CANT(REGISTER|INIT) unable to (create|commit) datatype",
     "a size beyond 64 bits, or beyond the 32 that a file has for it; an access list that is none"),
    (r"H5Tset_(fields|offset|precision)", r"stock ok, ours fail \(H5E_ARGS H5E_BADVALUE .*\d{19}", "the sum of two sizes overflows"),
    (r"H5Tinsert", r"stock ok, ours fail .*unable to insert member", "the sum of two sizes overflows"),
    (r"H5Tset_\w+", r"stock ok, ours fail \(H5E_DATATYPE .*(after members are defined|can't set order|not defined for this datatype)",
     "of an array of enumerations libhdf5 changes the base under its values, of one of compounds something else than it should"),
    (r"H5Tenum_insert", r"stock ok, ours fail .*unable to insert new", "what is locked or committed is changed by nobody"),
    (r"H5Tencode|H5Tfind", r"stock ok, ours fail", "an exponent bias of more than 32 bits, which libhdf5 cuts off"),
    (r"H5Tcopy|H5Tfind|H5Tcompiler_conv|H5Tconvert|H5Tget_native_type|H5Tarray_create\d|H5Tvlen_create|H5Tregister|H5Tinsert",
     r"stock fail, ours ok \(H5E_(DATATYPE|ARGS) H5E_(CANT\w+|NOTFOUND|BADTYPE) (unable to|cannot|conversion|invalid VL|can't register)",
     "libhdf5 cannot copy an enumeration without members"),
    (r"H5Literate\w*|H5Lvisit\w*|H5Ovisit\w*", r"stock fail, ours ok .*'close', 0", "a callback may close the id it is given"),
    (r"H5D(read|write)", r"stock ok, ours fail .*can't (read|write) data", "a selection in a dataspace of another shape than the dataset's"),
    (r"H5D(vlen_get_buf_size|iterate)", r"stock ok, ours fail .*(iteration operator failed|could not get a validated)",
     "a selection in a dataspace of another shape"),
    (r"H5D(get_num_chunks|get_chunk_info)", r"stock ok, ours fail .*can't get (number of chunks|chunk info)",
     "a selection in a dataspace of another shape; stock does not look at it"),
    (r"H5Dvlen_reclaim", r"stock ok, ours fail .*unable to reclaim vlen data", "a selection that is not within its extent"),
    (r"H5D(scatter|gather)", r"stock ok, ours fail .*(dataspace does not have|callback (returned \d+ bytes|did not return))",
     "stock reads or writes what is not there"),
    (r"H5Dfill", r"stock ok, ours fail .*(not a data|selection\+offset not within extent)", "stock does nothing, or writes what is not there"),
    (r"H5D(read|write)_chunk", r"stock ok, ours fail .*(failure to copy offset array|can't (read|write) unprocessed chunk data)",
     "a chunk beyond the dataset, or one without filters that has another size"),
    (r"H5Dget_(num_chunks|chunk_info)", r"stock fail, ours ok .*(invalid dataspace identifier|not a dataspace ID)",
     "H5S_ALL, as later releases have it"),
    (r"H5Eclose_msg|H5Eunregister_class", r"stock ok, ours fail .*unable to decrement ref count on error (message|class)",
     "the library's own messages and its class stay: without them its records mean nothing"),
    (r"H5Fset_mdc_config", r"stock fail, ours ok", "there is no trace file to close"),
    (r"H5Oopen_by_addr", r"stock (ok|fail), ours (ok|fail) .*unable to open object", "what lies at an address is each library's own choice"),
    (r"H5Lcreate_ud", r"stock ok, ours fail .*unable to create link\)", "a value of more than 64 KiB, which is more than a message holds"),
    (r"H5Pset_cache", r"stock ok, ours fail .*nan.*", "libhdf5 takes what is no number"),
    (r"H5Pmodify_filter", r"stock ok, ours fail .*can't operate on property list",
     "of a list whose filters are all gone libhdf5 changes one that is not there"),
    (r"H5Scombine_hyperslab", r"stock ok, ours fail .*the dataspace has no dimensions", NONSENSE),
]

# Calls that fail on both, of which libhdf5 tells something that is no fault here: function, its text, the line.
OTHER_FAULTS = [
    (r"H5Dget_(num_chunks|chunk_info)", r"(invalid dataspace identifier|not a dataspace ID)", r"\w+: \w+ \S+ 0 ",
     "H5S_ALL, as later releases have it"),
]

# Calls that fail without a record of their own, and leave those of the call before: one of libhdf5's, of which it says nothing.
SILENT = r"H5(allocate|resize)_memory|H5dont_atexit|H5FD_hdfs_init"

# After a change of the library's own classes of lists libhdf5 takes no list that was made before, the default ones included.
LAST = r"\w+: H5P(register\d?|unregister|close_class|copy_prop) H5P_CLS_.*"

# A dataspace that loses its dimensions keeps its old selection in libhdf5, which then reads behind the extent.
LEFTOVER = r"\w+: H5S(set_extent_none \$(\w+)|set_extent_simple \$(\w+) 0 .*|extent_copy \$(\w+) \$\4)"

# Where libhdf5 writes into a buffer that is said to have no room, or gives a text without its end: ours has a part of it.
OVERRUNS = {("H5Aget_name", "buf"), ("H5Pencode", "buf"), ("H5Pget_virtual_filename", "name"), ("H5Pget_virtual_dsetname", "name"),
            ("H5Rget_name", "name"), ("H5Pget_chunk", "dim")}
UNTOUCHED = "~"


def excused(function, detail, stock):
    text = f"{detail} {stock.get('cb', '')}"
    return any(re.fullmatch(name, function) and re.match(what, text) for name, what, _ in EXCUSED)


def other_fault(function, text, line):
    return any(re.fullmatch(name, function) and re.fullmatch(what, text or "") and re.match(where, line)
               for name, what, where, _ in OTHER_FAULTS)


def silent(function):
    return re.fullmatch(SILENT, function)


def has_leftover(lines):
    """Whether the last line is about a dataspace with a selection that does not fit, or one that came of it."""
    tainted = set()
    for line in lines:
        lost = re.match(LEFTOVER, line)
        used = set(re.findall(r"\$(\w+)", line))
        if lost:
            tainted |= used
        elif tainted & used and re.match(r"\w+: H5S", line):
            tainted |= used | {line.split(":")[0]}
    return bool(tainted & set(re.findall(r"[$&](\w+)", lines[-1]))) and not re.match(LEFTOVER, lines[-1])


def is_last(line):
    return re.match(LAST, line)


def overrun(function, field, stock, ours):
    if (function, field) not in OVERRUNS:
        return False
    return UNTOUCHED in (stock, ours) or isinstance(ours, str) and str(stock).startswith(ours) and len(str(stock)) == len(ours) + 1


def again(function, stock):
    """libhdf5 looks out for objects with several links only: a visit that begins in g1, which has one, tells all there again
    when it comes back by way of its link to the root."""
    return re.fullmatch(r"H5[LO]visit\w*", function) and any(str(call[2]).startswith("up/") for call in stock if len(call) > 2)


@functools.lru_cache(None)
def deliberate(function):
    return any(re.fullmatch(name, function) for name, _ in DELIBERATE)


@functools.lru_cache(None)
def masked(function, field):
    return any(re.fullmatch(name, function) and re.fullmatch(which, field) for name, which, _ in MASKS)
