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
]

# Calls that are meant to end differently (README.md, docs/compatibility.md), and what hangs on them.
DELIBERATE = [
    (r"H5FD_ros3_init|H5P[sg]et_fapl_ros3", "there is no ros3 driver: it needs an HTTP client"),
    (r"H5FDcmp", "the order of different files is that of their addresses in memory"),
    (r"H5F(start|stop)_mdc_logging|H5Fget_mdc_logging_status", "there is no log of libhdf5's metadata cache"),
]

# What Tessera refuses and stock does not (function, Tessera's words, why), and the other way round (function, stock's words, why).
NONSENSE = "it means nothing, and stock does not look"
REFUSED = [
    (r"H5Fget_intent", r"not a file", NONSENSE),
    (r"H5Fget_free_sections", r"-?\d+ is no kind of file memory", "stock reads behind a table"),
    (r"H5Fset_libver_bounds", r"versions from -?\d+ to -?\d+", NONSENSE),
    (r"H5Fincrement_filesize", r"unable to increment file size", "the end of the file would overflow"),
    (r"H5Fmount|H5Funmount", r"unable to (un)?mount file", "on a dataset"),
    (r"H5FDopen", r"unable to open file", "a folder, or truncating what is opened for reading"),
    (r"H5FDregister", r"null class pointer is disallowed", "a driver without a name"),
    (r"H5FDunregister", r"unable to unregister file driver", "without its own drivers the library opens nothing"),
    (r"H5PLinsert", r"path table is empty", "stock leaves entries that nobody can read"),
]
ACCEPTED = [
    (r"H5FDget_vfd_handle", r"can't get file handle for file driver", "no driver of the library looks at that list"),
]


@functools.lru_cache(None)
def refused(function, words):
    return any(re.fullmatch(name, function) and re.match(text, words) for name, text, _ in REFUSED)


@functools.lru_cache(None)
def accepted(function, words):
    return any(re.fullmatch(name, function) and re.match(text, words) for name, text, _ in ACCEPTED)


@functools.lru_cache(None)
def deliberate(function):
    return any(re.fullmatch(name, function) for name, _ in DELIBERATE)


@functools.lru_cache(None)
def masked(function, field):
    return any(re.fullmatch(name, function) and re.fullmatch(which, field) for name, which, _ in MASKS)
