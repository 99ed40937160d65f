"""Prints every object of an HDF5 file as canonical text, with h5py.

    canon.py [--driver family:SIZE|split] FILE          to standard output
    canon.py --all CORPUS OUTDIR [--shard I/N [NAME...]]  every file of the corpus's manifest but NAMEs, to OUTDIR/NAME.py.txt

The text is that of canon.c without its "c " and "x " lines. A line that ends in "?" is one h5py cannot complete:
only what stands before the question mark is meant to be compared.
"""
import os
import sys
import zlib

import h5py
import numpy as np
from h5py import h5, h5a, h5d, h5f, h5g, h5l, h5o, h5p, h5r, h5s, h5t

from corpus import native

READ_LIMIT = 256 << 20
CONVERT_LIMIT = 100000
MANY_LINKS = 2000
TRACKED = 1
UNLIMITED = 2**64 - 1


def digest(data):
    return "%08x%08x" % (zlib.crc32(data), zlib.adler32(data))


def show(name):
    """A name in printable form, cut and digested when long."""
    shown = name[:60] if len(name) > 100 else name
    text = "".join(chr(c) if 0x20 <= c <= 0x7E and c != 0x5C else "\\x%02x" % c for c in shown)
    tail = "...%d:%s" % (len(name), digest(name)) if len(shown) < len(name) else ""
    return "<" + text + ">" + tail


def summary(data):
    return "n=%d sum=%s head=%s" % (len(data), digest(data), data[:24].hex())


def encoded(thing):
    try:
        raw = thing.encode()
    except Exception:
        return " enc=ERR"
    return " enc=%d:%s" % (len(raw), digest(raw))


class Unsupported(Exception):
    """h5py has no way to show this."""


class Node:
    """How to read elements of one file datatype into numpy and turn them into canonical bytes."""

    def __init__(self, tid):
        self.cls = tid.get_class()
        self.flat = True
        self.kids = []
        self.count = 1
        size = tid.get_size()
        build = {
            h5t.INTEGER: self._integer, h5t.FLOAT: self._float, h5t.BITFIELD: self._bits, h5t.OPAQUE: self._raw,
            h5t.TIME: self._raw, h5t.STRING: self._string, h5t.COMPOUND: self._compound, h5t.ENUM: self._enum,
            h5t.REFERENCE: self._reference, h5t.VLEN: self._vlen, h5t.ARRAY: self._array,
        }[self.cls]
        build(tid, size)

    def _integer(self, tid, size):
        if size > 8:
            raise Unsupported
        size = 1 << (size - 1).bit_length()
        self.dtype = np.dtype("<%s%d" % ("u" if tid.get_sign() == h5t.SGN_NONE else "i", size))
        self.mtype = h5t.py_create(self.dtype)

    def _float(self, tid, size):
        if tid.get_order() == h5t.ORDER_VAX:
            raise Unsupported
        if size > 8:
            self.dtype, self.mtype, self.flat = np.dtype("g"), h5t.NATIVE_LDOUBLE, False
        else:
            self.dtype = np.dtype("<f4" if size <= 4 else "<f8")
            self.mtype = h5t.py_create(self.dtype)

    def _bits(self, tid, size):
        self.mtype = {1: h5t.NATIVE_B8, 2: h5t.NATIVE_B16, 4: h5t.NATIVE_B32, 8: h5t.NATIVE_B64}[size]
        self.dtype = np.dtype("<u%d" % size)

    def _raw(self, tid, size):
        self.dtype, self.mtype = np.dtype("V%d" % size), tid.copy()

    def _string(self, tid, size):
        self.flat = False
        self.dtype = tid.dtype
        self.mtype = h5t.py_create(self.dtype)
        self.strip = b" " if tid.get_strpad() == h5t.STR_SPACEPAD else b"\0"

    def _reference(self, tid, size):
        self.flat = False
        self.region = bool(tid.equal(h5t.STD_REF_DSETREG))
        self.dtype = h5py.regionref_dtype if self.region else h5py.ref_dtype
        self.mtype = h5t.py_create(self.dtype)

    def _enum(self, tid, size):
        base = Node(tid.get_super())
        self.dtype = base.dtype
        self.mtype = h5t.enum_create(base.mtype)
        for i in range(tid.get_nmembers()):
            self.mtype.enum_insert(tid.get_member_name(i), tid.get_member_value(i))

    def _compound(self, tid, size):
        names = [tid.get_member_name(i) for i in range(tid.get_nmembers())]
        self.kids = [Node(tid.get_member_type(i)) for i in range(len(names))]
        self.dtype = np.dtype([("m%d" % i, kid.dtype) for i, kid in enumerate(self.kids)])
        self.mtype = h5t.create(h5t.COMPOUND, self.dtype.itemsize)
        for i, name in enumerate(names):
            self.mtype.insert(name, self.dtype.fields["m%d" % i][1], self.kids[i].mtype)
        self.flat = all(kid.flat for kid in self.kids)

    def _vlen(self, tid, size):
        if "order=1" in describe(tid):  # h5py 3.7 hands out big-endian sequences with their bytes unswapped
            raise Unsupported
        self.flat = False
        self.kids = [Node(tid.get_super())]
        self.dtype = h5py.vlen_dtype(self.kids[0].dtype)
        self.mtype = h5t.py_create(self.dtype)

    def _array(self, tid, size):
        kid = Node(tid.get_super())
        dims = tid.get_array_dims()
        self.kids, self.flat = [kid], kid.flat
        self.count = int(np.prod(dims))
        self.dtype = np.dtype((kid.dtype, dims))
        self.mtype = h5t.array_create(kid.mtype, dims)

    def empty(self, n):
        return np.zeros(n, self.dtype)

    def serialise(self, arr, loc):
        """Canonical bytes of a one-dimensional array of elements."""
        if self.cls == h5t.ARRAY:
            kid = self.kids[0]
            return kid.serialise(np.ascontiguousarray(arr).reshape((-1,) + kid.dtype.shape), loc)
        if self.flat:
            return np.ascontiguousarray(arr.astype(self.dtype, copy=False)).tobytes()
        if self.cls == h5t.FLOAT:
            raw = np.ascontiguousarray(arr.astype(self.dtype, copy=False)).view(np.uint8)
            return np.ascontiguousarray(raw.reshape(-1, self.dtype.itemsize)[:, :10]).tobytes()
        return b"".join(self._elements(arr, loc))

    def _elements(self, arr, loc):
        if self.cls == h5t.STRING:
            for s in arr:
                s = s.encode() if isinstance(s, str) else bytes(s) if isinstance(s, np.bytes_) else (s or b"")
                yield len(s).to_bytes(8, "little") + s
        elif self.cls == h5t.REFERENCE:
            for r in arr:
                text = reference_text(r, self.region, loc)
                yield len(text).to_bytes(8, "little") + text
        elif self.cls == h5t.VLEN:
            for v in arr:
                v = np.zeros(0, self.kids[0].dtype) if v is None else v
                yield len(v).to_bytes(8, "little") + self.kids[0].serialise(v, loc)
        else:
            for i in range(len(arr)):
                for name, kid in zip(arr.dtype.names, self.kids):
                    yield kid.serialise(arr[i:i + 1][name], loc)


