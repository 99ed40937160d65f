"""Whole families of differences that mean nothing, each told from the program by one rule. What a rule hides, and why that cannot
matter, stands above it.

Programs are given as lines, of which those that end with " !" failed in stock."""
import re

import aliases

VAST, VAST_BLOCK = 1 << 31, 10 ** 18
UNLIMITED = {"-1", "18446744073709551615"}


def names_in(line):
    return re.findall(r"[$&](\w+)", line)


def words(line):
    label, _, call = line.partition(": ")
    function, *tokens = call.split()
    return label, function, [token for token in tokens if token != "!"]


def failed(line):
    return line.endswith(" !")


# Calls that libhdf5 does in part before it refuses them, and those that tell of that part: the layout is virtual already, the old
# transform freed and still in the list, storage made, some elements written, the attribute in memory changed, "all" turned into
# blocks. Hidden is what the latter tell of the object that the former named first, whichever of its ids they have, or of what was made
# with it, and the elements in files, once the call failed in both, and not because of its arguments alone. A program that goes on with
# such an object knows that the change failed, and nothing else; that it fails is compared.
HALF_DONE = {
    r"H5Pset_virtual": r"H5[PD]\w+",
    r"H5Pset_data_transform": r"H5\w+",
    r"H5Dwrite": r"H5D(read|get_)\w*",
    r"H5Awrite": r"H5Aread",
    r"H5Sselect_hyperslab": r"H5Sget_\w+|H5Sis_regular_hyperslab|H5Sencode\d?",
}
# Of these nothing is done when an argument alone was wrong.
WHOLE_OR_NOT = {"H5Pset_data_transform", "H5Dwrite", "H5Awrite"}
OPENING = r"H5[ADO]open\w*|H5Rdereference\d?"


def refused_arguments(entries):
    """Labels of calls that failed because of an argument."""
    return {entry["l"] for entry in entries if entry["st"] == "fail" and (entry.get("e") or [None])[0] in ("H5E_ARGS", "H5E_ATOM")}


def half_done(lines, refused):
    """Functions that may have done something before they failed, with the place of the line and what it named first."""
    for at, line in enumerate(lines):
        label, function, _ = words(line)
        if function in HALF_DONE and failed(line) and names_in(line) and not (label in refused and function in WHOLE_OR_NOT):
            yield function, at, names_in(line)[0]


def ids_of(label, function, lines):
    """Labels of what may be the same object: of datasets and attributes those that were opened, and all when it was itself."""
    if not function.endswith("write"):
        return {label}
    opened = {words(line)[0] for line in lines if re.fullmatch(OPENING, words(line)[1])}
    return {words(line)[0] for line in lines} if label in opened else opened | {label}


def made_of(labels, function, lines):
    """These and, but for what was written, all that refers to them."""
    made = set(labels)
    for line in [] if function.endswith("write") else lines:
        if made & set(names_in(line)):
            made.add(words(line)[0])
    return made


def is_left_half_done(lines, refused):
    *before, last = lines
    return any(re.fullmatch(HALF_DONE[function], words(last)[1]) and
               made_of(ids_of(name, function, before), function, before[at + 1:]) & set(names_in(last))
               for function, at, name in half_done(before, refused))


def is_filed_half_done(item, lines, refused):
    """Whether the item of a file, "elements" of something for one, may come of it."""
    return any(item[1] == "elements" if function.endswith("write") else
               any(re.match(r"\w+: H5Dcreate", line) and name in names_in(line) and not failed(line) for line in lines[at:])
               for function, at, name in half_done(lines, refused))


# A chunk that nobody can decode, because it was written directly, stops a change of extent in the middle: libhdf5 has the new extent by then,
# of some chunks. Hidden is what is told of any dataset and dataspace, and is in the file, after a change of extent failed in such a program.
def is_half_extended(what, lines):
    text = "\n".join(lines[:-1] if what != "file" else lines)
    return re.search(r": H5Dwrite_chunk [^!\n]*\n[\s\S]*: H5D(set_extent|extend) [^\n]* !(\n|\Z)", text) is not None and \
        (what == "file" or re.match(r"H5[DS]", words(lines[-1])[1]) is not None)


