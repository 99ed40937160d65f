/* Whether settings of the metadata cache make sense: for H5Pset_mdc_config and H5Fset_mdc_config. */
#ifndef TS_API_MDC_CHECK_H
#define TS_API_MDC_CHECK_H

#include "H5ACpublic.h"

int ts_mdc_check(const H5AC_cache_config_t *config);

#endif
