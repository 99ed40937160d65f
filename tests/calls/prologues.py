"""How programs begin: files with something in them."""

EMPTY = """
f: H5Fcreate "f0.h5" H5F_ACC_TRUNC 0 0
"""

LATEST = """
fapl: H5Pcreate H5P_CLS_FILE_ACCESS_ID_g
bounds: H5Pset_libver_bounds $fapl H5F_LIBVER_V110 H5F_LIBVER_V110
f: H5Fcreate "f0.h5" H5F_ACC_TRUNC 0 $fapl
"""

ORDERED = """
fcpl: H5Pcreate H5P_CLS_FILE_CREATE_ID_g
lo: H5Pset_link_creation_order $fcpl 3
ao: H5Pset_attr_creation_order $fcpl 3
fpc: H5Pset_link_phase_change $fcpl 4 2
f: H5Fcreate "f0.h5" H5F_ACC_TRUNC $fcpl 0
"""

MEMORY = """
fapl: H5Pcreate H5P_CLS_FILE_ACCESS_ID_g
core: H5Pset_fapl_core $fapl 65536 1
f: H5Fcreate "f0.h5" H5F_ACC_TRUNC 0 $fapl
"""

OBJECTS = """
g1: H5Gcreate2 $f "g1" 0 0 0
g2: H5Gcreate2 $f "g1/g2" 0 0 0
s: H5Screate_simple 2 [4,6] NULL
d_int: H5Dcreate2 $f "d_int" H5T_STD_I32LE_g $s 0 0 0
w_int: H5Dwrite $d_int H5T_NATIVE_INT_g 0 0 0 data:1
a0: H5Acreate2 $d_int "a0" H5T_NATIVE_INT_g $s 0 0
aw: H5Awrite $a0 H5T_NATIVE_INT_g data:2
ag: H5Acreate2 $g1 "a1" H5T_IEEE_F32LE_g $s 0 0
soft: H5Lcreate_soft "g1/g2" $f "soft" 0 0
dangling: H5Lcreate_soft "nothing" $f "dangling" 0 0
external: H5Lcreate_external "f1.h5" "/" $f "external" 0 0
hard: H5Lcreate_hard $f "d_int" $g1 "d_inner" 0 0
up: H5Lcreate_hard $f "/" $g1 "up" 0 0
"""

DATASETS = """
su: H5Screate_simple 2 [4,6] [18446744073709551615,12]
dcpl: H5Pcreate H5P_CLS_DATASET_CREATE_ID_g
ch: H5Pset_chunk $dcpl 2 [2,3]
sh: H5Pset_shuffle $dcpl
de: H5Pset_deflate $dcpl 4
d_chunk: H5Dcreate2 $f "d_chunk" H5T_STD_I16BE_g $su 0 $dcpl 0
w_chunk: H5Dwrite $d_chunk H5T_NATIVE_INT_g 0 0 0 data:3
dcpl2: H5Pcreate H5P_CLS_DATASET_CREATE_ID_g
co: H5Pset_layout $dcpl2 H5D_COMPACT
d_compact: H5Dcreate2 $f "d_compact" H5T_IEEE_F64LE_g $s 0 $dcpl2 0
st: H5Tcopy H5T_C_S1_g
sv: H5Tset_size $st -1
s1: H5Screate_simple 1 [3] NULL
d_text: H5Dcreate2 $f "d_text" $st $s1 0 0 0
w_text: H5Dwrite $d_text $st 0 0 0 data:4
a_text: H5Acreate2 $d_text "a_text" $st $s1 0 0
dcpl3: H5Pcreate H5P_CLS_DATASET_CREATE_ID_g
ch3: H5Pset_chunk $dcpl3 1 [2]
d_fixed: H5Dcreate2 $f "d_fixed" H5T_NATIVE_FLOAT_g $s1 0 $dcpl3 0
sc: H5Screate H5S_SCALAR
d_scalar: H5Dcreate2 $f "d_scalar" H5T_NATIVE_INT_g $sc 0 0 0
sn: H5Screate H5S_NULL
d_null: H5Dcreate2 $f "d_null" H5T_NATIVE_INT_g $sn 0 0 0
"""

TYPES = """
comp: H5Tcreate H5T_COMPOUND 16
m0: H5Tinsert $comp "m0" 0 H5T_NATIVE_INT_g
m1: H5Tinsert $comp "m1" 8 H5T_NATIVE_DOUBLE_g
d_comp: H5Dcreate2 $f "d_comp" $comp $s1 0 0 0
w_comp: H5Dwrite $d_comp $comp 0 0 0 data:5
vl: H5Tvlen_create H5T_NATIVE_INT_g
d_vlen: H5Dcreate2 $f "d_vlen" $vl $s1 0 0 0
w_vlen: H5Dwrite $d_vlen $vl 0 0 0 data:6
en: H5Tenum_create H5T_NATIVE_SCHAR_g
e0: H5Tenum_insert $en "RED" raw:1
d_enum: H5Dcreate2 $f "d_enum" $en $s1 0 0 0
arr: H5Tarray_create2 H5T_NATIVE_SHORT_g 2 [2,3]
d_ref: H5Dcreate2 $f "d_ref" H5T_STD_REF_OBJ_g $s1 0 0 0
named: H5Tcopy $comp
t_named: H5Tcommit2 $f "t_named" $named 0 0 0
"""