class Shapes:
    """The dimensions of dataspaces and datasets, by the labels of the calls that made them; what is not known is None."""
    MADE_WITH = {"H5Dcreate1": 3, "H5Dcreate2": 3, "H5Dcreate_anon": 2}

    def __init__(self, lines):
        self.of = {}
        for line in lines:
            if not failed(line):
                self._follow(*words(line))

    def _follow(self, label, function, tokens):
        first = tokens[0].lstrip("$&") if tokens else ""
        if function in self.MADE_WITH:
            self.of[label] = self.at(tokens, self.MADE_WITH[function])
        elif function == "H5Screate_simple":
            self.of[label] = literal(tokens[1])
        elif function == "H5Screate":
            self.of[label] = "[]" if tokens[0] in ("H5S_SCALAR", "0") else None
        elif re.fullmatch(r"H5Scopy|H5Dget_space|H5Scombine_\w+", function):
            self.of[label] = self.of.get(first)
        elif re.fullmatch(r"H5Dset_extent|H5Dextend", function):
            self.of[first] = None
        elif function == "H5Sset_extent_simple":
            self.of[first] = literal(tokens[2])
        elif function == "H5Sextent_copy":
            self.of[first] = self.at(tokens, 1)
        elif function in ("H5Sset_extent_none", "H5Sselect_copy"):
            self.of[first] = None

    def at(self, tokens, index):
        return self.of.get(tokens[index].lstrip("$&")) if index < len(tokens) else None


def literal(token):
    return token if token.startswith("[") else None


# Calls that are given a selection in a dataset, and which argument it is. libhdf5 takes one of a dataspace of any shape, and then reads,
# writes or counts other elements than the selected ones, or what lies behind the dataset; Tessera refuses what is not within it.
# Hidden is whether such a call succeeds and what it gives, when the space is not known to have the dataset's shape: no program can mean
# those elements. Where both fail in the end, libhdf5 does so as deep as it came with them: hidden is its record, too, if it is of
# datasets, and not of an argument.
SELECTING = {"H5Dread": 3, "H5Dwrite": 3, "H5Dvlen_get_buf_size": 2, "H5Dget_num_chunks": 1, "H5Dget_chunk_info": 1}


# The same for many at a time: lists of datasets and of their spaces.
SELECTING_MANY = {"H5Dread_multi": (1, 4), "H5Dwrite_multi": (1, 4)}


def selections(function, tokens):
    """Pairs of the dataset, or what else is said first, and the space that a call is given."""
    if function in SELECTING_MANY:
        datasets, spaces = (tokens[at][1:-1].split(",") if at < len(tokens) else [] for at in SELECTING_MANY[function])
        return zip(datasets, spaces)
    at = SELECTING.get(function, len(tokens))
    return [(tokens[0], tokens[at])] if at < len(tokens) else []


def is_of_another_shape(lines):
    _, function, tokens = words(lines[-1])
    shapes = Shapes(lines[:-1])
    for dataset, space in selections(function, tokens):
        shape = shapes.of.get(space.lstrip("$&"))
        if space.startswith("$") and (shape is None or shape != shapes.of.get(dataset.lstrip("$&"))):
            return True
    return False


# Calls in which a size, a place or an address may be vast: from 31 bits on, of blocks from 10^18 on. Where two of them are added
# or multiplied, or a file has fewer bits for one, libhdf5 goes on with what is left of it, and Tessera refuses. Hidden is that calls
# with such numbers, and calls about what was made with them, fail here only, and the counts and sizes that they tell: what
# overflowed is no size. Sizes that stand for "unlimited" and "variable" are none of those in what was made before.
SIZED = r"H5S(create|set_extent)_simple|H5S(select|combine)_hyperslab|H5Soffset_simple|" \
        r"H5FD(alloc|free|read|write|set_eoa|truncate|open)|" \
        r"H5T(create|set_(size|precision|offset|fields|ebias)|array_create\d|insert)|H5Fincrement_filesize"