def reference_text(ref, region, loc):
    if not ref:
        return b"null"
    text = "%d:%s" % (h5r.get_obj_type(ref, loc), show(h5r.get_name(ref, loc) or b""))
    if region:
        space = h5r.get_region(ref, loc)
        text += ":%d:%d:" % (space.get_select_type(), space.get_select_npoints())
        lo, hi = space.get_select_bounds()
        text += "".join("%d-%d," % pair for pair in zip(lo, hi))
    return text.encode()


def describe_members(tid):
    text = "compound(%d){" % tid.get_size()
    for i in range(tid.get_nmembers()):
        text += "%s@%d:%s;" % (show(tid.get_member_name(i)), tid.get_member_offset(i),
                               describe(tid.get_member_type(i)))
    return text + "}"


def describe(tid):
    cls = tid.get_class()
    size = tid.get_size()
    if cls in (h5t.INTEGER, h5t.FLOAT):
        text = "%s(%d order=%d prec=%d off=%d pad=%d,%d" % (
            ("int" if cls == h5t.INTEGER else "float", size, tid.get_order(), tid.get_precision(), tid.get_offset())
            + tuple(tid.get_pad()))
        if cls == h5t.INTEGER:
            return text + " sign=%d)" % tid.get_sign()
        return text + " fields=%s bias=%d norm=%d inpad=%d)" % (
            ",".join(map(str, tid.get_fields())), tid.get_ebias(), tid.get_norm(), tid.get_inpad())
    if cls == h5t.STRING:
        return "string(%d pad=%d cset=%d)" % (-1 if tid.is_variable_str() else size, tid.get_strpad(), tid.get_cset())
    if cls == h5t.OPAQUE:
        return "opaque(%d %s)" % (size, show(tid.get_tag()))
    if cls == h5t.COMPOUND:
        return describe_members(tid)
    if cls == h5t.REFERENCE:
        return "ref(%d)" % tid.equal(h5t.STD_REF_DSETREG)
    if cls == h5t.ENUM:
        members = [(tid.get_member_name(i), tid.get_member_value(i)) for i in range(tid.get_nmembers())]
        return "enum(%s){%s}" % (describe(tid.get_super()), "".join("%s=%d;" % (show(n), v) for n, v in members))
    if cls == h5t.VLEN:
        return "vlen(%s)" % describe(tid.get_super())
    if cls == h5t.ARRAY:
        return "array[%s](%s)" % ("".join("%d," % d for d in tid.get_array_dims()), describe(tid.get_super()))
    raise Unsupported


