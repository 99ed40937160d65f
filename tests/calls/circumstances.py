"""What is meant to be different because of what a program did before.

Dataspaces in which libhdf5 keeps what does not fit any more, and those that came of them: what it says of them is nonsense.

- A selection of hyperslabs or points stays when the extent gets another number of dimensions, and is read behind its end from
  then on. Here it becomes "all". (H5Sselect_copy into a space of another rank, which makes the same, fails here.)
- A selection that is copied to its own space is let go first.
- A space that lost its extent is encoded as one of a single element.
- H5Sselect_adjust moves a hyperslab, but not what H5Sget_regular_hyperslab and the list of blocks tell of it, nor the bounds of
  an unlimited one.
- H5Sselect_adjust looks whether the selection would leave the extent with its offset, and moves it without.
- H5Sselect_intersect_block looks for points without the offset, and for their bounds with it.
- Points one behind the end of the extent are valid in libhdf5.
- A simple space has no dimensions before its extent is set: any hyperslab can be selected in it.

Types that are converted otherwise (docs/compatibility.md): integers in the order of the VAX, which libhdf5 takes for little-endian
when it makes floats of them and does not convert to integers; floats whose highest bit is stored, which it does not convert; those without
a mantissa or an exponent, or with another bias, where it overwrites what an exception left; a bias of more than 32 bits, which is none here; and enumerations
without members, which it cannot copy. And of classes other than strings that are created with a variable size, libhdf5 tells this
number as their size.

A chunk that was written directly and cannot be decoded: libhdf5 reads it before it is written over as a whole.

Files for the earliest readers only, which H5Pset_libver_bounds does not allow, and H5Fset_libver_bounds does: libhdf5 makes neither
datasets nor types with arrays in them.

References that are looked for in another file than that they were made in: where things lie is each library's own choice."""
import re

ADJUSTED = r"H5Sget_(regular_hyperslab|select_hyper_blocklist|select_bounds)"
VAST = r"\w+: H5T(create|set_size|set_precision) [^\n]*\d{9,}$"
ENDLESS = r"\w+: H5Tcreate (?!H5T_STRING|3 )\S+ -1$"
TOO_OLD = r"\w+: H5Fset_libver_bounds \S+ H5F_LIBVER_EARLIEST H5F_LIBVER_EARLIEST$"
BIASED = r"\w+: H5Tset_(ebias \S+ (-1|\d{10,})|(offset|precision) \S+ \d{6,})$"
VARIABLE = r"\w+: (H5Tset_size \S+|H5Tcreate (H5T_STRING|3)) -1$"
INSIDE = r"\w+: H5Tset_(size \S+ -1|offset |precision )"
STORED = r"\w+: H5Dwrite_chunk "
CREATING = r"H5Tcommit\w*|H5[AD]create\w*"
CONVERTING = r"H5T(convert|find|compiler_conv)|H5D(fill|(read|write)(_multi)?|vlen_get_buf_size)|H5A(read|write)|H5P[sg]et_fill_value"
UNUSUAL = r"\w+: H5T(set_order \$(\w+) H5T_ORDER_VAX|set_norm \$(\w+) H5T_NORM_MSBSET|set_ebias \$(\w+) |set_fields \$(\w+)( \S+){4} 0$|set_fields \$(\w+)( \S+){2} 0 )"
KEEPING_TYPE = r"H5(T|[AD](create|open|get_type)|Dget_create_plist|Pset_fill|Pcopy)"
REFERRING = r"H5R(dereference\d|get_obj_type\d|get_name|get_region)"
STORING = r"H5[AD](create\w*|get_space)"
SELECTING = r"H5Sselect_(hyperslab|elements)|H5Scombine_\w+|H5Sselect_project_intersection"


