/* The library's major and minor error codes with the text that H5Eget_msg returns for them (in it, base/abi.h is
 * needed). */
#ifndef TS_BASE_ERROR_CODES_H
#define TS_BASE_ERROR_CODES_H

#define TS_MAJORS(X)                                                                                                   \
    X(FUNC, "Function entry/exit")                                                                                     \
    X(FILE, "File accessibility")                                                                                      \
    X(SOHM, "Shared Object Header Messages")                                                                           \
    X(SYM, "Symbol table")                                                                                             \
    X(PLUGIN, "Plugin for dynamically loaded library")                                                                 \
    X(VFL, "Virtual File Layer")                                                                                       \
    X(INTERNAL, "Internal error (too specific to document in detail)")                                                 \
    X(BTREE, "B-Tree node")                                                                                            \
    X(REFERENCE, "References")                                                                                         \
    X(DATASPACE, "Dataspace")                                                                                          \
    X(RESOURCE, "Resource unavailable")                                                                                \
    X(RS, "Reference Counted Strings")                                                                                 \
    X(FARRAY, "Fixed Array")                                                                                           \
    X(HEAP, "Heap")                                                                                                    \
    X(ATTR, "Attribute")                                                                                               \
    X(IO, "Low-level I/O")                                                                                             \
    X(EFL, "External file list")                                                                                       \
    X(TST, "Ternary Search Trees")                                                                                     \
    X(PAGEBUF, "Page Buffering")                                                                                       \
    X(FSPACE, "Free Space Manager")                                                                                    \
    X(DATASET, "Dataset")                                                                                              \
    X(STORAGE, "Data storage")                                                                                         \
    X(LINK, "Links")                                                                                                   \
    X(PLIST, "Property lists")                                                                                         \
    X(DATATYPE, "Datatype")                                                                                            \
    X(OHDR, "Object header")                                                                                           \
    X(ATOM, "Object " TS_ABI_ATOM)                                                                                     \
    X(NONE_MAJOR, "No error")                                                                                          \
    X(SLIST, "Skip Lists")                                                                                             \
    X(ARGS, "Invalid arguments to routine")                                                                            \
    X(CONTEXT, "API Context")                                                                                          \
    X(EARRAY, "Extensible Array")                                                                                      \
    X(PLINE, "Data filters")                                                                                           \
    X(ERROR, "Error API")                                                                                              \
    X(CACHE, "Object cache")                                                                                           \
    X(VOL, "Virtual Object Layer")                                                                                     \
    X(LIB, "General library infrastructure")                                                                           \
    X(ID, "Object ID")                                                                                                 \
    X(EVENTSET, "Event Set")                                                                                           \
    X(RTREE, "R-Tree spatial index")                                                                                   \
    X(THREADSAFE, "Threadsafety")                                                                                      \
    X(MAP, "Map")

