"""What is not compared, and why. A field is `r` for what a call returns, PARAMETER or PARAMETER.FIELD for what it fills, or
cb.FIELD for what a function of the application is given in a structure."""
import functools
import re

import newer
import newer_masks

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

ROS3 = "there is no ros3 driver: it needs an HTTP client"

# Calls that are meant to end differently (README.md, docs/compatibility.md), and what hangs on them.
DELIBERATE = [
    (r"H5Pget_fapl_ros3", ROS3),
    (r"H5FDcmp", "the order of different files is that of their addresses in memory"),
    (r"H5F(start|stop)_mdc_logging|H5Fget_mdc_logging_status", "there is no log of libhdf5's metadata cache"),
]

# Calls that work on one of the two only, as they are meant to: what is compared goes on without them.
NONSENSE = "it means nothing, and stock does not look"
EXCUSED = [
    (r"H5FD_ros3_init|H5Pset_fapl_ros3", r"stock ok, ours fail", ROS3),
    (r"H5Fget_intent", r"stock ok, ours fail .*not a file", NONSENSE),
    (r"H5Freset_page_buffering_stats", r"stock ok, ours fail .*invalid file identifier", NONSENSE),
    (r"H5Fget_free_sections", r"stock ok, ours fail .*is no kind of file memory", "stock reads behind a table"),
    (r"H5Fset_libver_bounds", r"stock ok, ours fail .*versions from -?\d+ to -?\d+", NONSENSE),
    (r"H5Fu?n?mount", r"stock ok, ours fail .*unable to (un)?mount file", "on a dataset"),
    (r"H5FDopen", r"stock ok, ours fail .*unable to open file", "a folder, or truncating what is opened for reading"),
    (r"H5FDregister", r"stock ok, ours fail .*null class pointer is disallowed", "a driver without a name"),
    (r"H5FDunregister", r"stock ok, ours fail .*unable to unregister file driver", "without its own drivers the library opens nothing"),
    (r"H5PLinsert", r"stock ok, ours fail .*path table is empty", "stock leaves entries that nobody can read"),
    (r"H5(Gcreate|Tcommit)_anon|H5Acreate2|H5Aopen|H5Rdereference2", r"stock ok, ours fail", "libhdf5 does not look at this access list"),
    (r"H5Pget_\w+", r"stock ok, ours fail \(H5E_(ATOM|PLIST|ARGS) .*", "libhdf5 does not look at the list when nothing is asked"),
    (r"H5Pset_btree_ratios", r"stock ok, ours fail .*nan.*", "libhdf5 takes what is no number"),
    (r"H5Pset_fapl_splitter", r"stock ok, ours fail .*one file.*", "libhdf5 takes drivers of many files that its splitter cannot open"),
    (r"H5P(register|insert)\d", r"stock ok, ours fail \(H5E_PLIST H5E_CANTREGISTER.*", "names of the library's properties are its own"),
    (r"H5Pset_layout", r"stock fail, ours ok", "H5D_NLAYOUTS of 1.10 is the layout of sparse datasets"),
    (r"H5Ovisit(_by_name)?2", r"stock fail, ours ok \(H5E_OHDR H5E_BADITER.*",
     "libhdf5 takes any object for a group when its type was not asked for"),
    (r"H5Tarray_create\d|H5Tcommit\w*", r"stock ok, ours fail \(H5E_DATATYPE H5E_CANT(REGISTER|INIT) unable to (create|commit) datatype",
     "a size beyond 64 bits, or beyond the 32 that a file has for it; an access list that is none"),
    (r"H5Tset_fields", r"stock ok, ours fail .*exponent and mantissa fields overlap: both begin at bit", NONSENSE),
    (r"H5Tset_\w+", r"stock ok, ours fail \(H5E_DATATYPE .*(after members are defined|can't set order|not defined for this datatype)",
     "of an array of enumerations libhdf5 changes the base under its values, of one of compounds something else than it should"),
    (r"H5Tenum_insert", r"stock ok, ours fail .*unable to insert new", "what is locked or committed is changed by nobody"),
    (r"H5Tcopy|H5Tfind|H5Tcompiler_conv|H5Tconvert|H5Tget_native_type|H5Tarray_create\d|H5Tvlen_create|H5Tregister|H5Tinsert",
     r"stock fail, ours ok \(H5E_(DATATYPE|ARGS) H5E_(CANT\w+|NOTFOUND|BADTYPE) (unable to|cannot|conversion|invalid VL|can't register)",
     "libhdf5 cannot copy an enumeration without members"),
    (r"H5Giterate|H5Literate\w*|H5Lvisit\w*|H5Ovisit\w*|H5Aiterate_by_name", r"stock fail, ours ok .*'close', 0", "a callback may close the id it is given"),
    (r"H5[LO]visit\w*", r"stock fail, ours ok \(H5E_\w+ H5E_BADITER .*'unlink', 0\](, \['H5E_auto\d_t', [^]]*\])?\]", "a callback may delete the link that it is told of"),
    (r"H5Sselect_project_intersection", r"stock ok, ours fail .*can't operate on dataspace", "a selection that is not within its extent"),
    (r"H5D(vlen_get_buf_size|iterate)", r"stock ok, ours fail .*(iteration operator failed|could not get a validated)",
     "a selection in a dataspace of another shape"),
    (r"H5Dvlen_reclaim", r"stock ok, ours fail .*unable to reclaim vlen data", "a selection that is not within its extent"),
    (r"H5D(scatter|gather)", r"stock ok, ours fail .*(dataspace does not have|callback (returned a buffer size of 0|did not return))",
     "stock reads or writes what is not there"),
    (r"H5Dfill", r"stock ok, ours fail .*(not a data|selection \+ offset not within extent)", "stock does nothing, or writes what is not there"),
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
    (r"H5Sselect_shape_same", r"stock fail, ours ok .*can't compare selections", "libhdf5 looks for the first block of a selection that has none"),
    (r"H5Sselect_copy", r"stock ok, ours fail .*a selection of rank \d+ does not fit in a dataspace of rank \d+",
     "libhdf5 reads and writes behind the ends of both from then on"),
]