MADE_OF = r"\w+: H5([ST]\w+|[AD](create|get_space|get_type)\w*|FDopen) "


def has_vast(line, besides=UNLIMITED):
    _, function, tokens = words(line)
    if not re.fullmatch(SIZED, function):
        return False
    if re.fullmatch(r"H5S(create|set_extent)_simple", function):
        tokens = tokens[:-1]
    if re.fullmatch(r"H5T(create|set_size)", function):
        besides = UNLIMITED
    places = [token for token in tokens if re.fullmatch(r"\[?-?\d[-\d,]*\]?", token)]
    numbers = {number for token in places for number in re.findall(r"-?\d+", token)} - besides
    least = VAST_BLOCK if function.endswith("hyperslab") else VAST
    return any(int(number) < 0 or int(number) >= least for number in numbers)


def is_about_vast(lines):
    *before, last = lines
    made = set()
    for line in before:
        if not failed(line) and (has_vast(line) or made & set(names_in(line)) and re.match(MADE_OF, line)):
            made |= {line.partition(":")[0]} | set(names_in(line)[:1])
    return has_vast(last, set()) or bool(made & set(names_in(last)))


# Functions whose order is nobody's to rely on: that of a hash table, or of messages in a header. Hidden is the order in which the
# application's function is told of the same things, and of which of them when it stops after some.
UNORDERED = r"H5Piterate|H5Iiterate|H5Aiterate1"
NATIVE = r"H5(Aiterate2|Aiterate_by_name|Literate\w*|[LO]visit\w*)"


def is_another_order(lines, stock, ours):
    _, function, tokens = words(lines[-1])
    if not re.fullmatch(UNORDERED, function) and not (re.fullmatch(NATIVE, function) and {"2", "H5_ITER_NATIVE"} & set(tokens)):
        return False
    if len(stock) != len(ours):
        return False
    stopped = any(re.fullmatch(r"cb:-?\d+@\d+", token) for token in tokens)
    return stopped or sorted(map(str, stock)) == sorted(map(str, ours))


# A conversion of the application is asked whether it will do, and told when it is not needed any more, whenever a library comes to
# make or drop what it converts with; which it keeps is its own business. Hidden are these calls, without elements, and that libhdf5 gives
# a background that was not asked for; that it is called for elements, and for how many, is compared.
BACKGROUND = 8


def without_questions(calls, others):
    """Where the others have no background, these have none."""
    told = [list(call) for call in calls if call[0] != "H5T_conv_t" or call[4] > 0]
    for call, other in zip(told, (call for call in others if call[0] != "H5T_conv_t" or call[4] > 0)):
        if call[0] == other[0] == "H5T_conv_t" and other[BACKGROUND] is None:
            call[BACKGROUND] = None
    return told


def is_asked_again(stock, ours):
    return without_questions(stock, ours) == without_questions(ours, ours)


# An encoded list has its properties one after the other in the order in which the list is gone through. Hidden is that order: whoever
# decodes it finds each by its name.
ENCODING = r"H5Pencode\d?"


def is_encoded_in_another_order(lines, stock, ours):
    """The same bytes, and as many of them."""
    return re.fullmatch(ENCODING, words(lines[-1])[1]) and set(stock) == set(ours) == {"buf"} and \
        all(isinstance(told["buf"], str) for told in (stock, ours)) and sorted(pieces(stock["buf"])) == sorted(pieces(ours["buf"]))


def pieces(encoded):
    return [encoded[at:at + 2] for at in range(0, len(encoded), 2)]


# Types that contain a compound without members: libhdf5 looks at the outermost type only, and stores what it cannot open again, with
# all that is attached to it. Here they cannot be stored. Hidden is that what is to be stored with such a type fails here only.
HOLLOW = r"H5T(vlen_create|array_create\d?|insert)"
STORING = r"H5(Tcommit|Dcreate|Acreate)\w*"


