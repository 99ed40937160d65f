/*
 * Functions and types that came in several versions. Which one the plain name means is chosen, from strongest to
 * weakest, by H5Xxx_vers, by H5_USE_<release>_API, or is the newest. A function is not touched by the interface of a
 * release older than the function itself.
 */
#ifndef H5version_H
#define H5version_H

#if defined(H5_USE_16_API)
#define H5_API_LEVEL 16
#elif defined(H5_USE_18_API)
#define H5_API_LEVEL 18
#elif defined(H5_USE_110_API)
#define H5_API_LEVEL 110
#elif defined(H5_USE_112_API)
#define H5_API_LEVEL 112
#elif defined(H5_USE_114_API)
#define H5_API_LEVEL 114
#elif defined(H5_USE_200_API)
#define H5_API_LEVEL 200
#else
#define H5_API_LEVEL 114
#endif

#if H5_API_LEVEL < 114 && defined(H5_NO_DEPRECATED_SYMBOLS)
#error "the interface of an older release needs the deprecated functions"
#endif

#ifndef H5Acreate_vers
#if H5_API_LEVEL < 18
#define H5Acreate_vers 1
#else
#define H5Acreate_vers 2
#endif
#endif
#if H5Acreate_vers == 1
#define H5Acreate H5Acreate1
#elif H5Acreate_vers == 2
#define H5Acreate H5Acreate2
#else
#error "H5Acreate_vers: no such version"
#endif

#ifndef H5Aiterate_vers
#if H5_API_LEVEL < 18
#define H5Aiterate_vers 1
#else
#define H5Aiterate_vers 2
#endif
#endif
#if H5Aiterate_vers == 1
#define H5Aiterate H5Aiterate1
#define H5A_operator_t H5A_operator1_t
#elif H5Aiterate_vers == 2
#define H5Aiterate H5Aiterate2
#define H5A_operator_t H5A_operator2_t
#else
#error "H5Aiterate_vers: no such version"
#endif

#ifndef H5Dcreate_vers
#if H5_API_LEVEL < 18
#define H5Dcreate_vers 1
#else
#define H5Dcreate_vers 2
#endif
#endif
#if H5Dcreate_vers == 1
#define H5Dcreate H5Dcreate1
#elif H5Dcreate_vers == 2
#define H5Dcreate H5Dcreate2
#else
#error "H5Dcreate_vers: no such version"
#endif

#ifndef H5Dopen_vers
#if H5_API_LEVEL < 18
#define H5Dopen_vers 1
#else
#define H5Dopen_vers 2
#endif
#endif
#if H5Dopen_vers == 1
#define H5Dopen H5Dopen1
#elif H5Dopen_vers == 2
#define H5Dopen H5Dopen2
#else
#error "H5Dopen_vers: no such version"
#endif

#ifndef H5Dread_chunk_vers
#if H5_API_LEVEL < 200
#define H5Dread_chunk_vers 1
#else
#define H5Dread_chunk_vers 2
#endif
#endif
#if H5Dread_chunk_vers == 1
#define H5Dread_chunk H5Dread_chunk1
#elif H5Dread_chunk_vers == 2
#define H5Dread_chunk H5Dread_chunk2
#else
#error "H5Dread_chunk_vers: no such version"
#endif

#ifndef H5Eclear_vers
#if H5_API_LEVEL < 18
#define H5Eclear_vers 1
#else
#define H5Eclear_vers 2
#endif
#endif
#if H5Eclear_vers == 1
#define H5Eclear H5Eclear1
#elif H5Eclear_vers == 2
#define H5Eclear H5Eclear2
#else
#error "H5Eclear_vers: no such version"
#endif

#ifndef H5Eget_auto_vers
#if H5_API_LEVEL < 18
#define H5Eget_auto_vers 1
#else
#define H5Eget_auto_vers 2
#endif
#endif
#if H5Eget_auto_vers == 1
#define H5Eget_auto H5Eget_auto1
#elif H5Eget_auto_vers == 2
#define H5Eget_auto H5Eget_auto2
#else
#error "H5Eget_auto_vers: no such version"
#endif

#ifndef H5Eprint_vers
#if H5_API_LEVEL < 18
#define H5Eprint_vers 1
#else
#define H5Eprint_vers 2
#endif
#endif
#if H5Eprint_vers == 1
#define H5Eprint H5Eprint1
#elif H5Eprint_vers == 2
#define H5Eprint H5Eprint2
#else
#error "H5Eprint_vers: no such version"
#endif