# The same, of certain arguments only.
EXCUSED_CALLS = [
    (r"H5Scombine_hyperslab \S+ (H5S_SELECT_SET|0) .*", r"stock fail, ours ok .*unable to set hyperslab selection",
     "libhdf5 sets nothing that begins behind the selection of before, which does not matter"),
    (r"H5Idec_ref H5(P_CLS|P_LST|T|E)_\w+_g", r"stock ok, ours fail \(H5E_ATOM H5E_CANTDEC", "what is the library's own stays"),
    (r"H5Isearch .* cb(:-?\d+@([2-9]|\d\d+))? .*", r"stock fail, ours ok .*iteration failed", "libhdf5 stops at the first object, which is no failure"),
    (r"H5Sselect_hyperslab \S+ (H5S_SELECT_NOTB|4) .*(-1|18446744073709551615).*", r"stock fail, ours ok .*unable to set hyperslab selection",
     "of an unlimited block that begins behind the extent libhdf5 makes one of no elements"),
    (r"H5Lexists \S+ \"/+\" .*", r"stock ok, ours fail", "of the root libhdf5 does not look at the list"),
    (r"H5Fget_file_image \S+ out \d+", r"stock (ok|fail), ours (ok|fail) .*unable to get file image", SIZES),
]

# The same where it takes more than the call to tell: function, kind of difference and detail, what the program (labels that stand
# for numbers replaced by them, in the last line; calls that failed end with " !") has in it. Patterns of programs end at the call itself.
SELECTED = r"(\w+): (H5Scombine|H5Scopy|H5Sdecode|H5Dget_space|H5Aget_space)[^\n]*\n[\s\S]*: \w+ \S+ \$\1 |" \
           r": H5S(select|combine|modify|offset|set_extent|extent_copy)\w* (\$\w+)[^\n]*\n[\s\S]*: \w+ \S+ \4 "
