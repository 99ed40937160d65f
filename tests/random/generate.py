"""Random scripts: lines that mostly make sense for the state of a model, and some that must fail."""
import random

import numpy as np

from model import SELECT_AND, SELECT_NOTB, SELECT_OR, SELECT_XOR, Dataset, Datatype, Group, Model

# Pairs of names with one checksum: in an index the names themselves order them.
EQUAL = ["c11868", "c246645", "c227508", "c381412", "c82689", "c96406", "c221686", "c390318"]
MODULUS = {"i8": 100, "enum": 4, "region": 30}
KINDS = ["i8", "i16be", "i32le", "i32le", "i64be", "u16le", "narrow", "f32le", "f64be", "text", "padded", "vtext",
         "vtext", "vlen", "enum", "bits", "opaque", "array", "pair", "pair", "vpair", "object", "region"]
NUMERIC = {"i8", "i16be", "i32le", "i64be", "u16le", "f32le", "f64be"}
INTEGERS = {"i8", "i16be", "i32le", "i64be", "u16le"}
VARIABLE = {"vtext", "vlen", "vpair", "object", "region"}
ANCHORS = ["/anchor/v0", "/anchor/v1", "/anchor/v2"]
ANCHOR_DIMS = (6, 7)
MOST_OBJECTS, MOST_ELEMENTS = 70, 900

BOUNDS = ["earliest", "v18", "v110", "v112", "v114", "v200"]


def commas(numbers):
    return ",".join(str(n) for n in numbers)