#ifndef H5Epush_vers
#if H5_API_LEVEL < 18
#define H5Epush_vers 1
#else
#define H5Epush_vers 2
#endif
#endif
#if H5Epush_vers == 1
#define H5Epush H5Epush1
#elif H5Epush_vers == 2
#define H5Epush H5Epush2
#else
#error "H5Epush_vers: no such version"
#endif

#ifndef H5Eset_auto_vers
#if H5_API_LEVEL < 18
#define H5Eset_auto_vers 1
#else
#define H5Eset_auto_vers 2
#endif
#endif
#if H5Eset_auto_vers == 1
#define H5Eset_auto H5Eset_auto1
#elif H5Eset_auto_vers == 2
#define H5Eset_auto H5Eset_auto2
#else
#error "H5Eset_auto_vers: no such version"
#endif

#ifndef H5Ewalk_vers
#if H5_API_LEVEL < 18
#define H5Ewalk_vers 1
#else
#define H5Ewalk_vers 2
#endif
#endif
#if H5Ewalk_vers == 1
#define H5Ewalk H5Ewalk1
#define H5E_error_t H5E_error1_t
#define H5E_walk_t H5E_walk1_t
#elif H5Ewalk_vers == 2
#define H5Ewalk H5Ewalk2
#define H5E_error_t H5E_error2_t
#define H5E_walk_t H5E_walk2_t
#else
#error "H5Ewalk_vers: no such version"
#endif

#ifndef H5Fget_info_vers
#if H5_API_LEVEL >= 18 && H5_API_LEVEL < 110
#define H5Fget_info_vers 1
#else
#define H5Fget_info_vers 2
#endif
#endif
#if H5Fget_info_vers == 1
#define H5Fget_info H5Fget_info1
#define H5F_info_t H5F_info1_t
#elif H5Fget_info_vers == 2
#define H5Fget_info H5Fget_info2
#define H5F_info_t H5F_info2_t
#else
#error "H5Fget_info_vers: no such version"
#endif

#ifndef H5Gcreate_vers
#if H5_API_LEVEL < 18
#define H5Gcreate_vers 1
#else
#define H5Gcreate_vers 2
#endif
#endif
#if H5Gcreate_vers == 1
#define H5Gcreate H5Gcreate1
#elif H5Gcreate_vers == 2
#define H5Gcreate H5Gcreate2
#else
#error "H5Gcreate_vers: no such version"
#endif

#ifndef H5Gopen_vers
#if H5_API_LEVEL < 18
#define H5Gopen_vers 1
#else
#define H5Gopen_vers 2
#endif
#endif
#if H5Gopen_vers == 1
#define H5Gopen H5Gopen1
#elif H5Gopen_vers == 2
#define H5Gopen H5Gopen2
#else
#error "H5Gopen_vers: no such version"
#endif

#ifndef H5Iregister_type_vers
#if H5_API_LEVEL < 200
#define H5Iregister_type_vers 1
#else
#define H5Iregister_type_vers 2
#endif
#endif
#if H5Iregister_type_vers == 1
#define H5Iregister_type H5Iregister_type1
#elif H5Iregister_type_vers == 2
#define H5Iregister_type H5Iregister_type2
#else
#error "H5Iregister_type_vers: no such version"
#endif

#ifndef H5Lget_info_vers
#if H5_API_LEVEL >= 18 && H5_API_LEVEL < 112
#define H5Lget_info_vers 1
#else
#define H5Lget_info_vers 2
#endif
#endif
#if H5Lget_info_vers == 1
#define H5Lget_info H5Lget_info1
#define H5L_info_t H5L_info1_t
#elif H5Lget_info_vers == 2
#define H5Lget_info H5Lget_info2
#define H5L_info_t H5L_info2_t
#else
#error "H5Lget_info_vers: no such version"
#endif

#ifndef H5Lget_info_by_idx_vers
#if H5_API_LEVEL >= 18 && H5_API_LEVEL < 112
#define H5Lget_info_by_idx_vers 1
#else
#define H5Lget_info_by_idx_vers 2
#endif
#endif
#if H5Lget_info_by_idx_vers == 1
#define H5Lget_info_by_idx H5Lget_info_by_idx1
#elif H5Lget_info_by_idx_vers == 2
#define H5Lget_info_by_idx H5Lget_info_by_idx2
#else
#error "H5Lget_info_by_idx_vers: no such version"
#endif