BECAUSE = [
    (r"H5Dget_(num_chunks|chunk_info)", r"output ", SELECTED, "libhdf5 does not look at the selection"),
    (r"H5A(open|create)_by_(name|idx)", r"return stock ok, ours fail", r" (?!0 )\S+ (?!0$)\S+\Z",
     "libhdf5 looks at the access list of attributes only when the one of links is the default"),
    (r"H5Awrite", r"return stock fail, ours ok", r"(\w+): H5Aopen_by_\w+ [^\n]*\n[\s\S]*: H5Awrite \$\1 [^\n]*\Z",
     "libhdf5 cannot write an attribute that was opened by the name of its object"),
    (r"H5Aread", r"(return stock ok, ours fail|callback )", r"\A(?![\s\S]*: H5Awrite (\$\w+) (?!0 )[^\n!]*\n[\s\S]*: H5Aread \1 [^\n]*\Z)",
     "an attribute that was never written is read by libhdf5 as any type, without a conversion"),
    (r"H5Aopen\w*|H5Aget_info_by_\w+|H5Aget_name_by_idx", r"return stock ok, ours fail|output ainfo", r": H5Adelete",
     "libhdf5 goes on finding a deleted attribute as long as somebody has it open, also in place of a new one of that name"),
    (r"H5[AI]\w+", r"(return|output|data) ", r": H5Adelete[\s\S]*\n(\w+): H5Aopen\w* [\s\S]*: \w+ \$\1\b[^\n]*\Z", "and so opens it"),
    (r"H5Aopen(_name)?", r"return stock ok, ours fail", r": H5Aopen_by_(name|idx) (\$\w+) [^\n]*\n[\s\S]*: \w+ \2 [^\n]*\Z",
     "an attribute that was opened by its object's name is, as long as it is open, found in libhdf5 where that name was looked for"),
    (r"H5A(open|rename|delete)\w*", r"return stock ok, ours fail", r": H5A(open|create)_by_name \S+ \"[^\"\n]*\" (\"[^\"\n]*\") [\s\S]*: \w+ [^\n]*\2[^\n]*\Z",
     "the same by its name, whichever id that place has"),
    (r"H5Iget_name", r"(return|output) ", r"(\w+): H5A(open|create)\w* [\s\S]*: H5(Gunlink|Ldelete\w*|[GL]move\w*) [\s\S]*: H5Iget_name \$\1 ",
     "of an attribute libhdf5 tells the name that its object had when it was opened, also when that leads nowhere now"),
    (r"H5Iget_name", r"return returns \d+, here 0", r": H5(Gunlink|Ldelete\w*) ",
     "libhdf5 goes on telling the names of datasets below a group that is gone, not of groups"),
    (r"H5[RI]get_name", r"callback .*'H5L_query_func_t'", r"", "which links a library looks at while it searches for a name is its own business"),
    (r"H5Fstart_swmr_write", r"return stock fail, ours ok", r": H5Iinc_ref ",
     "libhdf5 cannot open again what has an id that is counted twice, and has forgotten the count then"),
    (r"H5Aread", r"data buf stock \{'buf': ([\[\]', 0]|None|null)*\}", r"\A(?![\s\S]*: H5Awrite (\$\w+) (?!0 )[^\n!]*\n[\s\S]*: H5Aread \1 [^\n]*\Z)",
     "an attribute that was never written is zeros of any type in libhdf5, until the file is opened again"),
    (r"H5[ADT](create|commit)\w*|H5Ocopy", r"return stock fail, ours ok",
     r": H5Fset_libver_bounds \S+ (H5F_LIBVER_EARLIEST|0) (H5F_LIBVER_EARLIEST|0)\n",
     "a high bound that H5Pset_libver_bounds refuses; below it libhdf5 makes no datasets, null dataspaces and arrays"),
    (r"H5Dformat_convert", r"return stock ok, ours fail", r": H5Fstart_swmr_write |H5F_ACC_SWMR_WRITE",
     "readers could not follow to another index, and libhdf5 does not convert either"),
    (r"H5D\w+|file", r"(output|data|file|return) ", r": H5Dformat_convert (\$\w+)\n",
     "libhdf5 takes the old index for the right one until the file is closed (tests/twin/format_convert.c)"),
    (r"H5Dget_chunk_storage_size", r"return stock fail, ours ok",
     r": (H5Dset_extent (\$\w+) [^\n]*|H5Dwrite (\$\w+) [^\n]* !)\n[\s\S]*: \w+ (\2|\3) [^\n]*\Z",
     "of a dataset without storage it is 0; here there is none until a chunk is stored"),
    (r"H5Dget_offset", r"return stock ok, ours fail \(no record", r": H5Pset_userblock ",
     "libhdf5 adds the user block to the address that stands for none"),
    (r"\w+", r"(return stock ok, ours fail|file )", r": H5Ovisit\w* [^\n]*cb:unlink@", "libhdf5 loses what is deleted while it visits"),
    (r"H5Pclose", r"return stock fail, ours ok", r": H5Pclose H5P_LST_\w+\Z", "a list of the library that is in use"),
    (r"H5Pset_fapl_(multi|split|family)", r"return stock ok, ours fail \(H5E_PLIST H5E_CANTSET", r": H5P(register|insert)\d [^\n]*cb:-1@",
     "the lists of members are copied"),
    (r"H5[ADT](create|commit)\w*", r"return stock ok, ours fail", r": H5Tset_offset \S+ \d{6,}\n", "a file has 16 bits for a bit's place"),
    (r"H5Tset_\w+", r"class H5E_ARGS H5E_CANTINIT is", r"(\w+): H5Tget_(super|member_type) [^\n]*\n[\s\S]*: \w+ \$\1 [^\n]*\Z",
     "a part of a type may be changed, also where libhdf5 still remembers that it was a predefined one"),
    (r"H5Tfind|H5Tcompiler_conv", r"return stock ok, ours fail", r": H5Tvlen_create ",
     "libhdf5 finds a conversion for any two sequences, which fails when it is used, if their elements have none"),
    (r"H5Tencode", r"return stock ok, ours fail", r": H5Tset_((in)?pad \S+ [^\n]*(H5T_PAD_BACKGROUND|2)|order \S+ (H5T_ORDER_VAX|2)|(size|precision) \S+ \d{10,})[^\n]*\n[\s\S]* (out \[\d\]|out \[[12]\d\]|NULL)( \[\d+\])?\Z",
     "libhdf5 knows the length of what it then does not encode"),
    (r"H5P(de|en)code\d?", r"(return stock ok, ours fail|output buf)", r": H5Pset_fill_value \S+ (\$\w+|H5T_STD_REF\w*) ",
     "a fill value with pointers: libhdf5 encodes and decodes addresses in memory, of which it may die"),
    (r"H5Sencode\d?", r"output (buf|nalloc)", r": H5[AD]get_space [^\n]*\n[\s\S]*(\w+): H5S(decode|copy) [^\n]*\n[\s\S]*: H5Sencode\d? \$\1 [^\n]*\Z|"
     r"(\w+): H5[AD]get_space [^\n]*\n[\s\S]*: H5Sencode\d? \$\3 [^\n]*\Z",
     "the extent has the version that it has in the file"),
    (r"H5Fopen", r"return stock fail, ours ok", r": H5Pset_fapl_core \S+ \S+ 0\n", "a copy in memory needs no lock"),
    (r"H5F(open|create)", r"return stock ok, ours fail", r": H5Pset_fapl_core [\s\S]*: H5Fstart_swmr_write [^\n]* !\n",
     "libhdf5 lets go of the lock when it refuses to start"),
    (r"H5Pdecode", r"return stock ok, ours fail", r"(\w+): H5Pencode\d? \S+ out \[(\d{1,3}|1\d{3})\]\n[\s\S]*: H5Pdecode &\1\Z",
     "libhdf5 encodes into a buffer that is said to have no room, and decodes what it wrote behind it"),
    (r"H5P\w+|H5close", r"callback (?!.*'H5(?!P_prp_(copy|close)_func_t)\w+_t')",
     r": H5Pset_fapl_(multi|split|family) ",
     "the lists of members are copied: libhdf5 holds their ids, and a list that is a member of itself never goes"),
    (r"H5I(inc|dec|get)_ref", r"return returns ", r": H5Pset_fapl_(multi|split|family) [^\n]*(\$\w+)(?= |\n)[^\n]*\n[\s\S]*: \w+ \2\Z",
     "libhdf5 counts the files' lists that hold this one"),
    (r"H5P\w+", r"(return|class) ", r": H5Pset_fapl_(multi|split|family) [^\n]*(\$\w+)[^\n]*\n[\s\S]*: H5Pclose \2\n[\s\S]* \2\b[^\n]*\Z",
     "libhdf5 holds the ids of members' lists, which stay when they are closed"),
    (r"H5Pisa_class", r"return returns 0, here 1",
     r"(\w+): H5P(get_class|get_class_parent) [^\n]*\n[\s\S]*: H5P(register\d?|unregister|copy_prop) [^\n]*\$\1\b[^\n]*\n",
     "a class of the library in which something was registered is another class in libhdf5, and its lists are none of the library's"),
    (r"H5Idec_ref", r"return stock ok, ours fail", r"(\w+): H5FD_\w+_init\n[\s\S]*: H5Idec_ref \$\1\Z", "what is the library's own stays"),
    (r"H5close", r"callback .*'H5E_auto1_t'", r": H5Eset_auto1 cb", "libhdf5 tells of a failure of its own at the end, and does not fail"),
    (r"H5Piterate", r"(callback|return|output) ", r"(\w+): H5Fget_create_plist[^\n]*\n[\s\S]*: H5Piterate \$\1 [^\n]*\Z",
     "files have a superblock of version 2 or 3: that is a property with a value of its own"),
    (r"H5Pget_version", r"output boot", r"(\w+): H5Fget_create_plist[^\n]*\n[\s\S]*: H5Pget_version \$\1 ", "files have a superblock of version 2 or 3"),
    (r"H5D(create|open)\w*", r"callback (?!.*'H5(?!P_prp_(copy|close)_func_t)\w+_t')", r": H5Pset_virtual ",
     "libhdf5 copies the access list for each source of a virtual dataset"),
    (r"H5close", r"callback .*'H5I_free_t'", r": H5Iregister ", "libhdf5 does not free what the application registered, and says that it is in a loop"),
    (r"H5Dread_chunk", r"data filters", r": H5Dwrite_chunk (\$\w+) \S+ (?!0 )\S+ [\s\S]*: \w+ \1 [^\n]*\Z",
     "libhdf5 tells 0 of a chunk that it has just written, whose filters it says were left out in the file"),
    (r"H5F(create|open)", r"return stock ok, ours fail", r": H5Pset_fapl_log \S+ \"nofolder/",
     "libhdf5 takes a log that it cannot open, and crashes when it writes there"),
    (r"H5Fcreate", r"return stock ok, ours fail", r": H5Pset_sizes [^\n]*\b16\b", "libhdf5 writes over its own memory"),
    (r"H5F(create|open)", r"return stock fail, ours ok", r": H5Pset_(meta|small_data)_block_size \S+ (-\d+|\d{19,})\n",
     "libhdf5 takes the whole block at once"),
    (r"H5D(read|write)|H5Dfill", r"return stock fail, ours ok", r": H5Pset_buffer (\$\w+) \d [^\n]*\n[\s\S]*: \w+ [^\n]*\1\b[^\n]*\Z",
     "a buffer in which not one element has room: libhdf5 converts nothing there"),
    (r"H5\w+|file", r"(data|file) ", r": H5Pset_type_conv_cb (\$\w+) cb:1@[^\n]*\n[\s\S]*: H5[DT]\w+ [^\n]* \1\b",
     "a function of the application says that it has set an element, and has not"),
    (r"H5Tset_\w+", r"return stock fail, ours ok .*read-only", r"(\w+): H5Topen\w* [\s\S]*: H5Tget_(super|member_type) \$\1\b",
     "what H5Topen gives is no type that the application still has, of which libhdf5 remembers which parts were predefined"),
    (r"H5D(read|write)", r"return stock fail, ours ok", r": H5Pset_hyper_vector_size \S+ (-\d+|\d{9,})\n",
     "libhdf5 makes a table of that size"),
    (r"H5[ADT](create|commit)\w*", r"return stock ok, ours fail", r": H5Tset_((in)?pad [^\n]*(H5T_PAD_BACKGROUND|\b2\b)|order \S+ H5T_ORDER_VAX)",
     "files have no way to say so: libhdf5 makes it, and then cannot write the file"),
    (r"H5Dcreate\w*", r"return stock fail, ours ok", r": H5Pset_chunk_opts \S+ 0\n[\s\S]*: H5\w+_libver_bounds \S+ \S+ H5F_LIBVER_V18\n",
     "libhdf5 takes the form of 1.10 also where these options are none"),
    (r"H5\w+", r"return stock fail, ours ok", r": H5(Gcreate_anon|Dcreate_anon|Tcommit_anon) [\s\S]*: H5Fstart_swmr_write ",
     "libhdf5 loses what has no link when it opens everything again, and fails then or when it makes something in that place"),
    (r"H5[GLO]\w+|file", r"(return|output|callback|file) ",
     r": H5Lunregister (64|H5L_TYPE_EXTERNAL)\n[\s\S]*: H5(Gmove\w*|Lmove|Lcopy|Ldelete\w*|Gunlink) |: H5Lunregister [\s\S]*: H5(G|O)close [^\n]*\Z",
     "libhdf5 moves a link without a class, or takes it from one of two indices, and says that it failed; a deleted group with one it keeps"),
    (r"H5\w+", r"return stock fail, ours ok", r": H5F(create|open \S+ (8|9|16|17|24|25)) [\s\S]*: H5Pset_elink_cb (\$\w+) cb [\s\S]* \3\b[^\n]*\Z",
     "of a file that was just made, or opened with H5F_ACC_CREAT, libhdf5 gives the function these flags, and refuses them when they stay"),
    (r"H5[AGLO]\w+", r"return stock (ok|fail), ours (ok|fail)", r"(\w+): H5A(open|create)_by_(name|idx) [^\n]*\n[\s\S]*: (\w+ \$\1 \"|H5Gget_(num|obj)\w+ \$\1 )[^\n]*\Z",
     "in libhdf5 names count from where the object was looked for, and not from the object"),
    (r"H5O(visit|get_info)\w*|H5Gget_objinfo", r"(callback|output) ", r": H5A(create|open)\w* (\$\w+) [^\n]*\n[\s\S]*: H5(Ldelete|Gunlink) [\s\S]*: H5\w*close \2\n",
     "an open attribute keeps its object, which libhdf5 frees under it"),
    (r"H5Iremove_verify", r"class H5E_ARGS H5E_BADRANGE is no record", r" 127\Z", "what is no id counts as one of type 127"),
    (r"H5Fcreate", r"return stock ok, ours fail", r": H5Fstart_swmr_write [\s\S]*: H5Fcreate \S+ (H5F_ACC_TRUNC|2) [^\n]*\Z",
     "what a SWMR writer has open is not truncated"),
    (r"H5Eprint\d", r"class H5E_ERROR H5E_CANTLIST is", r": H5Epush\d ", "what is no message is named"),
    (r"H5Sget_select_elem_pointlist", r"output buf", r": H5Sget_select_elem_pointlist [\s\S]* H5S_SELECT_PREPEND ",
     "libhdf5 goes on where it stopped, also when there are points before that now"),
    (r"H5Pequal", r"callback ", r": H5Pequal (\S+) \1\Z", "a list equals itself"),
    (r"H5Ocopy", r"return stock fail, ours ok", r": H5(Lcreate_(soft|external|ud)|Glink)[\s\S]*: H5Ocopy \S+ \S+ \S+ \"[^\"\n]*/[^\n]*\Z",
     "libhdf5 finds no place for the copy behind a soft or external link"),
    (r"H5Dformat_convert", r"return stock fail, ours ok", r": H5Pset_alloc_time \S+ (H5D_ALLOC_TIME_EARLY|1)\n",
     "libhdf5 cannot change a message that it wrote for good"),
    (r"H5Sselect_elements", r"class H5E_DATASPACE H5E_CANTDELETE is", r": H5Sselect_elements \S+ \S+ -1 ", "more points than there can be"),
    (r"H5Pset_fapl_splitter", r"return stock fail, ours ok", r": H5FDregister [\s\S]*: H5Pset_driver ",
     "libhdf5 takes only drivers that say that they are compatible with the default one; here those of the application are not asked"),
    (r"H5Sget_select_hyper_\w+", r"(output|return) ", r": H5Scombine_hyperslab \S+ (H5S_SELECT_NOTA|5) ",
     "the same elements in other blocks: some that touch stay apart in libhdf5"),
    (r"H5Iget_name|H5Gget_num_objs", r"(return|output) ", r"(\w+): H5A(open|create)_by_(name|idx) [^\n]*\n[\s\S]*: \w+ \$\1 [^\n]*\Z",
     "libhdf5 tells where the object was looked for, and not the object"),
    (r"H5Rdereference\d", r"return stock fail, ours ok", r"(\w+): H5Rcreate out \S+ \"external[\s\S]*: \w+ [^\n]*&\1\Z",
     "a reference to an object of another file, which is looked for in this one"),
    (r"H5Tconvert", r"data buf", r": H5Tset_fields ", "libhdf5 leaves in the bits between the fields what was in the buffer"),
    (r"H5S\w+|H5D\w+", r"(return|output|data|callback) ", r"(\w+): H5Scombine_hyperslab [^\n]*\n[\s\S]*: \w+ [^\n]*\$\1\b[^\n]*\Z",
     "of a block that lies behind all others libhdf5 tells that alone, or nothing"),
    (r"H5FDopen", r"return stock fail, ours ok", r": H5Pset_fapl_stdio [\s\S]*: H5FDopen \S+ 999 ", "all flags at once"),
    (r"H5Dcreate\w*", r"return stock ok, ours fail", r": H5Pset_layout \S+ H5D_COMPACT\n[\s\S]*: H5Pset_external ",
     "libhdf5 takes compact datasets with external files, and crashes when they have data"),
    (r"H5Ldelete_by_idx|H5[GLO]\w+", r"(return|output|callback) ", r": H5Fmount [\s\S]*: H5Ldelete_by_idx ",
     "libhdf5 deletes the n-th link of the group below the mounted one"),
    (r"H5Fcreate", r"return stock fail, ours ok", r": H5Pset_fapl_multi \S+ [^\n]*\[",
     "members at the same address: libhdf5 fails, or reads other data than was written"),
    (r"H5\w+", r"return stock fail, ours ok", r": H5Pset_fapl_(multi|split) (\$\w+) [\s\S]*: H5Pset_fapl_(multi|split) [^\n]*\2[, \]]",
     "members that have members: libhdf5 writes files like that which it cannot open"),
    (r"H5Fcreate", r"return stock fail, ours ok", r": H5Pset_shared_mesg_nindexes [\s\S]*: H5Pset_fapl_(multi|split) |"
     r": H5Pset_fapl_(multi|split) [\s\S]*: H5Pset_shared_mesg_nindexes ",
     "shared messages and other settings in a file of several: libhdf5 cannot make it, or dies when it is closed"),
    (r"H5FD(set_eoa|free)", r"return stock fail, ours ok", r": H5Pset_fapl_(multi|split) ", "an address before the member's own begin"),
    (r"H5(D(read|write|create|fill)\w*|A(read|write)\w*|Tconvert)", r"return stock fail, ours ok", r": H5Tset_cset ",
     "libhdf5 converts between the character sets of variable-length strings only where it did so for one of them before"),
    (r"H5Tget_\w+", r"(return|output) ", r": H5Tset_\w+ (\$\w+) [^\n]*\n[\s\S]*: H5Tcommit\w* [^\n]*\1\b[\s\S]*: H5Tget_\w+ \1\b",
     "of what the file has no place for, as the order of a string, libhdf5 tells as long as the type is open"),
    (r"H5T(committed|refresh|flush|get_create_plist)|H5Iget_\w+|H5[AO]\w+", r"(return|output) ",
     r": H5Tcommit[\s\S]*\n(\w+): H5Tget_(super|member_type) [^\n]*\n[\s\S]*: \w+ \$\1\b[^\n]*\Z",
     "of a committed type that somebody has open libhdf5 tells which of its parts were committed, which no file keeps"),
    (r"H5T\w+", r"(return|output) ", r": H5Tcommit[\s\S]*: H5Tset_\w+ (\$\w+) [\s\S]*\n(\w+): H5Tget_(super|member_type) \1\b[\s\S]*: \w+ \$\2\b[^\n]*\Z",
     "a part that is committed and was changed through the whole of which it is one: libhdf5 says that it is read-only"),
    (r"H5Fget_obj_\w+", r"(return|output) ", r": H5Tcommit[\s\S]*: H5Tget_(super|member_type) ", "and counts them"),
    (r"H5Dfill|H5Dvlen_get_buf_size", r"callback ", r": H5Tregister ", "of how many elements with data of their own a function is asked at once"),
    (r"H5D\w+", r"callback .*H5P_cls_\w+_func_t", r": H5Pcreate_class ", "a list that a dataset keeps has no id to give"),
]