DENSE = """
gcpl: H5Pcreate H5P_CLS_GROUP_CREATE_ID_g
gpc: H5Pset_link_phase_change $gcpl 3 2
gco: H5Pset_link_creation_order $gcpl 3
dense: H5Gcreate2 $f "dense" 0 $gcpl 0
""" + "".join(f'l{i}: H5Lcreate_soft "t{i}" $dense "l{i:02}" 0 0\n' for i in range(6))

LISTS = """
pv: H5Pcreate H5P_CLS_DATASET_CREATE_ID_g
sv4: H5Screate_simple 2 [4,6] NULL
pv1: H5Pset_virtual $pv $sv4 "f1.h5" "d_int" $sv4
pe: H5Pcreate H5P_CLS_DATASET_CREATE_ID_g
pe1: H5Pset_external $pe "raw0.bin" 0 192
pe2: H5Pset_external $pe "raw1.bin" 8 -1
pf: H5Pcreate H5P_CLS_DATASET_CREATE_ID_g
pf1: H5Pset_chunk $pf 2 [2,3]
pf2: H5Pset_deflate $pf 6
pf3: H5Pset_fletcher32 $pf
pp: H5Pcreate H5P_CLS_DATASET_CREATE_ID_g
pp1: H5Pinsert2 $pp "p0" 8 raw:8 NULL NULL NULL NULL NULL NULL
pp2: H5Pinsert2 $pp "p1" 16 raw:16 cb cb cb cb cb cb
ps: H5Pcreate H5P_CLS_FILE_CREATE_ID_g
ps1: H5Pset_shared_mesg_nindexes $ps 2
pd: H5Pcreate H5P_CLS_FILE_ACCESS_ID_g
pd1: H5Pset_fapl_core $pd 4096 1
pd2: H5Pcreate H5P_CLS_FILE_ACCESS_ID_g
pd3: H5Pset_fapl_family $pd2 100000 0
pd4: H5Pcreate H5P_CLS_FILE_ACCESS_ID_g
pd5: H5Pset_fapl_splitter $pd4 {}
pd6: H5Pcreate H5P_CLS_FILE_ACCESS_ID_g
pd7: H5Pset_fapl_multi $pd6 NULL NULL NULL NULL 1
pc: H5Pcreate_class H5P_CLS_ROOT_ID_g "class" NULL NULL NULL NULL NULL NULL
pc1: H5Pregister2 $pc "p0" 8 raw:8 NULL NULL NULL NULL NULL NULL NULL
px: H5Pcreate H5P_CLS_DATASET_XFER_ID_g
px1: H5Pset_data_transform $px "x+1"
pz: H5Zregister {id=300}
pl: H5Lregister {id=200,query_func=cb}
"""

SPACES = """
sh1: H5Screate_simple 2 [4,6] [10,-1]
sh2: H5Sselect_hyperslab $sh1 H5S_SELECT_SET [0,1] [2,2] [2,2] NULL
sh3: H5Screate_simple 2 [4,6] NULL
sh4: H5Sselect_hyperslab $sh3 H5S_SELECT_SET [1,1] NULL [2,3] NULL
sh5: H5Sselect_hyperslab $sh3 H5S_SELECT_OR [0,0] NULL [1,2] NULL
sp1: H5Screate_simple 2 [4,6] NULL
sp2: H5Sselect_elements $sp1 H5S_SELECT_SET 3 [0,0,1,2,3,5]
s3: H5Screate_simple 1 [24] NULL
"""

MORE_TYPES = """
ty1: H5Tcopy H5T_C_S1_g
ty2: H5Tset_size $ty1 8
ty3: H5Tcreate H5T_OPAQUE 6
ty4: H5Tset_tag $ty3 "tag"
ty5: H5Tcopy H5T_IEEE_F32LE_g
ty6: H5Tenum_create H5T_NATIVE_INT_g
ty7: H5Tenum_insert $ty6 "RED" raw:4
ty8: H5Tarray_create2 H5T_NATIVE_INT_g 1 [3]
ty9: H5Tcreate H5T_COMPOUND 24
ty10: H5Tinsert $ty9 "x" 0 H5T_NATIVE_INT_g
ty11: H5Tinsert $ty9 "y" 8 $ty8
ty12: H5Tcreate H5T_STRING -1
ty13: H5Tvlen_create H5T_NATIVE_SHORT_g
ty14: H5Tcopy H5T_NATIVE_INT_g
"""

REFERENCES = """
rf1: H5Rcreate out $f "g1" H5R_OBJECT -1
rf2: H5Rcreate out $f "d_int" H5R_DATASET_REGION $s
second: H5Fcreate "f1.h5" H5F_ACC_TRUNC 0 0
second1: H5Gcreate2 $second "g1" 0 0 0
"""

FILES = [EMPTY, EMPTY, LATEST, ORDERED, MEMORY]
CONTENTS = [[], [OBJECTS], [OBJECTS, DATASETS], [OBJECTS, REFERENCES, DATASETS], [OBJECTS, DENSE], [OBJECTS, DATASETS, TYPES],
            [OBJECTS, DATASETS, TYPES, DENSE], [OBJECTS, REFERENCES, DATASETS, TYPES]]
# What a call may need besides, by what the thing must be like.
EXTRAS = {"lists": LISTS, "spaces": SPACES, "types": MORE_TYPES}


def split(text):
    return text.strip().split("\n")


def lines(rng):
    parts = [rng.choice(FILES)] + rng.choice(CONTENTS)
    return [line for part in parts for line in split(part)]