#ifndef H5Literate_vers
#if H5_API_LEVEL >= 18 && H5_API_LEVEL < 112
#define H5Literate_vers 1
#else
#define H5Literate_vers 2
#endif
#endif
#if H5Literate_vers == 1
#define H5Literate H5Literate1
#define H5L_iterate_t H5L_iterate1_t
#elif H5Literate_vers == 2
#define H5Literate H5Literate2
#define H5L_iterate_t H5L_iterate2_t
#else
#error "H5Literate_vers: no such version"
#endif

#ifndef H5Literate_by_name_vers
#if H5_API_LEVEL >= 18 && H5_API_LEVEL < 112
#define H5Literate_by_name_vers 1
#else
#define H5Literate_by_name_vers 2
#endif
#endif
#if H5Literate_by_name_vers == 1
#define H5Literate_by_name H5Literate_by_name1
#elif H5Literate_by_name_vers == 2
#define H5Literate_by_name H5Literate_by_name2
#else
#error "H5Literate_by_name_vers: no such version"
#endif

#ifndef H5Lvisit_vers
#if H5_API_LEVEL >= 18 && H5_API_LEVEL < 112
#define H5Lvisit_vers 1
#else
#define H5Lvisit_vers 2
#endif
#endif
#if H5Lvisit_vers == 1
#define H5Lvisit H5Lvisit1
#elif H5Lvisit_vers == 2
#define H5Lvisit H5Lvisit2
#else
#error "H5Lvisit_vers: no such version"
#endif

#ifndef H5Lvisit_by_name_vers
#if H5_API_LEVEL >= 18 && H5_API_LEVEL < 112
#define H5Lvisit_by_name_vers 1
#else
#define H5Lvisit_by_name_vers 2
#endif
#endif
#if H5Lvisit_by_name_vers == 1
#define H5Lvisit_by_name H5Lvisit_by_name1
#elif H5Lvisit_by_name_vers == 2
#define H5Lvisit_by_name H5Lvisit_by_name2
#else
#error "H5Lvisit_by_name_vers: no such version"
#endif

#ifndef H5Oget_info_vers
#if H5_API_LEVEL >= 18 && H5_API_LEVEL < 112
#define H5Oget_info_vers 1
#else
#define H5Oget_info_vers 3
#endif
#endif
#if H5Oget_info_vers == 1
#define H5Oget_info H5Oget_info1
#elif H5Oget_info_vers == 2
#define H5Oget_info H5Oget_info2
#elif H5Oget_info_vers == 3
#define H5Oget_info H5Oget_info3
#else
#error "H5Oget_info_vers: no such version"
#endif

/* The struct that the function fills in, unless another is asked for. */
#ifndef H5O_info_t_vers
#if H5Oget_info_vers < 3
#define H5O_info_t_vers 1
#else
#define H5O_info_t_vers 2
#endif
#endif
#if H5O_info_t_vers == 1
#define H5O_info_t H5O_info1_t
#elif H5O_info_t_vers == 2
#define H5O_info_t H5O_info2_t
#else
#error "H5O_info_t_vers: no such version"
#endif

#ifndef H5Oget_info_by_idx_vers
#if H5_API_LEVEL >= 18 && H5_API_LEVEL < 112
#define H5Oget_info_by_idx_vers 1
#else
#define H5Oget_info_by_idx_vers 3
#endif
#endif
#if H5Oget_info_by_idx_vers == 1
#define H5Oget_info_by_idx H5Oget_info_by_idx1
#elif H5Oget_info_by_idx_vers == 2
#define H5Oget_info_by_idx H5Oget_info_by_idx2
#elif H5Oget_info_by_idx_vers == 3
#define H5Oget_info_by_idx H5Oget_info_by_idx3
#else
#error "H5Oget_info_by_idx_vers: no such version"
#endif

#ifndef H5Oget_info_by_name_vers
#if H5_API_LEVEL >= 18 && H5_API_LEVEL < 112
#define H5Oget_info_by_name_vers 1
#else
#define H5Oget_info_by_name_vers 3
#endif
#endif
#if H5Oget_info_by_name_vers == 1
#define H5Oget_info_by_name H5Oget_info_by_name1
#elif H5Oget_info_by_name_vers == 2
#define H5Oget_info_by_name H5Oget_info_by_name2
#elif H5Oget_info_by_name_vers == 3
#define H5Oget_info_by_name H5Oget_info_by_name3
#else
#error "H5Oget_info_by_name_vers: no such version"
#endif