# Calls that fail on both, of which libhdf5 tells something that is no fault here: function, its text, the line.
OTHER_FAULTS = [
    (r"H5Pset_fapl_ros3", r".*", r".*", ROS3),
    (r"H5Pset_fapl_splitter", r"can't set driver ID & info", r".*", "of lists that are none libhdf5 dies, or finds out when it copies them"),
    (r"H5Pset_fill_value", r"memory allocation failed for fill value", r".*", "which of the copies of a vast value cannot be made"),
    (r"H5Tconvert", r"data type conversion failed", r".*", "libhdf5 finds a conversion for any two sequences"),
    (r"H5Isearch", r"iteration failed", r".* cb(:-?\d+@([2-9]|\d\d+))? ", "libhdf5 stops at the first object, and says without failing that iteration failed"),
    (r"H5Lunpack_elink_val", r"bad (version number|flags) for external link", r"\w+: \w+ \S+ 0 ", "stock reads the first of no bytes"),
    (r"H5Dget_(num_chunks|chunk_info)", r"(invalid dataspace identifier|not a dataspace ID)", r"\w+: \w+ \S+ 0 ",
     "H5S_ALL, as later releases have it"),
    (r"H5Fget_free_sections", r"unable to get file free sections", r"\w+: \w+ \S+ (-\d+|\d{2,}) ", "stock reads behind a table"),
    (r"H5Pset_layout", r"raw data layout method is not valid", r"\w+: \w+ \S+ (4|H5D_NLAYOUTS)$",
     "H5D_NLAYOUTS of 1.10 is the layout of sparse datasets"),
    (r"H5Pset_(btree_ratios|cache)", r"can't find object for ID", r".* nan\b", "libhdf5 takes what is no number"),
    (r"H5Dgather", r"callback operator returned failure", r".* cb:-1@\d+ ",
     "it is called for elements that stock reads beyond the extent"),
]

