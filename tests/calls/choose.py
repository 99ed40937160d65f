"""Random programs: the next call is chosen by what there is, mostly sensible, often with something wrong."""
import ctypes as c
import json
import random
import re

import abi
import arguments
import buffers
import newer
import play
import prologues

WRONG = 0.25
CLASSES = {
    "fcpl": "FILE_CREATE", "fapl": "FILE_ACCESS", "dcpl": "DATASET_CREATE", "dapl": "DATASET_ACCESS", "dxpl": "DATASET_XFER",
    "gcpl": "GROUP_CREATE", "gapl": "GROUP_ACCESS", "lcpl": "LINK_CREATE", "lapl": "LINK_ACCESS", "acpl": "ATTRIBUTE_CREATE",
    "aapl": "ATTRIBUTE_ACCESS", "tcpl": "DATATYPE_CREATE", "tapl": "DATATYPE_ACCESS", "ocpypl": "OBJECT_COPY",
}
KINDS = {"H5I_FILE": "file", "H5I_GROUP": "group", "H5I_DATATYPE": "type", "H5I_DATASPACE": "space", "H5I_DATASET": "dset",
         "H5I_ATTR": "attr", "H5I_VFL": "driver", "H5I_GENPROP_CLS": "pclass", "H5I_ERROR_CLASS": "eclass",
         "H5I_ERROR_MSG": "emsg", "H5I_ERROR_STACK": "estack"}
GROUPS = {"loc": ["file", "file", "group", "group", "group", "dset", "type"], "obj": ["dset", "group", "type", "file"],
          "ocpl": ["dcpl", "dcpl", "gcpl", "tcpl"], "plist": list(CLASSES)}
TYPES = [name for name in """NATIVE_INT NATIVE_INT NATIVE_SCHAR NATIVE_UCHAR NATIVE_SHORT NATIVE_USHORT NATIVE_LLONG NATIVE_ULLONG
    NATIVE_FLOAT NATIVE_DOUBLE NATIVE_LDOUBLE STD_I8LE STD_I16BE STD_I32LE STD_I32BE STD_U16LE STD_U64BE IEEE_F32LE IEEE_F32BE
    IEEE_F64LE IEEE_F64BE STD_B8LE STD_B32BE NATIVE_B16 C_S1 FORTRAN_S1 UNIX_D32LE STD_REF_OBJ STD_REF_DSETREG NATIVE_OPAQUE
    VAX_F32 NATIVE_INT_FAST16 NATIVE_UINT_LEAST8""".split()]
NUMBERS_ONLY = TYPES[:23]
TYPE_CLASSES = {"integer": (0,), "float": (1,), "string": (3,), "opaque": (5,), "compound": (6,), "enum": (8,), "members": (6, 8),
                "vlen": (9, 3), "array": (10,), "derived": (8, 9, 10)}
PATHS = ["g1", "g1/g2", "g1/d_inner", "d_int", "d_chunk", "d_compact", "d_text", "d_comp", "d_vlen", "d_scalar", "d_null", "d_fixed",
         "d_ref", "d_enum", "soft", "dangling", "external", "t_named", "/g1", "/d_int", "dense", "dense/l05", "g1/up", "n0", "n1", "n2",
         "g1/n0"]
OF_KIND = {"object path": [".", ".", "d_int", "g1", "/d_int", "/g1"],
           "dataset path": [path for path in PATHS if "d_" in path], "type path": ["t_named", "/t_named"],
           "group path": [".", ".", "/", "g1", "/g1", "dense"]}
ODD_PATHS = ["", ".", "/", "..", "missing", "g1//g2", "./g1", "g1/", "missing/n1", "soft/n2", "d_int/n3", "\u00e9", "x" * 300, "g1/.",
             "//", " ", "dangling/x", "external/x"]
