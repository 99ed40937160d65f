/* What H5Iget_type says, in one way: the numbers behind those of datasets changed with 1.12. */
#ifndef ID_TYPES_H
#define ID_TYPES_H

#include <hdf5.h>

static inline const char *id_type(hid_t id)
{
    switch ((int)H5Iget_type(id)) {
    case H5I_ATTR: return "attribute";
    case H5I_VFL: return "driver";
    case H5I_GENPROP_CLS: return "list class";
    case H5I_GENPROP_LST: return "list";
    case H5I_ERROR_CLASS: return "error class";
    case H5I_ERROR_MSG: return "error message";
    case H5I_ERROR_STACK: return "error stack";
    case H5I_BADID: return "none";
    case H5I_FILE: return "file";
    case H5I_GROUP: return "group";
    case H5I_DATATYPE: return "datatype";
    case H5I_DATASPACE: return "dataspace";
    case H5I_DATASET: return "dataset";
    default: return "another";
    }
}

#endif