KEPT_LIST = "a file keeps a copy of its access list, also of what the application has put into it"

# What a call tells (as in MASKS; cb for what a function is given, st for whether it succeeds) after certain others.
AFTER = [
    (r"H5Iget_name", r"r|name", (r"H5[LG]move", r"H5(Lcreate_hard|Glink|Olink)"),
     "of several names libhdf5 tells the one that was moved, Tessera one that leads there"),
    (r"H5L\w+", r"linfo\.corder(_valid)?|cb", (r"H5(Lcopy|Lmove|Gmove)",),
     "a link that comes into a group without an order keeps its old place in libhdf5's"),
    (r"H5E\w+", r"st", (r"H5Epush2", r"H5Eunregister_class|H5Eclose_msg"), "libhdf5's records keep their class and messages alive"),
    (r"H5F(create|open|get_access_plist)", r"cb", (r"H5P(insert|register)",), KEPT_LIST),
    (r"H5P(exist|get_nprops)", r"r", (r"H5P(insert|register)", r"H5Fget_access_plist"), KEPT_LIST),
    (r"H5Oget_info\w*", r"oinfo\.num_attrs", (r"H5Screate_simple 32 ", r"H5Acreate", r"H5Pset_attr_creation_order"),
     "libhdf5 counts an attribute that it could not make, too large for dense storage"),
    (r"H5F(open|is_hdf5)", r"st|r", (r"H5Pset_fapl_core ",),
     "memory reads what of a file that is open is on disk by then, which is all of a new one here"),
    (r"H5Rget_name", r"r|name", (r"H5[LG]move|H5(Lcopy|Lcreate_hard|Glink|Olink)",), "of several names libhdf5 tells another"),
    (r"H5I((inc|dec|get)_type_ref|clear_type|nmembers|type_exists|destroy_type|register)", r"st|r", (r"H5close",), "libhdf5 still has the types of before"),
]