NEW = ["n0", "n1", "n2", "n3", "g1/n0", "g1/g2/n1", "x/y/z", "/n4", "n5", "dense/n6"]
STRINGS = {
    "attribute": (["a0", "a1", "a_text", "b0", "b1", "b2", "b3"], ["", "missing", "\u00e9", "a/b", "x" * 300, "."]),
    "member": (["m0", "m1", "m2", "x", "y", "RED", "GREEN"], ["", "missing", "x" * 300]),
    "property": (["p0", "p1", "p2"], ["", "missing", "fclose_degree"]),
    "expression": (["x", "2*x", "x+1", "(x-3)*2.5", "5*x+10/2"], ["", "y", "2*", "x x", "(x", "x/0"]),
    "folder": (["", "folder", ".", "/nowhere", "${ORIGIN}/x"], ["x" * 300]),
    "extension": (["-m.h5", "-r.h5", ".meta"], ["", "%s"]),
    "raw name": (["raw0.bin", "raw1.bin", "mdc.log"], ["", "nofolder/raw.bin"]),
    "text": (["text", "other text", "long " * 30], [""]),
    "driver file": (["fd0.bin"], ["", "missing.bin", "nofolder/fd.bin", "."]),
    "file name": (["f0.h5", "f1.h5", "f2.h5", "f1.h5"], ["", "missing.h5", "nofolder/f.h5", "text.txt", ".", "f%05d.h5"]),
}
THEMES = ["A", "D", "D", "S", "T", "P", "P", "LG", "LG", "OR", "F", "FD", "E", "I", "DSTP", "DAT", "PZ", "LO", "", "", ""]
# Ends of enumerations; and the order that depends on the form a library gives to groups.
UNREAL = r"_(NTYPES|N|MAX|NCLASSES|NOP|NBOUNDS|ITER_NATIVE)$|RESERVED"
STRINGS.update(newer.TEXTS)
RARE = {"H5close": 0.02, "H5Iclear_type": 0.3, "H5Idestroy_type": 0.3, "H5check_version": 0.3, "H5dont_atexit": 0.3}


def adapt(facts):
    """What later releases have besides."""
    if "H5P_CLS_REFERENCE_ACCESS_ID_g" in facts.variables:
        CLASSES.update(newer.CLASSES)
        RARE["H5check_version"] = 0  # It ends programs that are for another release.
        GROUPS["plist"] += newer.CLASSES
        KINDS.update(newer.KINDS)
        TYPES.extend(newer.TYPES)