#ifndef H5Ovisit_vers
#if H5_API_LEVEL >= 18 && H5_API_LEVEL < 112
#define H5Ovisit_vers 1
#else
#define H5Ovisit_vers 3
#endif
#endif
#if H5Ovisit_vers == 1
#define H5Ovisit H5Ovisit1
#elif H5Ovisit_vers == 2
#define H5Ovisit H5Ovisit2
#elif H5Ovisit_vers == 3
#define H5Ovisit H5Ovisit3
#else
#error "H5Ovisit_vers: no such version"
#endif

/* Likewise. */
#ifndef H5O_iterate_t_vers
#if H5Ovisit_vers < 3
#define H5O_iterate_t_vers 1
#else
#define H5O_iterate_t_vers 2
#endif
#endif
#if H5O_iterate_t_vers == 1
#define H5O_iterate_t H5O_iterate1_t
#elif H5O_iterate_t_vers == 2
#define H5O_iterate_t H5O_iterate2_t
#else
#error "H5O_iterate_t_vers: no such version"
#endif

#ifndef H5Ovisit_by_name_vers
#if H5_API_LEVEL >= 18 && H5_API_LEVEL < 112
#define H5Ovisit_by_name_vers 1
#else
#define H5Ovisit_by_name_vers 3
#endif
#endif
#if H5Ovisit_by_name_vers == 1
#define H5Ovisit_by_name H5Ovisit_by_name1
#elif H5Ovisit_by_name_vers == 2
#define H5Ovisit_by_name H5Ovisit_by_name2
#elif H5Ovisit_by_name_vers == 3
#define H5Ovisit_by_name H5Ovisit_by_name3
#else
#error "H5Ovisit_by_name_vers: no such version"
#endif

#ifndef H5Pencode_vers
#if H5_API_LEVEL >= 18 && H5_API_LEVEL < 112
#define H5Pencode_vers 1
#else
#define H5Pencode_vers 2
#endif
#endif
#if H5Pencode_vers == 1
#define H5Pencode H5Pencode1
#elif H5Pencode_vers == 2
#define H5Pencode H5Pencode2
#else
#error "H5Pencode_vers: no such version"
#endif

#ifndef H5Pget_filter_vers
#if H5_API_LEVEL < 18
#define H5Pget_filter_vers 1
#else
#define H5Pget_filter_vers 2
#endif
#endif
#if H5Pget_filter_vers == 1
#define H5Pget_filter H5Pget_filter1
#elif H5Pget_filter_vers == 2
#define H5Pget_filter H5Pget_filter2
#else
#error "H5Pget_filter_vers: no such version"
#endif

#ifndef H5Pget_filter_by_id_vers
#if H5_API_LEVEL < 18
#define H5Pget_filter_by_id_vers 1
#else
#define H5Pget_filter_by_id_vers 2
#endif
#endif
#if H5Pget_filter_by_id_vers == 1
#define H5Pget_filter_by_id H5Pget_filter_by_id1
#elif H5Pget_filter_by_id_vers == 2
#define H5Pget_filter_by_id H5Pget_filter_by_id2
#else
#error "H5Pget_filter_by_id_vers: no such version"
#endif

#ifndef H5Pinsert_vers
#if H5_API_LEVEL < 18
#define H5Pinsert_vers 1
#else
#define H5Pinsert_vers 2
#endif
#endif
#if H5Pinsert_vers == 1
#define H5Pinsert H5Pinsert1
#elif H5Pinsert_vers == 2
#define H5Pinsert H5Pinsert2
#else
#error "H5Pinsert_vers: no such version"
#endif

#ifndef H5Pregister_vers
#if H5_API_LEVEL < 18
#define H5Pregister_vers 1
#else
#define H5Pregister_vers 2
#endif
#endif
#if H5Pregister_vers == 1
#define H5Pregister H5Pregister1
#elif H5Pregister_vers == 2
#define H5Pregister H5Pregister2
#else
#error "H5Pregister_vers: no such version"
#endif