# Calls that fail without a record of their own, and leave those of the call before: one of libhdf5's, of which it says nothing.
SILENT = r"H5(allocate|resize)_memory|H5dont_atexit|H5FD_hdfs_init"

# What spoils libhdf5 itself; what comes after means nothing. {X} is a label of such a call.
LAST = [
    (r"H5P(register\d?|unregister|close_class|copy_prop) H5P_CLS_.*",
     "libhdf5 takes no list that was made before then, the default ones included"),
    (r"H5(Oclose|Idec_ref) H5T_\w+_g", "libhdf5 says that it fails, and the type is gone"),
    (r"H5(Eclose_msg|Eunregister_class|Idec_ref) H5E_\w+_g", "without its messages libhdf5's records mean nothing"),
    (r"H5Fopen \S+ 16 \S+", "libhdf5 fails, and leaves an empty file"),
    (r"(H5Idec_ref|H5FDunregister) \$(?=({H5FD_\w+_init})\b)\w+", "the driver is gone, also where libhdf5 says that it fails"),
    (r"H5Odecr_refcount .*", "what has no links is freed, also while links lead there, and the root"),
    (r"H5Gcreate\w* .*\$(?=({H5Gget_create_plist .*})\b)\w+.*", "the list has the places of the other group's links, which both have then"),
    (r"H5P(set|add|modify|insert|remove|copy_prop|close|free)\w* H5P_LST_\w+.*",
     "the library's own lists, which no program changes by chance: each library looks at them in other places than the other"),
]