class Generator:
    def __init__(self, seed, newest):
        self.r = random.Random(seed)
        self.model = Model()
        self.known = BOUNDS[:BOUNDS.index(newest) + 1]
        self.mode = ("earliest", "v18", newest, "mixed")[seed % 4]
        self.names = self.make_names()
        self.serial = 0
        self.choices = self.weights()

    def make_names(self):
        names = EQUAL[:4] + [f"n{i}" for i in range(25)] + [f"name_{i}_" + "x" * (i * 9) for i in range(1, 8)]
        return names + ["größe", "мера", "量", "long_" + "y" * 70]

    # The file

    def bounds(self):
        low = self.r.choice(self.known) if self.mode == "mixed" else self.mode
        return f"{low} {'v18' if self.mode == 'v18' else self.known[-1]}"

    def create(self):
        r = self.r
        words = ["create", self.bounds()]
        if r.random() < 0.5:
            words.append(f"order={r.choice([1, 3])}")
        if r.random() < 0.3:
            words.append(f"aorder={r.choice([1, 3])} aphase={r.choice(['8,6', '3,2', '0,0'])}")
        if r.random() < 0.3:
            words.append(f"phase={r.choice(['4,2', '0,0'])}")
        if r.random() < 0.2:
            words.append("userblock=1024")
        if r.random() < 0.2 and self.known[-1] != "v200":  # libhdf5 2.2 makes no heaps in such files
            words.append("sizes=4")
        if r.random() < 0.25:
            # What libhdf5 2.2 leaves of a shared attribute in a header it cannot read itself.
            attributes = [4096, 2 | 8 | 32 | 2048 | 4096] if self.known[-1] != "v200" else []
            words.append(f"shared={r.choice([2 | 8 | 32 | 2048] + attributes)},{r.choice([20, 50])}")
        if self.mode != "v18" and r.random() < 0.4:
            # libhdf5 does not read what it keeps of free space in a file of narrow lengths.
            persist = 0 if "sizes=4" in words else r.choice([0, 1])
            words.append(f"strategy={r.choice([0, 1, 2, 3])},{persist},{r.choice([1, 30])}")
            words.append(f"page={r.choice([512, 4096])}")
        return " ".join(words)

    def beginning(self):
        """What region references and virtual datasets refer to: it is never taken away."""
        lines = [self.create(), "group /anchor"]
        for i, path in enumerate(ANCHORS):
            layout = ["layout=contiguous", "layout=chunked chunk=4,3 filters=sd", "layout=chunked chunk=2,7"][i]
            lines.append(f"dataset {path} i32le dims={commas(ANCHOR_DIMS)} filled=0 {layout}")
            lines.append(f"write {path} base={1000 * i} step=1 mod=9000")
        for line in lines:
            assert self.model.apply(line) == ["ok"], line
        return lines

    def weights(self):
        table = {"make_group": 5, "make_dataset": 9, "write": 24, "read": 5, "extent": 9, "chunk": 2, "attribute": 10,
                 "awrite": 5, "arename": 3, "adelete": 4, "hard": 4, "soft": 4, "external": 2, "move": 4, "lcopy": 2,
                 "unlink": 4, "unlink_nth": 1.5, "commit": 2, "comment": 2, "count": 1, "hold": 1.5, "release": 0.7,
                 "flush": 1, "dump": 0.3, "copy": 2}
        # Every file has its own taste.
        return {name: weight * self.r.choice([0.4, 1, 1, 2]) for name, weight in table.items()}

    def line(self):
        """One line that the model has carried out, and what ops must print for it."""
        self.paths = self.all_paths()
        while True:
            name = self.r.choices(list(self.choices), list(self.choices.values()))[0]
            if len(self.paths) > MOST_OBJECTS and name in ("make_group", "make_dataset", "commit", "copy"):
                name = "unlink"
            line = getattr(self, name)()
            if line is None:
                continue
            line = " ".join(line.split())
            expected = self.model.apply(line)
            if expected is None or expected == ["fail"] and self.r.random() < 0.5:
                # What fails changes nothing, so it may as well be left out.
                continue
            return line, expected

    # Names and paths

    def all_paths(self):
        found, todo = {self.model.root: "/"}, [self.model.root]
        while todo:
            group = todo.pop()
            for name, link in group.links.items():
                if link.kind == "hard" and link.target not in found:
                    found[link.target] = found[group].rstrip("/") + "/" + name
                    if isinstance(link.target, Group):
                        todo.append(link.target)
        return found

    def some(self, kind=None):
        """The path of an object; sometimes of nothing."""
        candidates = [p for o, p in self.paths.items() if kind is None or isinstance(o, kind)]
        if not candidates or self.r.random() < 0.01:
            return "/nothing/there"
        return self.r.choice(candidates)

    def name(self):
        return self.r.choice(self.names)

    def new_path(self):
        groups = [p for o, p in self.paths.items() if isinstance(o, Group) and p != "/anchor"]
        # Few groups get most of the links, to be large.
        group = self.r.choice(groups[:3] if self.r.random() < 0.5 else groups)
        return group.rstrip("/") + "/" + self.name()

    def some_link(self):
        """The path of a link of any kind that may go away."""
        groups = [(o, p) for o, p in self.paths.items() if isinstance(o, Group) and o.links and p != "/anchor"]
        for _ in range(10):
            group, path = self.r.choice(groups)
            name = self.r.choice(list(group.links))
            if not (group is self.model.root and name == "anchor"):
                return path.rstrip("/") + "/" + name
        return "/nothing/there"

    def cset(self, path):
        return "cset=1" if not path.isascii() or self.r.random() < 0.1 else ""

    def object_words(self):
        r = self.r
        words = []
        if r.random() < 0.4:
            words.append(f"aorder={r.choice([1, 3])}")
        if r.random() < 0.4:
            words.append(f"aphase={r.choice(['8,6', '3,2', '2,0', '0,0'])}")
        return " ".join(words)

    # Groups and links

    def make_group(self):
        r = self.r
        path = self.new_path()
        words = [f"group {path} {self.cset(path)}"]
        if r.random() < 0.1:
            path += "/" + self.name() + "/" + self.name()
            words = [f"group {path} between=1 {self.cset(path)}"]
        if r.random() < 0.5:
            words.append(f"order={r.choice([1, 3])}")
        if r.random() < 0.5:
            words.append(f"phase={r.choice(['8,6', '3,2', '4,0', '0,0'])}")
        return " ".join(words) + " " + self.object_words()

    def hard(self):
        path = self.new_path()
        return f"hard {self.some()} {path} {self.cset(path)}"

    def soft(self):
        path = self.new_path()
        value = self.r.choice([self.some(), "../" + self.name(), self.name(), "v" * self.r.choice([1, 50, 500])])
        return f"soft {value} {path} {self.cset(path)}"

    def external(self):
        path = self.new_path()
        return f"external other{self.r.randrange(5)}.h5 {self.some()} {path} {self.cset(path)}"

    def move(self):
        path = self.new_path()
        return f"move {self.some_link()} {path} {self.cset(path)}"

    def lcopy(self):
        path = self.new_path()
        return f"lcopy {self.some_link()} {path} {self.cset(path)}"

    def unlink(self):
        return f"unlink {self.some_link()}"

    def unlink_nth(self):
        path = self.some(Group)
        if path in ("/", "/anchor"):
            return None
        r = self.r
        return f"unlink_nth {path} by={r.randrange(2)} back={r.randrange(2)} n={r.randrange(4)}"

    # Attributes and the like

    def values(self, kind):
        mod = MODULUS.get(kind, 9000)
        words = f"base={self.r.randrange(mod)} step={self.r.choice([0, 1, 1, 7, 101])} mod={mod}"
        if kind == "object":
            words += f" to={self.some()}"
        if kind == "region":
            words += f" to={self.r.choice(ANCHORS)}"
        return words

    def type_word(self, kind):
        paths = [p for o, p in self.paths.items() if isinstance(o, Datatype) and o.kind == kind]
        return f"type={self.r.choice(paths)}" if paths and self.r.random() < 0.5 else ""

    def kind(self):
        committed = [o.kind for o in self.paths if isinstance(o, Datatype)]
        kind = self.r.choice(committed if committed and self.r.random() < 0.25 else KINDS)
        # libhdf5 reads past the end of elements whose addresses are narrower in the file.
        return "i16be" if kind in VARIABLE and "sizes" in self.model.options else kind

    def attribute(self):
        kind, name = self.kind(), self.name()
        dims = self.r.choice(["scalar", "scalar", "3", "2,4", "40", "null", "5,2,3", "200"])
        return (f"attribute {self.some()} {name} {kind} dims={dims} {self.values(kind)} {self.type_word(kind)}"
                f" {self.cset(name)}")

    def some_attribute(self, test=lambda o: True):
        objects = [(o, p) for o, p in self.paths.items() if o.attributes and test(o)]
        if not objects:
            return None, None, None
        obj, path = self.r.choice(objects)
        name = self.r.choice(list(obj.attributes))
        return path, name, obj.attributes[name].kind

    def awrite(self):
        path, name, kind = self.some_attribute()
        return path and f"awrite {path} {name} {self.values(kind)}"

    def arename(self):
        # libhdf5 loses the record of the index by order, and then cannot delete the attribute.
        path, name, _ = self.some_attribute(lambda o: not o.aindexed)
        return path and f"arename {path} {name} {self.name()}"

    def adelete(self):
        path, name, _ = self.some_attribute()
        return path and f"adelete {path} {name}"

    def comment(self):
        return f"comment {self.some()} " + self.r.choice(["", "short", "c" * 80, "c" * 300])

    def count(self):
        return f"count {self.some()} by={self.r.choice([1, -1])}"

    def commit(self):
        path = self.new_path()
        return f"commit {path} {self.kind()} {self.cset(path)} {self.object_words()}"

    def hold(self):
        return f"hold {self.some()}"

    def release(self):
        return "release" if self.model.held else None

    def flush(self):
        return "flush"

    def dump(self):
        return "dump"

    # Datasets

    def make_dataset(self):
        r = self.r
        kind, path = self.kind(), self.new_path()
        head = f"dataset {path} {kind} {self.cset(path)} {self.type_word(kind)} {self.object_words()}"
        shape = r.random()
        if shape < 0.06:
            return f"{head} dims={r.choice(['scalar', 'null'])} layout={r.choice(['compact', 'contiguous'])}"
        if shape < 0.1 and self.mode != "v18":
            n = r.choice([2, 3])
            return (f"dataset {path} i32le {self.cset(path)} dims={n * ANCHOR_DIMS[0]},{ANCHOR_DIMS[1]} layout=virtual"
                    f" sources={','.join(ANCHORS[:n])}")
        dims = [r.choice([1, 3, 8, 20, 35]) for _ in range(r.choice([1, 1, 2, 2, 2, 3]))]
        while np.prod(dims) > MOST_ELEMENTS:
            dims[r.randrange(len(dims))] //= 2
        dims = [max(n, 1) for n in dims]
        fill, time = self.fill_words(kind)
        if shape < 0.14 and kind not in VARIABLE:
            self.serial += 1
            return f"{head} dims={commas(dims)} layout=external raw=raw{self.serial}"
        if shape < 0.35:
            layout = r.choice(["compact", "contiguous", "contiguous"])
            space = r.choice(["", "space=1", "space=2"]) if layout == "contiguous" else ""
            return f"{head} dims={commas(dims)} layout={layout} {fill} {time} {space}"
        return f"{head} {self.chunked_words(kind, dims)} {fill} {time}"

    def fill_words(self, kind):
        # libhdf5 has zeros, not the fill value, behind some members of a chunk of which others are written.
        if kind in VARIABLE or kind == "pair" or self.r.random() < 0.5:
            return "", "filled=0"
        return f"fill={self.r.randrange(MODULUS.get(kind, 9000))}", f"filled={self.r.choice([0, 2])}"

    def chunked_words(self, kind, dims):
        r = self.r
        chunk = [r.choice([1, 2, 3, 5, 8, n]) for n in dims]
        unlimited = r.choice([0, 0, 1, 1, len(dims)])
        most = [n + r.choice([0, 0, 10]) for n in dims]
        for axis in r.sample(range(len(dims)), min(unlimited, len(dims))):
            most[axis] = -1
        chunk = [c if m < 0 else min(c, m) for c, m in zip(chunk, most)]
        while np.prod(dims) / np.prod(chunk) > 150:
            axis = r.randrange(len(dims))
            if most[axis] < 0 or chunk[axis] * 2 <= most[axis]:
                chunk[axis] *= 2
            elif all(m >= 0 and c * 2 > m for c, m in zip(chunk, most)):
                break
        words = [f"dims={commas(dims)} max={commas(most)} layout=chunked chunk={commas(chunk)}"]
        filters = self.filters(kind, chunk)
        if filters:
            words.append(f"filters={filters}")
        if r.random() < 0.4:
            words.append(f"space={r.choice([1, 2, 3])}")
        return " ".join(words)

    def filters(self, kind, chunk):
        choices = ["", "", "", "d", "sd"]
        if kind not in VARIABLE:
            choices += ["sdf", "f"]
        if self.mode != "v18":
            choices.append("dp")
        if kind in NUMERIC | {"narrow", "pair"}:
            choices += ["n", "nd"]
        if kind in INTEGERS:
            choices += ["o", "od"]
        if kind in NUMERIC and chunk[-1] % 4 == 0:
            choices.append("z")
        return self.r.choice(choices)

    def some_dataset(self, test=lambda d: True):
        found = [(o, p) for o, p in self.paths.items() if isinstance(o, Dataset) and test(o)]
        return self.r.choice(found) if found else (None, None)

    def slab(self, shape, rectangle=False):
        r = self.r
        parts = []
        for size in shape:
            start = r.choice([0, r.randrange(size)])
            left = size - start
            block = r.choice([1, min(2, left), 1 + r.randrange(left), left])
            stride = block + r.randrange(3)
            count = 1 + r.randrange((left - block) // stride + 1)
            parts.append((start, block, 1, block) if rectangle else (start, stride, count, block))
        return "slab=" + ":".join(commas(part) for part in zip(*parts))

    def select(self, d):
        r = self.r
        shape = d.planes[0].shape
        if not shape or r.random() < 0.15:
            return ""
        how = r.random()
        if how < 0.5:
            return self.slab(shape)
        if how < 0.75 or d.sources:  # libhdf5 takes no points there
            op = r.choice([SELECT_OR, SELECT_AND, SELECT_XOR, SELECT_NOTB])
            # libhdf5 gets the bounds of most other unions wrong, and then refuses them.
            simple = op in (SELECT_OR, SELECT_XOR)
            n = 2 if simple else r.choice([2, 3])
            return " ".join(self.slab(shape, simple) for _ in range(n)) + f" op={op}"
        n = int(np.prod(shape))
        at = r.sample(range(n), min(n, r.choice([1, 5, 20])))
        return "points=" + ",".join(commas(p) for p in np.array(np.unravel_index(at, shape)).T.tolist())

    def write(self):
        d, path = self.some_dataset(lambda o: o.planes[0].size > 0)
        if not d:
            return None
        members = f"members={self.r.choice(['a', 'b', 'ab'])}" if d.kind == "pair" else ""
        return (f"write {path} kind={d.kind} {self.select(d)} {self.values(d.kind)} {members}"
                f" stride={self.r.choice([1, 1, 1, 2])}")

    def read(self):
        d, path = self.some_dataset(lambda o: o.planes[0].size > 0)
        return d and f"read {path} {self.select(d)} stride={self.r.choice([1, 2])}"

    def chunk(self):
        d, path = self.some_dataset(lambda o: o.kind == "i32le" and o.chunk and not o.filters)
        if not d:
            return None
        whole = [s // c for s, c in zip(d.planes[0].shape, d.chunk)]
        if 0 in whole:
            return None
        at = [self.r.randrange(n) * c for n, c in zip(whole, d.chunk)]
        return f"chunk {path} at={commas(at)} n={np.prod(d.chunk)} {self.values('i32le')}"

    def extent(self):
        r = self.r
        d, path = self.some_dataset(lambda o: o.layout == "chunked")
        if not d:
            return None
        most = [int(n) for n in d.max.split(",")]
        dims = list(d.planes[0].shape)
        for axis in range(len(dims)):
            if r.random() < 0.7:
                top = most[axis] if most[axis] >= 0 else r.choice([5, 25, 60])
                dims[axis] = r.choice([0, r.randrange(top + 1), r.randrange(top + 1), top])
        if np.prod(dims) > MOST_ELEMENTS or np.prod([-(-n // c) for n, c in zip(dims, d.chunk)]) > 200:
            return None
        return f"extent {path} dims={commas(dims)}"

    def copy(self):
        path = self.new_path()
        return f"copy {self.some()} {path} {self.cset(path)}"