class Chooser:
    def __init__(self, player, seed, write):
        self.player = player
        self.lib = player.lib
        self.facts = player.facts
        self.random = random.Random(seed)
        self.write = write
        self.labels = {}
        self.count = 0
        self.depth = 0
        self.defaults = 0.4
        self.extras = set()
        self.classes = {key: self.lib.variable(f"H5P_CLS_{name}_ID_g") for key, name in CLASSES.items()}

    # Lines.

    def emit(self, name, tokens):
        self.count += 1
        label = f"v{self.count}"
        line = f"{label}: {' '.join([name] + tokens)}"
        self.play(line)
        return label

    def play(self, line):
        self.write({"line": line})
        entry = self.player.play(line)
        self.write({"entry": entry})
        self.note(entry)
        self.forget(*play.parse(line)[1:])

    def note(self, entry):
        """Remembers what kind of thing a line made."""
        if entry["st"] != "ok":
            return
        name, label = entry["f"], entry["l"]
        result = self.facts.functions[name].result
        if result == "hid_t":
            kind = KINDS.get(entry["r"])
            if entry["r"] == "H5I_GENPROP_LST":
                kind = self.list_class(self.player.slots[label])
            self.labels[label] = kind or "user"
        elif name == "H5FDopen":
            self.labels[label] = "fd"
        elif name in ("H5allocate_memory", "H5resize_memory"):
            self.labels[label] = "mem"
        elif name == "H5Iregister_type":
            self.labels[label] = "idtype"
        elif name == "H5Rcreate":
            self.labels[label] = "ref"
        elif name in ("H5Tencode", "H5Sencode", "H5Pencode") and label in self.player.memories:
            self.labels[label] = "enc " + name[2]
        elif any(re.fullmatch(pattern, name) for pattern, _ in newer.MADE) and label in self.player.memories:
            self.labels[label] = next(kind for pattern, kind in newer.MADE if re.fullmatch(pattern, name))
        elif name.startswith("H5Lget_val") and label in self.player.memories:
            self.labels[label] = "linkval"

    def list_class(self, value):
        for key, class_id in self.classes.items():
            if self.lib.H5Pisa_class(value, class_id) > 0:
                return key
        return "userlist"

    def live(self, kind):
        found = []
        for label, its in self.labels.items():
            if its == kind:
                value = self.player.slots.get(label, -1)
                if kind in ("fd", "mem", "idtype", "ref", "ref2", "token", "linkval") or kind.startswith("enc") or \
                        (value > 0 and self.lib.H5Iis_valid(value) > 0):
                    found.append(label)
        return found

    # Calls.

    def call(self, name):
        function = self.facts.functions[name]
        self.defaults = 0.1 if name.startswith("H5P") else 0.6
        wrong = -1
        if function.parameters and self.random.random() < WRONG:
            wrong = self.random.randrange(len(function.parameters))
        tokens = self.several_datasets(function) if newer.MULTI.fullmatch(name) and wrong < 0 else []
        for index, parameter in list(enumerate(function.parameters))[len(tokens):]:
            tokens.append(self.token(function, parameter, index == wrong, tokens))
        self.emit(name, tokens)

    def forget(self, name, tokens):
        """Memory that is gone must not be used again: C has no way to see it."""
        if name in ("H5FDclose", "H5free_memory", "H5resize_memory") and tokens[0].startswith("$"):
            self.labels.pop(tokens[0][1:], None)
        if name == "H5close":
            self.labels = {label: kind for label, kind in self.labels.items() if kind not in ("fd",)}

    def token(self, function, parameter, wrong, before):
        ctype = parameter.ctype
        if ctype == "hid_t":
            return self.id(arguments.id_kind(function.name, parameter.name), wrong)
        if ctype in ("H5E_major_t", "H5E_minor_t"):
            return self.id("emsg", wrong)
        if ctype == "const char*":
            return self.string(arguments.string_kind(function.name, parameter.name), wrong, before)
        if ctype in abi.CALLBACKS:
            return self.callback(function, ctype, wrong)
        if abi.scalar(ctype, self.facts) is not None:
            return self.scalar(function, parameter, wrong)
        return self.pointer(function, parameter, wrong, before)

    # Ids.

    def id(self, kind, wrong):
        if wrong:
            return self.wrong_id()
        kind, _, like = kind.partition(":")
        if kind == "space or all":
            kind = "space"
            if self.random.random() < 0.5:
                return "0"
        if kind == "es" and self.random.random() < 0.5:
            return "0"
        if kind == "any":
            kind = self.random.choice(["file", "group", "type", "space", "dset", "attr", "dcpl", "pclass", "user", "estack", "driver"])
        if kind in GROUPS:
            kind = self.random.choice(GROUPS[kind]) if like != "group" else self.random.choice(["file", "group"])
        if like and self.random.random() < 0.85:
            labels = self.those_like(kind, like)
            if labels:
                return "$" + self.random.choice(labels)
        return self.plain_id(kind)

    def those_like(self, kind, like):
        labels = [label for label in self.live(kind) if self.is_like(label, like)]
        part = {"type": "types", "space": "spaces"}.get(kind, "lists")
        if labels or kind in ("file", "group", "dset") or part in self.extras or like == "committed":
            return labels
        self.extras.add(part)
        for line in prologues.split(prologues.EXTRAS[part]):
            self.play(line)
        return [label for label in self.live(kind) if self.is_like(label, like)]

    def plain_id(self, kind):
        if kind in CLASSES and self.random.random() < self.defaults:
            return "0" if self.random.random() < 0.95 else f"H5P_LST_{CLASSES[kind]}_ID_g"
        fixed = self.fixed_id(kind)
        if fixed:
            return fixed
        labels = self.live(kind)
        if kind == "file" and "f" in labels and self.random.random() < 0.6:
            return "$f"
        if not labels or (len(labels) < 4 and self.random.random() < 0.15):
            label = self.make(kind)
            return "$" + label if label else "-1"
        return "$" + self.random.choice(labels[-8:] if self.random.random() < 0.7 else labels)

    def is_like(self, label, like):
        value = self.player.slots[label]
        lib = self.lib
        if like == "group":
            count = c.c_uint64()
            return lib.H5Gget_num_objs(value, c.byref(count)) >= 0 and (count.value > 0 or self.random.random() < 0.2)
        if like == "attributes":
            return lib.H5Aget_num_attrs(value) >= self.random.choice([0, 1, 1])
        if like in TYPE_CLASSES:
            return lib.H5Tget_class(value) in TYPE_CLASSES[like]
        if like in ("committed", "own"):
            return (lib.H5Tcommitted(value) > 0) == (like == "committed")
        if like in ("points", "hyperslab"):
            return lib.H5Sget_select_type(value) == (1 if like == "points" else 2)
        if like == "chunked" and self.labels[label] == "dset":
            plist = lib.H5Dget_create_plist(value)
            layout = lib.H5Pget_layout(plist)
            lib.H5Pclose(plist)
            return layout == 2
        return self.list_is_like(value, like)

    def list_is_like(self, value, like):
        lib = self.lib
        if like in ("chunked", "virtual"):
            return lib.H5Pget_layout(value) == (2 if like == "chunked" else 3)
        if like == "external":
            return lib.H5Pget_external_count(value) > 0
        if like == "filters":
            return lib.H5Pget_nfilters(value) > 0
        if like == "p0":
            return lib.H5Pexist(value, b"p0") > 0
        if like == "transform":
            return lib.H5Pget_data_transform(value, None, 0) > 0
        if like == "shared":
            count = c.c_uint()
            return lib.H5Pget_shared_mesg_nindexes(value, c.byref(count)) >= 0 and count.value > 0
        return lib.H5Pget_driver(value) != lib.H5Pget_driver(lib.variable("H5P_LST_FILE_ACCESS_ID_g"))

    def fixed_id(self, kind):
        chance = self.random.random()
        if kind == "type" and chance < 0.6:
            return f"H5T_{self.random.choice(TYPES if chance < 0.25 else NUMBERS_ONLY)}_g"
        if kind == "pclass" and chance < 0.6:
            return f"H5P_CLS_{self.random.choice(list(CLASSES.values()) + ['ROOT', 'OBJECT_CREATE', 'STRING_CREATE'])}_ID_g"
        if kind == "estack" and chance < 0.6:
            return "0"
        if kind == "eclass" and chance < 0.5:
            return "H5E_ERR_CLS_g"
        if kind in ("major", "minor", "emsg") and chance < 0.8:
            return self.random.choice({"major": ["H5E_ARGS_g", "H5E_DATASET_g"], "minor": ["H5E_BADVALUE_g", "H5E_CANTINIT_g"],
                                       "emsg": ["H5E_ARGS_g", "H5E_BADTYPE_g"]}[kind])
        return None

    def wrong_id(self):
        chance = self.random.random()
        if chance < 0.5 and self.labels:
            return "$" + self.random.choice([label for label, kind in self.labels.items() if kind not in ("fd", "mem")] or ["none"])
        return self.random.choice(["-1", "0", "99", "H5T_NATIVE_INT_g", "H5P_CLS_FILE_ACCESS_ID_g", "H5E_ERR_CLS_g", "4611686018427387904"])

    def make(self, kind):
        """A call that makes such a thing; its label, or None."""
        if self.depth > 3:
            return None
        self.depth += 1
        try:
            lines = {
                "file": ("H5Fopen", ['"f0.h5"', "H5F_ACC_RDWR", "0"]) if self.random.random() < 0.5 else
                        ("H5Fcreate", ['"f1.h5"', "H5F_ACC_TRUNC", "0", "0"]),
                "space": ("H5Screate_simple", ["2", "[4,6,3,2]", "NULL"]),
                "type": ("H5Tcopy", ["H5T_NATIVE_INT_g"]),
                "eclass": ("H5Eregister_class", ['"class"', '"library"', '"1.0"']),
                "estack": ("H5Eget_current_stack", []),
                "idtype": ("H5Iregister_type", ["64", "0", "cb"]),
                **self.making(kind),
                "mem": ("H5allocate_memory", ["64", "1"]),
                "fd": ("H5FDopen", ['"fd0.bin"', "17", "0", "-1"]),
                "driver": ("H5FDregister", ["{}"]) if self.random.random() < 0.5 else ("H5FD_sec2_init", []),
                "enc T": ("H5Tencode", [self.id("type", False), "out", "[1000]"]),
                "enc S": ("H5Sencode", [self.id("space", False), "out", "[1000]"]),
                "enc P": ("H5Pencode", [self.id("dcpl", False), "out", "[4096]"]),
            }.get(kind)
            if kind == "driver" and "H5FD_sec2_init" not in self.facts.functions:
                lines = ("H5Pget_driver", [self.id("fapl", False)])
            if kind in CLASSES:
                lines = ("H5Pcreate", [f"H5P_CLS_{CLASSES[kind]}_ID_g"])
            lines = lines or self.make_in_file(kind)
            if lines is None:
                return None
            return self.emit(*lines)
        finally:
            self.depth -= 1

    def making(self, kind):
        if kind not in newer.MAKING:
            return {}
        name, tokens = newer.MAKING[kind]
        return {kind: (name, [self.id(token[1:], False) if token in ("$space", "$file") else token for token in tokens])}

    def several_datasets(self, function):
        """The arguments of a transfer of several datasets, up to its property list."""
        count = self.random.choice([0, 1, 2, 2, 3])
        datasets = [self.id("dset", False) for _ in range(count)]
        types = [self.id("type", False) for _ in range(count)]
        spaces = [self.id("space or all", False) if self.random.random() < 0.3 else "0" for _ in range(2 * count)]
        place = ['"file.c"', '"function"', "1"] if function.name.endswith("_async") else []
        lists = [datasets, types, spaces[:count], spaces[count:]]
        return place + [str(count)] + ["[" + ",".join(each) + "]" for each in lists]

    def make_in_file(self, kind):
        if kind == "group":
            return "H5Gopen2", [self.id("file", False), self.random.choice(['"/"', '"g1"']), "0"]
        if kind == "dset":
            return self.make_dataset()
        if kind == "attr":
            return self.make_attribute()
        if kind == "emsg":
            return "H5Ecreate_msg", [self.id("eclass", False), "H5E_MAJOR", '"message"']
        if kind == "pclass":
            return "H5Pcreate_class", ["H5P_CLS_ROOT_ID_g", '"class"'] + ["NULL"] * 6
        if kind == "user":
            return "H5Iregister", [self.label_of("idtype"), "raw:16"]
        if kind == "ref":
            return "H5Rcreate", ["out", self.id("file", False), '"g1"', "H5R_OBJECT", "-1"]
        return None

    def make_dataset(self):
        where = self.id("file", False)
        there = [name for name in self.links([where]) if name.startswith("d_")]
        if there:
            return "H5Dopen2", [where, json.dumps(self.random.choice(there)), "0"]
        return "H5Dcreate2", [where, f'"d_{self.count}"', self.id("type", False), self.id("space", False), "0", "0", "0"]

    def make_attribute(self):
        where = self.id(self.random.choice(["dset", "group", "file"]) + ":attributes", False)
        there = self.attributes([where])
        if there:
            return "H5Aopen", [where, json.dumps(self.random.choice(there)), "0"]
        return "H5Acreate2", [where, f'"a_{self.count}"', self.id("type", False), self.id("space", False), "0", "0"]

    def label_of(self, kind):
        labels = self.live(kind)
        label = self.random.choice(labels) if labels else self.make(kind)
        return "$" + label if label else "0"

    # Strings and numbers.

    def string(self, kind, wrong, before):
        if wrong and self.random.random() < 0.35:
            return "NULL"
        if kind in ("path", "dataset path", "type path", "attribute") and not wrong and self.random.random() < 0.75:
            there = self.attributes(before) if kind == "attribute" else self.links(before)
            there = [name for name in there if kind[0] not in "dt" or name.startswith(kind[0] + "_")]
            if there:
                return json.dumps(self.random.choice(there))
        if kind in OF_KIND:
            return json.dumps(self.random.choice(ODD_PATHS if wrong else OF_KIND[kind] if self.random.random() < 0.8 else PATHS))
        if kind == "path":
            return json.dumps(self.random.choice(ODD_PATHS if wrong or self.random.random() < 0.1 else PATHS))
        if kind == "new path":
            return json.dumps(self.random.choice(ODD_PATHS if wrong else PATHS if self.random.random() < 0.15 else NEW))
        good, bad = STRINGS[kind]
        return json.dumps(self.random.choice(bad if wrong else good))

    def place(self, before):
        """The last id among the arguments so far, and the last name."""
        ids = [token for token in before if token.startswith("$")]
        names = [json.loads(token) for token in before if token.startswith('"')]
        return self.player.number(ids[-1]) if ids else -1, names[-1].encode() if names else b"."

    def links(self, before):
        where, _ = self.place(before)
        names = ["."] if where >= 0 and self.random.random() < 0.15 else []
        for index in range(12):
            text = c.create_string_buffer(400)
            if self.lib.H5Lget_name_by_idx(where, b".", 0, 0, index, text, 400, 0) < 0:
                break
            names.append(text.value.decode("utf-8", "replace"))
        return names

    def attributes(self, before):
        where, name = self.place(before)
        names = []
        for index in range(5):
            text = c.create_string_buffer(400)
            if self.lib.H5Aget_name_by_idx(where, name, 0, 0, index, text, 400, 0) < 0:
                break
            names.append(text.value.decode("utf-8", "replace"))
        return names

    def scalar(self, function, parameter, wrong):
        ctype = parameter.ctype
        if ctype == "hbool_t":
            return self.random.choice("01")
        if ctype == "H5I_type_t":
            return self.id_type(wrong)
        if ctype == "H5L_type_t" and not function.name.startswith("H5G"):
            good, bad = arguments.numbers(function.name, parameter)
            return self.random.choice(bad if wrong else good)
        kind = "H5F_mem_t" if ctype == "H5FD_mem_t" else ctype
        if kind in self.facts.enums:
            return self.enum(self.facts.enums[kind], wrong)
        good, bad = arguments.numbers(function.name, parameter)
        token = self.random.choice(bad if wrong else good)
        return f"addr:{self.id('obj', False)}" if token == "address" else token

    def enum(self, constants, wrong):
        if wrong:
            return str(self.random.choice([-1, max(constants.values()) + 1, 100, -2]))
        sensible = [name for name, value in constants.items() if value >= 0 and not re.search(UNREAL, name)]
        return self.random.choice(sensible)

    def id_type(self, wrong):
        if wrong:
            return self.random.choice(["-1", "0", "127", "100", "H5I_FILE", "H5I_DATATYPE"])
        return self.label_of("idtype") if self.random.random() < 0.6 else \
            self.random.choice(["H5I_FILE", "H5I_GROUP", "H5I_DATASET", "H5I_ATTR", "H5I_DATASPACE"])

    def callback(self, function, ctype, wrong):
        if wrong or (re.match(r"H5P_(prp|cls)|H5E_auto|H5MM", ctype) and self.random.random() < 0.5):
            return "NULL"
        chance = self.random.random()
        if chance < 0.6:
            return "cb"
        if chance < 0.7 and re.match(r"H5[LGOA]_(iterate|operator)", ctype):
            return f"cb:{self.random.choice(['open', 'unlink', 'create', 'attribute', 'close'])}@{self.random.choice([1, 2])}"
        return f"cb:{self.random.choice([1, -1, -1, 2])}@{self.random.choice([1, 1, 2, 3])}"

    # Pointers.

    def pointer(self, function, parameter, wrong, before):
        ctype, name = parameter.ctype, parameter.name
        if ctype == "...":
            return "7"
        special = self.newer_pointer(function.name, name, ctype, wrong) or self.special_pointer(function, parameter, wrong)
        if special:
            return special
        if wrong:
            return "NULL"
        if ctype in ("H5FD_t*", "const H5FD_t*"):
            label = self.label_of("fd")
            return label if label != "0" else "NULL"
        if ctype == "FILE*":
            return "FILE"
        if ctype.startswith("const ") or name in ("idx", "nalloc", "cd_nelmts", "buf_size", "location_size"):
            return self.array(function, parameter, before)
        if ctype == "void*" and name in ("op_data", "client_data", "udata", "operator_data", "iter_data", "operate_data", "create_data",
                                         "copy_data", "close_data", "alloc_info", "free_info", "key"):
            return self.random.choice(["NULL", "raw:16"])
        base = re.sub(r"\*$", "", ctype)
        if base in abi.structures and (function.name.startswith("H5Pset") or function.name == "H5Fset_mdc_config"):
            return self.structure(base)
        return "NULL" if self.random.random() < 0.06 else "out"

    def newer_pointer(self, function, name, ctype, wrong):
        if ctype in ("H5O_token_t", "const H5O_token_t*"):
            kept = self.live("token")
            wrong = wrong or self.random.random() < 0.05
            return self.random.choice(["&" + label for label in kept] + ["zero"]) if wrong else f"token:{self.id('obj', False)}"
        if ctype == "const H5R_ref_t*" or ctype == "H5R_ref_t*" and name == "ref_ptr" and "create" not in function:
            return self.random.choice(["NULL", "zero"]) if wrong else "&" + self.label_of("ref2")[1:]
        if function == "H5ESfree_err_info":
            return "zero"
        if function == "H5Tdecode2":
            return "NULL" if wrong else "&" + self.label_of("enc T")[1:]
        if function == "H5Dread_chunk2" and name == "buf_size":
            return self.random.choice(["[65536]", "[65536]", "[0]", "[8]", "NULL"])
        if wrong:
            return None
        if name in newer.SPACES:
            return f"[{self.small_space()},{self.small_space()}]"
        if name == "new_vol_info":
            return "NULL"
        return "bufs" if name == "bufs" else self.random.choice(newer.ARRAYS[name]) if name in newer.ARRAYS else None

    def small_space(self):
        """What is selected of it has room in 64 KiB."""
        space = self.id("space", False)
        return space if 0 <= self.lib.H5Sget_simple_extent_npoints(self.player.number(space)) < 8192 else "-1"

    def special_pointer(self, function, parameter, wrong):
        name, parameter_name = function.name, parameter.name
        if buffers.is_typed(name, parameter_name):
            if wrong or (name == "H5Tconvert" and parameter_name == "background" and self.random.random() < 0.5):
                return "NULL"
            return f"data:{self.random.randrange(100)}"
        if name in ("H5free_memory", "H5resize_memory"):
            return self.label_of("mem") if not wrong else "NULL"
        if name in ("H5Tdecode", "H5Sdecode", "H5Pdecode"):
            return "NULL" if wrong else "&" + self.label_of("enc " + name[2])[1:]
        if parameter_name in ("ref", "_ref") and name != "H5Rcreate":
            return self.random.choice(["NULL", "zero"]) if wrong else "&" + self.label_of("ref")[1:]
        if name == "H5Lunpack_elink_val" and parameter_name == "ext_linkval" and self.live("linkval"):
            return "&" + self.label_of("linkval")[1:]
        if wrong:
            return None
        if name in ("H5Zregister", "H5Lregister", "H5FDregister"):
            return self.class_structure(name)
        if name == "H5Pset_driver":
            return "NULL"
        if name == "H5Pset_fapl_multi":
            return self.multi(parameter_name)
        if parameter_name in ("value", "def_value") and name.startswith("H5P") and "get" not in name:
            return "raw:128"
        if name in ("H5Pset_buffer", "H5Pset_file_image", "H5FDwrite", "H5Dwrite_chunk", "H5Lcreate_ud", "H5Iregister") and \
                parameter.ctype in ("void*", "const void*"):
            return "raw:8192" if name != "H5Lcreate_ud" else "raw:64"
        return None

    def class_structure(self, name):
        chance = self.random.random()
        if chance < 0.15:
            return "zero" if name != "H5FDregister" or chance < 0.1 else "{}"
        if name == "H5Zregister":
            return self.random.choice(["{id=300}", "{id=301}", "{id=300,filter=cb:0@2}", "{id=1}", "{id=-1}", "{id=65536}", "{version=9}",
                                       "{id=302,can_apply=cb:-1@1,set_local=cb}", "{id=302,can_apply=cb:0@1}", "{filter=NULL}"])
        if name == "H5Lregister":
            return self.random.choice(["{id=200}", "{id=201,query_func=cb,create_func=cb,move_func=cb,copy_func=cb,del_func=cb}",
                                       "{id=200,create_func=cb:-1@1}", "{id=201,trav_func=NULL}", "{id=10}", "{id=300}", "{version=7}"])
        return self.random.choice(["{}", "{}", "{}", "{open=NULL}", "{get_eoa=NULL}", "{fc_degree=3}", "{maxaddr=0}", "{maxaddr=4096}"])

    def multi(self, name):
        if self.random.random() < 0.5:
            return "NULL"
        return {"memb_map": "[0,1,1,3,1,1,1]", "memb_fapl": "[0,0,0,0,0,0,0]", "memb_name": '["%s-a","%s-b","%s-b","%s-c","%s-d","%s-e","%s-f"]',
                "memb_addr": "[0,0,0,4611686018427387904,0,0,0]"}[name]

    def structure(self, base):
        fields = [field for field, _ in abi.structures[base]._fields_ if field not in ("udata", "wo_path", "magic")]
        if self.random.random() < 0.4:
            return "{}"
        field = self.random.choice(fields)
        kind = dict(abi.structures[base]._fields_)[field]
        if hasattr(kind, "_length_"):
            return f'{{{field}="{self.random.choice(["x", "", "log2.txt"])}"}}'
        if field.endswith("fapl_id"):
            return f"{{{field}={self.id('fapl', False)}}}"
        if base == "H5FD_file_image_callbacks_t":
            return "{}"
        import ctypes
        value = self.random.choice(["0.0", "0.5", "1.5", "-1.0"]) if kind is ctypes.c_double else \
            self.random.choice(["0", "1", "2", "5000000", "100"]) if kind is not ctypes.c_ubyte else self.random.choice("01")
        return f"{{{field}={value}}}"

    def array(self, function, parameter, before):
        name, ctype = parameter.name, parameter.ctype
        pick = self.random.choice
        if name == "idx":
            return pick(["NULL", "[0]", "[0]", "[1]", "[2]", "[100]", "[-1]"])
        if name in ("nalloc", "location_size"):
            return pick(["[0]", "[10]", "[1000]", "[4096]"])
        if name in ("cd_nelmts", "buf_size"):
            return pick(["[0]", "[1]", "[8]", "[8]", "NULL"])
        if "void" in ctype:
            return "raw:256"
        if name in ("cd_values", "c_values"):
            return pick(["[0,1,2,3,4]", "[6,1,1]", "NULL"])
        if name in ("maxdims", "max"):
            return self.maximum(before[-1])
        if name in ("stride", "block", "count", "start") and "S" in function.name[2]:
            return self.hyperslab(name)
        if "coord" in name:
            return self.numbers([0, 1, 2, 3, 5], 12)
        if name == "offset" and "chunk" in function.name:
            return self.random.choice(["[0,0,0,0]", "[2,3,0,0]", "[0,3,0,0]", "[2,0,0,0]", "[1,1,0,0]", "[100,0,0,0]"])
        if name in ("offset", "start", "end"):
            return self.numbers([0, 0, 0, 1, 2, 4], 4)
        if name == "perm":
            return "NULL"
        if name in ("dim", "boundary") and function.name.startswith("H5P"):
            return self.numbers([1, 2, 2, 3, 4], 4)
        return self.numbers([1, 2, 3, 4, 6, 8, 0] if self.random.random() < 0.95 else [2**32, 2**40, 2**63, 2**64 - 1], 4)

    def numbers(self, values, count):
        return "[" + ",".join(str(self.random.choice(values)) for _ in range(count)) + "]"

    def maximum(self, dims):
        if self.random.random() < 0.5 or not dims.startswith("["):
            return "NULL"
        sizes = [int(size, 0) for size in dims[1:-1].split(",")]
        return "[" + ",".join(str(self.random.choice([size, size + 4, 2**64 - 1, 2**64 - 1] +
                                                      ([size - 1] if size and self.random.random() < 0.1 else []))) for size in sizes) + "]"

    def hyperslab(self, name):
        if name in ("stride", "block") and self.random.random() < 0.5:
            return "NULL"
        return self.numbers({"start": [0, 0, 1, 2, 3], "count": [1, 1, 2, 3], "stride": [1, 2, 3], "block": [1, 1, 2]}[name] +
                            ([0, 100, 2**64 - 1] if self.random.random() < 0.08 else []), 4)


def interface(name):
    """The letters behind H5: A, D, FD, ..."""
    return re.match(r"H5(FD|PL|[A-Z])?", name).group(1) or ""


def program(library, request, write):
    """Plays a random program; one that was begun before goes on."""
    player = play.Player(library, write)
    chooser = Chooser(player, request["seed"], write)
    rng = chooser.random
    for line in request["prefix"] or prologues.lines(rng):
        chooser.play(line)
    chooser.extras = {part for part, text in prologues.EXTRAS.items() if prologues.split(text)[0] in request["prefix"]}
    chooser.count = sum(line.startswith("v") for line in request["prefix"])
    names = sorted(name for name in library.facts.functions if not arguments.left_out(name) and re.match(request["only"], name))
    theme = random.Random(request["prologue"]).choice(THEMES)
    weights = [RARE.get(name, 1) * (6 if newer.ADDED.fullmatch(name) else 1) * (8 if theme and interface(name) and interface(name) in theme else 1) for name in names]
    for name in rng.choices(names, weights, k=max(request["calls"] - chooser.count, 0)):
        chooser.call(name)