#define TS_MINORS(X)                                                                                                   \
    X(SEEKERROR, "Seek failed")                                                                                        \
    X(READERROR, "Read failed")                                                                                        \
    X(WRITEERROR, "Write failed")                                                                                      \
    X(CLOSEERROR, "Close failed")                                                                                      \
    X(OVERFLOW, "Address overflowed")                                                                                  \
    X(FCNTL, "File control (fcntl) failed")                                                                            \
    X(NOSPACE, "No space available for allocation")                                                                    \
    X(CANTALLOC, "Can't allocate space")                                                                               \
    X(CANTCOPY, "Unable to copy object")                                                                               \
    X(CANTFREE, "Unable to free object")                                                                               \
    X(ALREADYEXISTS, "Object already exists")                                                                          \
    X(CANTLOCK, "Unable to lock object")                                                                               \
    X(CANTUNLOCK, "Unable to unlock object")                                                                           \
    X(CANTGC, "Unable to garbage collect")                                                                             \
    X(CANTGETSIZE, "Unable to compute size")                                                                           \
    X(OBJOPEN, "Object is already open")                                                                               \
    X(CANTRESTORE, "Can't restore condition")                                                                          \
    X(CANTCOMPUTE, "Can't compute value")                                                                              \
    X(CANTEXTEND, "Can't extend heap's space")                                                                         \
    X(CANTATTACH, "Can't attach object")                                                                               \
    X(CANTUPDATE, "Can't update object")                                                                               \
    X(CANTOPERATE, "Can't operate on object")                                                                          \
    X(CANTINIT, "Unable to initialize object")                                                                         \
    X(ALREADYINIT, "Object already initialized")                                                                       \
    X(CANTRELEASE, "Unable to release object")                                                                         \
    X(CANTGET, "Can't get value")                                                                                      \
    X(CANTSET, "Can't set value")                                                                                      \
    X(DUPCLASS, "Duplicate class name in parent class")                                                                \
    X(SETDISALLOWED, "Disallowed operation")                                                                           \
    X(CANTMERGE, "Can't merge objects")                                                                                \
    X(CANTREVIVE, "Can't revive object")                                                                               \
    X(CANTSHRINK, "Can't shrink container")                                                                            \
    X(LINKCOUNT, "Bad object header link count")                                                                       \
    X(VERSION, "Wrong version number")                                                                                 \
    X(ALIGNMENT, "Alignment error")                                                                                    \
    X(BADMESG, "Unrecognized message")                                                                                 \
    X(CANTDELETE, "Can't delete message")                                                                              \
    X(BADITER, "Iteration failed")                                                                                     \
    X(CANTPACK, "Can't pack messages")                                                                                 \
    X(CANTRESET, "Can't reset object")                                                                                 \
    X(CANTRENAME, "Unable to rename object")                                                                           \
    X(SYSERRSTR, "System error message")                                                                               \
    X(NOFILTER, "Requested filter is not available")                                                                   \
    X(CALLBACK, "Callback failed")                                                                                     \
    X(CANAPPLY, "Error from filter 'can apply' callback")                                                              \
    X(SETLOCAL, "Error from filter 'set local' callback")                                                              \
    X(NOENCODER, "Filter present but encoding disabled")                                                               \
    X(CANTFILTER, "Filter operation failed")                                                                           \
    X(CANTOPENOBJ, "Can't open object")                                                                                \
    X(CANTCLOSEOBJ, "Can't close object")                                                                              \
    X(COMPLEN, "Name component is too long")                                                                           \
    X(PATH, "Problem with path to object")                                                                             \
    X(NONE_MINOR, "No error")                                                                                          \
    X(OPENERROR, "Can't open directory or file")                                                                       \
    X(FILEEXISTS, "File already exists")                                                                               \
    X(FILEOPEN, "File already open")                                                                                   \
    X(CANTCREATE, "Unable to create file")                                                                             \
    X(CANTOPENFILE, "Unable to open file")                                                                             \
    X(CANTCLOSEFILE, "Unable to close file")                                                                           \
    X(NOTHDF5, "Not an HDF5 file")                                                                                     \
    X(BADFILE, "Bad file ID accessed")                                                                                 \
    X(TRUNCATED, "File has been truncated")                                                                            \
    X(MOUNT, "File mount error")                                                                                       \
    X(CANTLOCKFILE, "Unable to lock file")                                                                             \
    X(CANTUNLOCKFILE, "Unable to unlock file")                                                                         \
    X(CANTDELETEFILE, "Unable to delete file")                                                                         \
    X(UNMOUNT, "File unmount error")                                                                                   \
    X(BADATOM, "Unable to find " TS_ABI_ATOM " information (already closed?)")                                         \
    X(BADGROUP, "Unable to find ID group information")                                                                 \
    X(CANTREGISTER, "Unable to register new " TS_ABI_ATOM)                                                             \
    X(CANTINC, "Unable to increment reference count")                                                                  \
    X(CANTDEC, "Unable to decrement reference count")                                                                  \
    X(NOIDS, "Out of IDs for group")                                                                                   \
    X(CANTFLUSH, "Unable to flush data from cache")                                                                    \
    X(CANTUNSERIALIZE, "Unable to mark metadata as unserialized")                                                      \
    X(CANTSERIALIZE, "Unable to serialize data from cache")                                                            \
    X(CANTTAG, "Unable to tag metadata in the cache")                                                                  \
    X(CANTLOAD, "Unable to load metadata into cache")                                                                  \
    X(PROTECT, "Protected metadata error")                                                                             \
    X(NOTCACHED, "Metadata not currently cached")                                                                      \
    X(SYSTEM, "Internal error detected")                                                                               \
    X(CANTINS, "Unable to insert metadata into cache")                                                                 \
    X(CANTPROTECT, "Unable to protect metadata")                                                                       \
    X(CANTUNPROTECT, "Unable to unprotect metadata")                                                                   \
    X(CANTPIN, "Unable to pin cache entry")                                                                            \
    X(CANTUNPIN, "Unable to un-pin cache entry")                                                                       \
    X(CANTMARKDIRTY, "Unable to mark a pinned entry as dirty")                                                         \
    X(CANTMARKCLEAN, "Unable to mark a pinned entry as clean")                                                         \
    X(CANTMARKUNSERIALIZED, "Unable to mark an entry as unserialized")                                                 \
    X(CANTMARKSERIALIZED, "Unable to mark an entry as serialized")                                                     \
    X(CANTDIRTY, "Unable to mark metadata as dirty")                                                                   \
    X(CANTCLEAN, "Unable to mark metadata as clean")                                                                   \
    X(CANTEXPUNGE, "Unable to expunge a metadata cache entry")                                                         \
    X(CANTRESIZE, "Unable to resize a metadata cache entry")                                                           \
    X(CANTDEPEND, "Unable to create a flush dependency")                                                               \
    X(CANTUNDEPEND, "Unable to destroy a flush dependency")                                                            \
    X(CANTNOTIFY, "Unable to notify object about action")                                                              \
    X(LOGGING, "Failure in the cache logging framework")                                                               \
    X(LOGFAIL, "old H5E_LOGGING_g (maintained for binary compatibility)")                                              \
    X(CANTCORK, "Unable to cork an object")                                                                            \
    X(CANTUNCORK, "Unable to uncork an object")                                                                        \
    X(TRAVERSE, "Link traversal failure")                                                                              \
    X(NLINKS, "Too many soft links in path")                                                                           \
    X(NOTREGISTERED, "Link class not registered")                                                                      \
    X(CANTMOVE, "Can't move object")                                                                                   \
    X(CANTSORT, "Can't sort objects")                                                                                  \
    X(MPI, "Some MPI function failed")                                                                                 \
    X(MPIERRSTR, "MPI Error String")                                                                                   \
    X(CANTRECV, "Can't receive data")                                                                                  \
    X(CANTGATHER, "Can't gather data")                                                                                 \
    X(NO_INDEPENDENT, "Can't perform independent IO")                                                                  \
    X(CANTCLIP, "Can't clip hyperslab region")                                                                         \
    X(CANTCOUNT, "Can't count elements")                                                                               \
    X(CANTSELECT, "Can't select hyperslab")                                                                            \
    X(CANTNEXT, "Can't move to next iterator location")                                                                \
    X(BADSELECT, "Invalid selection")                                                                                  \
    X(CANTCOMPARE, "Can't compare objects")                                                                            \
    X(INCONSISTENTSTATE, "Internal states are inconsistent")                                                           \
    X(CANTAPPEND, "Can't append object")                                                                               \
    X(UNINITIALIZED, "Information is uinitialized")                                                                    \
    X(UNSUPPORTED, "Feature is unsupported")                                                                           \
    X(BADTYPE, "Inappropriate type")                                                                                   \
    X(BADRANGE, "Out of range")                                                                                        \
    X(BADVALUE, "Bad value")                                                                                           \
    X(NOTFOUND, "Object not found")                                                                                    \
    X(EXISTS, "Object already exists")                                                                                 \
    X(CANTENCODE, "Unable to encode value")                                                                            \
    X(CANTDECODE, "Unable to decode value")                                                                            \
    X(CANTSPLIT, "Unable to split node")                                                                               \
    X(CANTREDISTRIBUTE, "Unable to redistribute records")                                                              \
    X(CANTSWAP, "Unable to swap records")                                                                              \
    X(CANTINSERT, "Unable to insert object")                                                                           \
    X(CANTLIST, "Unable to list node")                                                                                 \
    X(CANTMODIFY, "Unable to modify record")                                                                           \
    X(CANTREMOVE, "Unable to remove object")                                                                           \
    X(CANTCONVERT, "Can't convert datatypes")                                                                          \
    X(BADSIZE, "Bad size for object")                                                                                  \
    X(BADID, "Unable to find ID information (already closed?)")                                                        \
    X(CANTPUT, "Can't put value")                                                                                      \
    X(CANTFIND, "Unable to check for record")                                                                          \
    X(CANTWAIT, "Can't wait on operation")                                                                             \
    X(CANTCANCEL, "Can't cancel operation")

#endif