class Spaces:
    """By the labels of a script's lines."""

    def __init__(self):
        self.ranks = {}
        self.selected, self.spoiled, self.adjusted, self.bare = set(), set(), set(), set()
        self.pointed, self.moved = set(), set()
        self.dims, self.places = {}, {}

    def follow(self, line):
        """What failed changed nothing."""
        if line.endswith(" !"):
            return
        label, function, *tokens = line.replace(":", "", 1).split()
        names = [token[1:] for token in tokens if token[:1] in "$&"]
        if re.fullmatch(STORING, function):
            self.spoiled |= {label} if self.spoiled & set(names) else set()
        if not function.startswith("H5S"):
            return
        if function == "H5Screate_simple":
            self.ranks[label] = number(tokens[0])
            self.dims[label] = numbers(tokens[1])
        elif function == "H5Screate":
            self.ranks[label] = 0
            self.bare |= {label} if tokens == ["H5S_SIMPLE"] else set()
        elif names and re.fullmatch(r"H5S(copy|combine_\w+|encode\d?|decode)", function):
            self._inherit(label, names[0])
        elif names and function == "H5Sselect_project_intersection":
            self._inherit(label, names[min(1, len(names) - 1)])
        elif names:
            self._change(function, names, tokens)
        for kind in (self.spoiled, self.adjusted):
            if kind & set(names):
                kind |= {label}
        if names and re.fullmatch(SELECTING, function):
            self.selected |= {label, names[0]}
        if names and function == "H5Sselect_elements":
            self.pointed |= {names[0]}
            rank = len(self.dims.get(names[0]) or [0])
            self.places[names[0]] = self.places.get(names[0], []) + numbers(tokens[3])[:rank * (number(tokens[2]) or 0)]

    def behind(self, names):
        """Those of which a point may lie behind the end of the extent that they have by now."""
        return {name for name in names if self._is_behind(self.dims.get(name) or [0], self.places.get(name, []))}

    @staticmethod
    def _is_behind(dims, places):
        return any(place == dims[index % len(dims)] for index, place in enumerate(places))

    def _inherit(self, label, source):
        self.ranks[label] = self.ranks.get(source)
        self.dims[label] = self.dims.get(source)
        self.places[label] = self.places.get(source, [])
        for kind in (self.selected, self.spoiled, self.adjusted, self.bare, self.pointed, self.moved):
            if source in kind:
                kind |= {label}

    def _change(self, function, names, tokens):
        target, source = names[0], names[-1]
        if function == "H5Sset_extent_none":
            self.spoiled |= {target}
            self.ranks[target] = 0
        elif function == "H5Sset_extent_simple":
            self._set_rank(target, number(tokens[1]))
            self.dims[target] = numbers(tokens[2])[:number(tokens[1])]
        elif function == "H5Sextent_copy":
            self._set_rank(target, self.ranks.get(source))
            self.dims[target] = self.dims.get(source)
            self.spoiled |= {target} if target == source or source in self.spoiled else set()
        elif function == "H5Sselect_copy":
            self.places[target] = self.places.get(source, [])
            for kind in (self.selected, self.spoiled, self.adjusted, self.pointed, self.moved):
                kind |= {target} if source in kind else set()
            self.spoiled |= {target} if target == source else set()
        elif function == "H5Smodify_select" and {target, source} & self.spoiled:
            self.spoiled |= {target}
        elif function == "H5Sselect_adjust":
            self.adjusted |= {target}
        elif function == "H5Soffset_simple":
            self.moved |= {target}

    def _set_rank(self, target, rank):
        if rank == 0 or target in self.selected and rank != self.ranks.get(target):
            self.spoiled |= {target}
        self.ranks[target] = rank
        self.bare -= {target}


def number(token):
    return int(token) if re.fullmatch(r"-?\d+", token) else None


def numbers(token):
    return [int(part) for part in re.findall(r"-?\d+", token)] if token.startswith("[") else []


def names_in(line):
    return re.findall(r"[$&](\w+)", line)