def dims_text(name, dims):
    return " %s=%s" % (name, "".join("inf," if d is None or d in (h5s.UNLIMITED, UNLIMITED) else "%d," % d
                                     for d in dims))


def select_part(space, which, dims):
    if which == 2:
        n = min(17, int(np.prod(dims, dtype=object)))
        pts = [[(i * 7919 + d * 31 + i * i * 13) % dims[d] for d in range(len(dims))] for i in range(n)]
        space.select_elements(np.array(pts, dtype="u8"))
        return
    start, stride, count, block = [], [], [], []
    for n in dims:
        b = max(n // 2, 1) if which == 1 else 2 if n >= 8 else 1
        s = n // 4 if which == 1 else int(n >= 4)
        step = b if which == 1 else 3 + n // 500 if n >= 4 else 1
        block.append(b)
        start.append(s)
        stride.append(step)
        count.append(1 if which == 1 else (n - s - b) // step + 1)
    space.select_hyperslab(tuple(start), tuple(count), tuple(stride), tuple(block))


class Canon:
    def __init__(self, fid, out):
        self.fid = fid
        self.out = out
        self.seen = {}
        self.queue = []

    def put(self, text):
        self.out.append(text)

    def attempt(self, head, make):
        """One line: what stands in `head` is sure, what `make` adds may be beyond h5py."""
        try:
            self.put(head + make())
        except Exception:
            self.put(head + "?")

    def run(self):
        fcpl = self.fid.get_create_plist()
        self.put("file userblock=%d sizes=%d,%d" % ((fcpl.get_userblock(),) + tuple(fcpl.get_sizes())))
        root = h5g.open(self.fid, b"/")
        self.seen[address(root)] = b"/"
        self.queue.append(b"/")
        for path in self.queue:
            self.object(path)

    def object(self, path):
        head = "object " + show(path)
        try:
            obj = h5o.open(self.fid, path)
            info = h5o.get_info(obj)
        except Exception:
            self.put(head + "?")
            return
        self.put(head + " " + ["group", "dataset", "datatype"][info.type])
        comment = get_comment(self.fid, path)
        self.put("  header rc=%d addr=%d" % (info.rc, address(obj)) + (" comment=" + show(comment) if comment else ""))
        plist = None
        if info.type == h5o.TYPE_GROUP:
            plist = obj.get_create_plist()
            self.group(obj, plist, path)
        elif info.type == h5o.TYPE_DATASET:
            plist = obj.get_create_plist()
            self.dataset(obj, plist)
        else:
            self.type(obj)
        self.attributes(obj, plist)

    def type(self, tid):
        def text():
            where = " committed@%d" % address(tid) if tid.committed() else ""
            return describe(tid) + where
        self.attempt("  type ", text)
        self.put("  type" + encoded(tid))

    def space(self, space):
        kind = space.get_simple_extent_type()
        text = "  space " + {h5s.SCALAR: "scalar", h5s.SIMPLE: "simple"}.get(kind, "null")
        if kind == h5s.SIMPLE:
            text += dims_text("dims", space.get_simple_extent_dims())
            text += dims_text("max", space.get_simple_extent_dims(True))
        self.put(text + encoded(space))

    def object_plist(self, plist):
        self.put("  attrs order=%d phase=%d,%d times=%d" % (
            (plist.get_attr_creation_order(),) + tuple(plist.get_attr_phase_change())
            + (plist.get_obj_track_times(),)))

    def group(self, group, gcpl, path):
        order = gcpl.get_link_creation_order()
        self.put("  group order=%d" % order)
        self.object_plist(gcpl)
        links = self.link_list(group, h5.INDEX_NAME)
        self.order("  by name", [name for name, _ in links])
        lines = []
        for i, (name, info) in enumerate(sorted(links)):
            lines.append(self.link(group, path, name, info))
            if len(links) <= MANY_LINKS or i % 997 == 0:
                self.put(lines[-1])
        if any(line.endswith("?") for line in lines):
            self.put("  links n=%d sum=?" % len(lines))
        else:
            self.put("  links n=%d sum=%s" % (len(lines), digest("".join(lines).encode())))
        if order & TRACKED:
            self.order("  by corder", [name for name, _ in self.link_list(group, h5.INDEX_CRT_ORDER)])

    def link_list(self, group, index):
        links = []

        def visit(name, info):
            links.append((name, (info.type, info.cset, info.corder if info.corder_valid else None, info.u)))
        group.links.iterate(visit, info=True, idx_type=index)
        return links

    def order(self, what, names):
        self.put("%s n=%d sum=%s %s" % (what, len(names), digest(b"".join(n + b"\0" for n in names)),
                                        "".join(show(n) for n in names[:6])))

    def link(self, group, path, name, info):
        kind, cset, corder, value = info
        text = "  link %s type=%d cset=%d" % (show(name), kind, cset)
        if corder is not None:
            text += " corder=%d" % corder
        if kind == h5l.TYPE_HARD:
            if value in self.seen:
                return text + " alias " + show(self.seen[value])
            full = path + (b"/" if path != b"/" else b"") + name
            self.seen[value] = full
            self.queue.append(full)
            return text + " new"
        if kind == h5l.TYPE_SOFT:
            return text + show(group.links.get_val(name)) + target(group, name)
        if kind == h5l.TYPE_EXTERNAL:
            return text + "".join(map(show, group.links.get_val(name))) + target(group, name)
        return text + "?"

    def dataset(self, ds, dcpl):
        tid, space = ds.get_type(), ds.get_space()
        self.type(tid)
        self.space(space)
        self.object_plist(dcpl)
        self.layout(ds, dcpl)
        for i in range(dcpl.get_nfilters()):
            code, flags, values, _ = dcpl.get_filter(i)
            text = "  filter %d flags=%d cd=" % (code, flags)
            self.put(text + ("".join("%d," % v for v in values) if len(values) < 16 else "?"))
        self.fill(dcpl, tid)
        for i in range(dcpl.get_external_count()):
            name, offset, size = dcpl.get_external(i)
            self.put("  external %s %d %s" % (show(name), offset, "inf" if size == UNLIMITED else size))
        if dcpl.get_layout() == h5d.VIRTUAL:
            for i in range(dcpl.get_virtual_count()):
                self.put("  source %s%s%s%s" % (show(dcpl.get_virtual_filename(i).encode()),
                                                show(dcpl.get_virtual_dsetname(i).encode()),
                                                encoded(dcpl.get_virtual_vspace(i)),
                                                encoded(dcpl.get_virtual_srcspace(i))))
        self.reads(ds, tid, space, 2 if dcpl.get_layout() == h5d.VIRTUAL else 3)

    def layout(self, ds, dcpl):
        layout = dcpl.get_layout()
        self.put("  layout %d" % layout + (dims_text("chunk", dcpl.get_chunk()) if layout == h5d.CHUNKED else ""))
        if layout == h5d.CONTIGUOUS:
            offset = ds.get_offset()
            self.put("  offset %d" % (-1 if offset is None else offset))
        if layout != h5d.VIRTUAL:
            self.attempt("  storage ", lambda: "%d status=%d" % (ds.get_storage_size(), ds.get_space_status()))

    def fill(self, dcpl, tid):
        status = dcpl.fill_value_defined()
        self.put("  fill status=%d time=%d alloc=%d" % (status, dcpl.get_fill_time(), dcpl.get_alloc_time()))
        if status == h5d.FILL_VALUE_USER_DEFINED:
            def value():
                node = Node(tid)
                if not node.flat or node.cls not in (h5t.INTEGER, h5t.FLOAT):
                    raise Unsupported
                arr = node.empty(1)
                dcpl.get_fill_value(arr)
                return summary(node.serialise(arr, self.fid))
            self.attempt("  fill value ", value)

    def reads(self, ds, tid, space, parts):
        n = space.get_simple_extent_npoints() if space.get_simple_extent_type() != h5s.NULL else 0
        if n <= 0:
            return
        dims = space.get_simple_extent_dims()
        try:
            node = Node(tid)
        except Exception:
            node = None
        self.part(ds, node, space, "all")
        for i, name in enumerate(("stride", "block", "points")[:parts]):
            if n > 1:
                select_part(space, i, dims)
                self.part(ds, node, space, name)
        if tid.get_class() in (h5t.INTEGER, h5t.FLOAT) and n <= CONVERT_LIMIT:
            for name in ("f8", "i4"):
                self.attempt("  read as %s " % name, lambda: converted(ds, name, n))

    def part(self, ds, node, space, name):
        def text():
            n = space.get_select_npoints()
            tail = "" if name == "all" else encoded(space)
            if n > READ_LIMIT // node.mtype.get_size():
                return "too large" + tail
            arr = node.empty(n)
            if name == "all":
                ds.read(h5s.ALL, h5s.ALL, arr, node.mtype)
            else:
                ds.read(h5s.create_simple((n,)), space, arr, node.mtype)
            return summary(node.serialise(arr, ds)) + tail
        self.attempt("  read %s " % name, text)

    def attributes(self, obj, plist):
        found = []
        h5a.iterate(obj, lambda name, info: found.append(
            (name, info.cset, info.data_size, info.corder if info.corder_valid else None)), info=True)
        if found:
            self.order("  attrs by name", [entry[0] for entry in found])
        for entry in sorted(found):
            self.attribute(obj, *entry)
        tracked = plist is not None and plist.get_attr_creation_order() & TRACKED
        if found and tracked:
            names = []
            h5a.iterate(obj, names.append, index_type=h5.INDEX_CRT_ORDER)
            self.order("  attrs by corder", names)

    def attribute(self, obj, name, cset, size, corder):
        self.put(" attribute %s cset=%d size=%d" % (show(name), cset, size)
                 + (" corder=%d" % corder if corder is not None else ""))
        attr = h5a.open(obj, name)
        space, tid = attr.get_space(), attr.get_type()
        self.attempt("  storage ", lambda: "%d" % attr.get_storage_size())
        self.type(tid)
        self.space(space)
        n = space.get_simple_extent_npoints() if space.get_simple_extent_type() != h5s.NULL else 0
        if n <= 0:
            return

        def value():
            node = Node(tid)
            shape = space.get_simple_extent_dims() if space.get_simple_extent_type() == h5s.SIMPLE else ()
            arr = node.empty(shape)
            attr.read(arr, mtype=node.mtype)
            return summary(node.serialise(arr.reshape((n,) + arr.shape[len(shape):]), obj))
        self.attempt("  value ", value)


def address(obj):
    addr = h5o.get_info(obj).addr
    return int(addr)


def get_comment(fid, path):
    # h5o.get_comment hands back stray bytes where there is no comment.
    try:
        return fid.get_comment(path)
    except Exception:
        return b""


def converted(ds, name, n):
    arr = np.zeros(n, "<" + name)
    ds.read(h5s.ALL, h5s.ALL, arr)
    return summary(arr.tobytes())


def target(group, name):
    try:
        obj = h5o.open(group, name)
    except Exception:
        return " dangling"
    if isinstance(obj, h5d.DatasetID):
        return " dataset %d" % obj.get_space().get_simple_extent_npoints()
    return " group" if isinstance(obj, h5g.GroupID) else " datatype"


def open_file(path, driver):
    fapl = h5p.create(h5p.FILE_ACCESS)
    native.allow_odd_numbers(fapl)
    if driver.startswith("family:"):
        fapl.set_fapl_family(int(driver[7:]))
    elif driver == "split":
        fapl.set_fapl_split(b"-m.h5", h5p.DEFAULT, b"-r.h5", h5p.DEFAULT)
    return h5f.open(os.fsencode(path), h5f.ACC_RDONLY, fapl)


def dump(path, driver):
    lines = []
    fid = open_file(path, driver)
    Canon(fid, lines).run()
    return "\n".join(lines) + "\n"


def dump_all(corpus, outdir, shard, shards, left_out):
    with open(os.path.join(corpus, "manifest.txt")) as f:
        entries = [line.split() for line in f]
    os.chdir(corpus)
    for i, (name, driver, reference) in enumerate(entries):
        if i % shards != shard or name in left_out or reference not in ("both", "h5py"):
            continue
        try:
            text = dump(name, driver)
        except Exception as error:
            text = "canon.py failed: %r\n" % error
        with open(os.path.join(outdir, name.replace("%", "_") + ".py.txt"), "w") as f:
            f.write(text)


def main(argv):
    if argv[:1] == ["--all"]:
        shard, shards = map(int, argv[4].split("/")) if argv[3:4] == ["--shard"] else (0, 1)
        dump_all(os.path.abspath(argv[1]), os.path.abspath(argv[2]), shard, shards, argv[5:])
        return
    driver = "sec2"
    if argv[:1] == ["--driver"]:
        driver, argv = argv[1], argv[2:]
    sys.stdout.write(dump(argv[0], driver))


if __name__ == "__main__":
    main(sys.argv[1:])