# What has to do with a driver that is not there.
MISSING = r"\w+: (H5FD_ros3_init|H5Pset_fapl_ros3) ?(\$(\w+))?.*"

# Where libhdf5 writes into a buffer that is said to have no room, or gives a text without its end: ours has a part of it.
OVERRUNS = {("H5Aget_name", "buf"), ("H5Pencode", "buf"), ("H5Pget_virtual_filename", "name"), ("H5Pget_virtual_dsetname", "name"),
            ("H5Rget_name", "name"), ("H5Iget_name", "name"), ("H5Pget_chunk", "dim")}
UNTOUCHED = "~"


def named(pattern, function):
    """What later releases have another name for has the rules of the old one, too."""
    return re.fullmatch(pattern, function) or re.fullmatch(pattern, newer.alike(function))


def compare_with_newer():
    """From now on stock is a later release than 1.10."""
    MASKS.extend(newer_masks.MASKS)
    EXCUSED.extend(newer_masks.EXCUSED)
    BECAUSE.extend(newer_masks.BECAUSE)
    OVERRUNS.update(newer_masks.OVERRUNS)


def excused(function, detail, stock, line):
    text = f"{detail} {stock.get('cb', '')}"
    return any(named(name, function) and re.match(what, text) for name, what, _ in EXCUSED) or \
        any(re.match(what, text) and re.fullmatch(call, line.partition(": ")[2]) for call, what, _ in EXCUSED_CALLS)