def unusual_types(lines):
    """Labels of types that are converted otherwise, and of what was made with them."""
    unusual = set()
    lines = [line for line in lines if not line.endswith(" !")]
    for line in lines:
        label, function = line.split(": ")[0], line.split()[1]
        changed = re.match(UNUSUAL, line)
        if changed:
            unusual |= set(names_in(line))
        elif re.fullmatch(r"H5T(create|enum_create)", function) and ("H5T_ENUM" in line or "enum" in function):
            unusual |= {label}
        elif function == "H5Tenum_insert" and not any(re.match(UNUSUAL, other) for other in lines if names_in(line)[:1] == names_in(other)[:1]):
            unusual -= set(names_in(line)[:1])
        elif unusual & set(names_in(line)) and re.match(KEEPING_TYPE, function):
            unusual |= {label} | (set(names_in(line)[:1]) if function in ("H5Tinsert", "H5Pset_fill_value") else set())
    return unusual


def file_of(label, lines):
    """The label of the call that made or opened the file in which something is."""
    made = next((line for line in lines if line.startswith(f"{label}: ")), "")
    if re.match(r"\w+: H5F(create|open) ", made) or not names_in(made):
        return label
    return file_of(names_in(made)[0], lines)


def came_of(pattern, lines):
    """Labels of the lines that match, and of those that refer to them."""
    labels = set()
    for line in lines:
        if re.match(pattern, line) or labels & set(names_in(line)):
            labels.add(line.split(":")[0])
    return labels


def came_of_changed(pattern, lines):
    """What the lines that match change, and what refers to it from then on."""
    labels = set()
    for line in lines:
        if re.match(pattern, line):
            labels |= set(names_in(line)[:1])
        elif labels & set(names_in(line)):
            labels.add(line.split(":")[0])
    return labels


def changed_inside(lines):
    """Labels of strings of variable size that were made so again, or were to have bits elsewhere, and what came of them: libhdf5
    does it to their characters."""
    variable, changed = set(), set()
    for line in lines:
        label, names = line.split(":")[0], set(names_in(line))
        if variable & names and re.match(INSIDE, line):
            changed |= variable & names
        elif changed & names:
            changed.add(label)
        if re.match(VARIABLE, line):
            variable |= names or {label}
        elif variable & names and re.match(r"\w+: H5Tcopy ", line):
            variable.add(label)
    return changed


def is_beyond_memory(lines):
    """Whether the last line has a type that no buffer here is large enough for."""
    *before, line = lines
    return bool(set(names_in(line)) & (came_of(VAST, before) | came_of_changed(VAST, before)))


def is_foreign(line, lines):
    """A reference, and a location in another file."""
    place, *references = names_in(line)
    return len(references) > 0 and file_of(place, lines) != file_of(references[-1], lines)


def is_meant(lines):
    """Whether the last line is about something of that kind, or what came of it."""
    *before, line = lines
    spaces = Spaces()
    for earlier in before:
        spaces.follow(earlier)
    names, function = set(names_in(line)), line.split()[1]
    return bool(names & spaces.spoiled or re.fullmatch(ADJUSTED, function) and names & spaces.adjusted or
                re.fullmatch(SELECTING, function) and names & spaces.bare or
                re.fullmatch(r"H5D(read|write)", function) and spaces.behind(names) or
                function == "H5Sselect_adjust" and names & spaces.moved or function == "H5Sselect_valid" and names & spaces.pointed or
                function == "H5Sselect_intersect_block" and names & spaces.moved & spaces.pointed or
                re.fullmatch(CONVERTING, function) and names & unusual_types(before) or
                re.fullmatch(REFERRING, function) and names and is_foreign(line, before) or
                names & came_of(ENDLESS, before) or names & changed_inside(before) or
                re.fullmatch(CREATING + "|H5Tencode", function) and names & came_of_changed(BIASED, before) or
                function == "H5Dwrite" and names & came_of_changed(STORED, before) or
                re.fullmatch(CREATING, function) and any(re.match(TOO_OLD, earlier) for earlier in before))