def is_hollow(lines):
    *before, last = lines
    empty, hollow = set(), set()
    for line in before:
        label, function, tokens = words(line)
        names = names_in(line)
        if failed(line) or not function.startswith("H5T"):
            continue
        if function == "H5Tcreate" and tokens[0] in ("H5T_COMPOUND", "6") or function == "H5Tcopy" and set(names) & empty:
            empty.add(label)
        elif re.fullmatch(HOLLOW, function) and set(names[-1:]) & (empty | hollow):
            hollow.add(names[0] if function == "H5Tinsert" else label)
        elif set(names) & hollow:
            hollow.add(label)
        empty -= set(names[:1]) if function == "H5Tinsert" else set()
    return re.fullmatch(STORING, words(last)[1]) is not None and bool(hollow & set(names_in(last)))


# A conversion of the application that was told to fail, or to say that it did well, sets nothing, and leaves what was in the library's
# buffer: bytes behind a smaller source are memory that libhdf5 never set, here they are 0. Hidden is what is read, filled or in a
# file once one of a program with such functions was given elements. That it is called, for how many, and what it returns, is compared.
CONVERTED = r"H5[AD]\w+|H5Tconvert|H5Pget_fill_value"


def is_left_by_application(what, lines, entries):
    given = [call for entry in entries[:len(lines)] for call in entry.get("cb", []) if call[0] == "H5T_conv_t"]
    told = any(re.match(r"\w+: H5Tregister .* cb:", line) for line in lines)
    return told and any(call[4] > 0 for call in given) and (what in ("data", "file") or what == "output" and
                                                   re.fullmatch(CONVERTED, words(lines[-1])[1]) is not None)


# How often a library copies a list that it keeps, to look at it, is its own business (H5Zunregister looks at those of all open datasets
# so). Hidden is that functions of properties are called in functions that are not about lists; and that a call fails in one of
# them only where such a function was to fail at its n-th call, once it was called more often in the other.
PROPERTIES = r"H5P_(prp|cls)_\w+_func_t"


def of_properties(entry):
    return [call for call in entry.get("cb", []) if re.fullmatch(PROPERTIES, call[0])]


def is_another_copy(difference):
    stock, ours = ([call for call in calls if not re.fullmatch(PROPERTIES, call[0])] for calls in (difference.stock, difference.ours))
    return stock == ours and not difference.function.startswith("H5P")


def is_out_of_step(stock, ours):
    """Whether two lists of entries end with calls in which functions of properties fail, and these were called more often in one."""
    return bool(of_properties(stock[-1]) or of_properties(ours[-1])) and \
        any(len(of_properties(one)) != len(of_properties(other)) for one, other in zip(stock[:-1], ours[:-1]))


def is_meant(difference, lines, entries):
    """Whether a difference in what the last line does is of such a family; entries are what stock told of each call."""
    what, stock, ours = difference.what, difference.stock, difference.ours
    if what == "callback" and (is_another_order(lines, stock, ours) or is_another_copy(difference) or is_asked_again(stock, ours)) or \
            is_left_by_application(what, lines, entries) or what == "output" and is_encoded_in_another_order(lines, stock, ours):
        return True
    refused = refused_arguments(entries)
    if what == "file":
        return is_filed_half_done(stock[0], lines, refused) or is_half_extended(what, lines)
    return is_left_half_done(lines, refused) or is_left_half_done(aliases.as_one(lines), refused) or is_half_extended(what, lines) or \
        (what not in ("class", "text") or stock[0] in ("H5E_DATASET", "H5E_DATASPACE")) and is_of_another_shape(lines) or \
        what == "return" and "ours fail" in difference.detail and is_hollow(lines) or \
        what in ("return", "output") and "stock fail" not in difference.detail and is_about_vast(lines)