#ifndef H5Rdereference_vers
#if H5_API_LEVEL < 110
#define H5Rdereference_vers 1
#else
#define H5Rdereference_vers 2
#endif
#endif
#if H5Rdereference_vers == 1
#define H5Rdereference H5Rdereference1
#elif H5Rdereference_vers == 2
#define H5Rdereference H5Rdereference2
#else
#error "H5Rdereference_vers: no such version"
#endif

#ifndef H5Rget_obj_type_vers
#if H5_API_LEVEL < 18
#define H5Rget_obj_type_vers 1
#else
#define H5Rget_obj_type_vers 2
#endif
#endif
#if H5Rget_obj_type_vers == 1
#define H5Rget_obj_type H5Rget_obj_type1
#elif H5Rget_obj_type_vers == 2
#define H5Rget_obj_type H5Rget_obj_type2
#else
#error "H5Rget_obj_type_vers: no such version"
#endif

#ifndef H5Sencode_vers
#if H5_API_LEVEL >= 18 && H5_API_LEVEL < 112
#define H5Sencode_vers 1
#else
#define H5Sencode_vers 2
#endif
#endif
#if H5Sencode_vers == 1
#define H5Sencode H5Sencode1
#elif H5Sencode_vers == 2
#define H5Sencode H5Sencode2
#else
#error "H5Sencode_vers: no such version"
#endif

#ifndef H5Tarray_create_vers
#if H5_API_LEVEL < 18
#define H5Tarray_create_vers 1
#else
#define H5Tarray_create_vers 2
#endif
#endif
#if H5Tarray_create_vers == 1
#define H5Tarray_create H5Tarray_create1
#elif H5Tarray_create_vers == 2
#define H5Tarray_create H5Tarray_create2
#else
#error "H5Tarray_create_vers: no such version"
#endif

#ifndef H5Tcommit_vers
#if H5_API_LEVEL < 18
#define H5Tcommit_vers 1
#else
#define H5Tcommit_vers 2
#endif
#endif
#if H5Tcommit_vers == 1
#define H5Tcommit H5Tcommit1
#elif H5Tcommit_vers == 2
#define H5Tcommit H5Tcommit2
#else
#error "H5Tcommit_vers: no such version"
#endif

#ifndef H5Tget_array_dims_vers
#if H5_API_LEVEL < 18
#define H5Tget_array_dims_vers 1
#else
#define H5Tget_array_dims_vers 2
#endif
#endif
#if H5Tget_array_dims_vers == 1
#define H5Tget_array_dims H5Tget_array_dims1
#elif H5Tget_array_dims_vers == 2
#define H5Tget_array_dims H5Tget_array_dims2
#else
#error "H5Tget_array_dims_vers: no such version"
#endif

#ifndef H5Tdecode_vers
#if H5_API_LEVEL < 200
#define H5Tdecode_vers 1
#else
#define H5Tdecode_vers 2
#endif
#endif
#if H5Tdecode_vers == 1
#define H5Tdecode H5Tdecode1
#elif H5Tdecode_vers == 2
#define H5Tdecode H5Tdecode2
#else
#error "H5Tdecode_vers: no such version"
#endif

#ifndef H5Topen_vers
#if H5_API_LEVEL < 18
#define H5Topen_vers 1
#else
#define H5Topen_vers 2
#endif
#endif
#if H5Topen_vers == 1
#define H5Topen H5Topen1
#elif H5Topen_vers == 2
#define H5Topen H5Topen2
#else
#error "H5Topen_vers: no such version"
#endif

#ifndef H5E_auto_t_vers
#if H5_API_LEVEL < 18
#define H5E_auto_t_vers 1
#else
#define H5E_auto_t_vers 2
#endif
#endif
#if H5E_auto_t_vers == 1
#define H5E_auto_t H5E_auto1_t
#elif H5E_auto_t_vers == 2
#define H5E_auto_t H5E_auto2_t
#else
#error "H5E_auto_t_vers: no such version"
#endif

#ifndef H5Z_class_t_vers
#if H5_API_LEVEL < 18
#define H5Z_class_t_vers 1
#else
#define H5Z_class_t_vers 2
#endif
#endif
#if H5Z_class_t_vers == 1
#define H5Z_class_t H5Z_class1_t
#elif H5Z_class_t_vers == 2
#define H5Z_class_t H5Z_class2_t
#else
#error "H5Z_class_t_vers: no such version"
#endif

#endif