def because(function, told, program):
    return any(named(name, function) and re.match(what, told) and re.search(where, program)
               for name, what, where, _ in BECAUSE)


def other_fault(function, text, line):
    return any(named(name, function) and re.fullmatch(what, text or "") and re.match(where, line)
               for name, what, where, _ in OTHER_FAULTS)


def silent(function):
    return re.fullmatch(SILENT, function)


def is_last(lines):
    """Whether the last line ends what can be compared."""
    call = lines[-1].partition(": ")[2]
    return any(re.fullmatch(labelled(what, lines), call) for what, _ in LAST)


def has_missing_driver(lines):
    """Whether the last line is about a driver that is not there, or a list that has it."""
    tainted = set()
    for line in lines:
        used = set(re.findall(r"\$(\w+)", line))
        if re.match(MISSING, line) or tainted & used and re.match(r"\w+: H5(Pset_fapl|Pcopy)", line):
            tainted |= used | {line.split(":")[0]}
    return bool(tainted & set(re.findall(r"[$&](\w+)", lines[-1])))


def labelled(pattern, lines):
    """With the labels of the calls that are meant."""
    inner = re.search(r"{(H5.*)}", pattern)
    if not inner:
        return pattern
    labels = [line.partition(":")[0] for line in lines if re.fullmatch(inner.group(1), line.partition(": ")[2])]
    return pattern.replace(inner.group(0), "|".join(labels) or "(?!)")


def after(function, name, lines):
    """What hangs on earlier calls, of which libhdf5 keeps something else in mind."""
    calls = [line.partition(": ")[2] for line in lines[:-1]]
    return any(named(which, function) and re.fullmatch(field, name) and
               all(any(re.match(what, call) for call in calls) for what in earlier) for which, field, earlier, _ in AFTER)


def leaves_nonsense(lines):
    """Whether an object may have lost its last reference while it had a name: what such a file means depends on what was
    written in its place. And whether an external link has no bytes, of which libhdf5 reads the first."""
    if any(re.match(r"\w+: H5Lcreate_ud \S+ \S+ (64|H5L_TYPE_EXTERNAL) \S+ 0 ", line) for line in lines):
        return True
    changes = re.findall(r"H5O(incr|decr)_refcount (\S+)", "\n".join(lines))
    counts = {name: 0 for _, name in changes}
    for change, name in changes:
        counts[name] += 1 if change == "incr" else -1
        if counts[name] < 0:
            return True
    return False


def overrun(function, field, stock, ours):
    if (function, field) not in OVERRUNS:
        return False
    return UNTOUCHED in (stock, ours) or isinstance(ours, str) and str(stock).startswith(ours) and len(str(stock)) == len(ours) + 1


def refused(function, stock, ours):
    """Of a group with a symbol table libhdf5 allows no change while it goes through it. Tessera makes no such groups; when the group
    that comes next is gone, the call fails here only."""
    if not re.fullmatch(r"H5Giterate|H5Literate\w*|H5[LO]visit\w*", function):
        return False
    stock = [told for told in stock if told[0] not in ("H5E_auto1_t", "H5E_auto2_t")]
    first = next(((one, other) for one, other in zip(stock, ours) if one != other), (None, None))
    return first[0] in (["create", -1, -1], ["unlink", -1]) and first[1] in (["create", 1, 0], ["unlink", 0])


def walked_less(function, line, stock, ours):
    """The function of the application stops at a record that one of the two does not have."""
    stop = re.search(r" cb:-?\d+@(\d+)", line)
    return stop and re.fullmatch(r"H5Ewalk\d", function) and \
        min(len(stock.get("cb", [])), len(ours.get("cb", []))) < int(stop.group(1))


@functools.lru_cache(None)
def deliberate(function):
    return any(named(name, function) for name, _ in DELIBERATE)


@functools.lru_cache(None)
def masked(function, field):
    return any(named(name, function) and re.fullmatch(which, field) for name, which, _ in MASKS)
