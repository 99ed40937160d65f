"""Plays calls of the public API on one library and tells what came of them.

A script is a list of lines `LABEL: FUNCTION ARGUMENT...`. An argument is

    $LABEL        what the call of that line returned (an id, a pointer)
    &LABEL        the memory that the call of that line filled
    7 -1 0.5      a number; H5T_INTEGER or H5T_NATIVE_INT_g: a constant, or a variable, of the headers
    "text" NULL   a string, a null pointer
    out           room for whatever comes
    [1,2,$a]      an array of whatever the parameter points at, and room behind it
    {a=1,b="x"}   a structure: a valid one, with these fields changed
    raw:9 zero    9 bytes of some pattern; a page of zeros
    data:5        elements as the call needs them, made from seed 5
    cb cb:-1@2    a function that tells what it is given and returns 0; -1 when called the second time
    cb:open@1     one that uses the library itself when it is called the first time (open, unlink, create, attribute, close)
    addr:$LABEL   where an object lies; token:$LABEL what 1.12 and later have instead
    bufs          room for several things, each behind a pointer
    FILE          a stream
"""
import ctypes as c
import json
import re

import abi
import buffers
import eventset
import headers
import newer
import values

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\{(?:[^}"]|"(?:[^"\\]|\\.)*")*\}|\S+')
ROOM = 65536
CANARY = 0xA5
MORE = 64  # Sizes that a call reads behind the end of a short list are 1.
UNTOUCHED = "~"
# Records that a stack of libhdf5 holds.
FULL = 32
# Classes of errors have new names since 1.14.
NEW_WORDS = {"H5E_ID": "H5E_ATOM", "H5E_BADID": "H5E_BADATOM"}


class Call:
    """One call: its values in ctypes, and what must be looked at when it is over."""

    def __init__(self, function, tokens):
        self.function = function
        self.tokens = tokens
        self.values = [None] * len(tokens)
        self.reports = []
        self.kept = []
        self.memory = None
        self.told = []


class Skip(Exception):
    pass


class Library:
    """A libhdf5, whichever it is."""

    def __init__(self, path, facts):
        self.facts = facts
        self.handle = c.CDLL(path)
        self.handle.free = c.CDLL(None).free
        # What headers declare and this library does not have is not called.
        facts.functions = {name: function for name, function in facts.functions.items() if hasattr(self.handle, function.symbol)}
        abi.adapt(facts)
        for function in facts.functions.values():
            self._declare(function)

    def _declare(self, function):
        symbol = getattr(self.handle, function.symbol)
        result = function.result
        if result == "char*":
            symbol.restype = c.c_void_p
        elif "*" in result or result == "H5T_conv_t":
            symbol.restype = c.c_void_p
        else:
            symbol.restype = abi.scalar(result, self.facts)
        kinds = [p.ctype for p in function.parameters]
        if "..." not in kinds:
            symbol.argtypes = [abi.passed(kind, self.facts) for kind in kinds]
        else:
            symbol.argtypes = [abi.passed(kind, self.facts) for kind in kinds if kind != "..."]
        setattr(self, function.name, symbol)

    def has(self, variable):
        return hasattr(self.handle, variable)

    def variable(self, name):
        if not self.has(name):
            raise Skip("no such variable")
        return c.c_int64.in_dll(self.handle, name).value


class Player:
    def __init__(self, library, write):
        self.lib = library
        self.facts = library.facts
        self.write = write
        self.slots = {}
        self.memories = {}
        self.ids = set()
        self.kept = []
        self.calls = []
        self.kinds = {value: name for name, value in self.facts.enums["H5I_type_t"].items()}
        self.lib.H5open()
        self.lib.H5Eset_auto2(0, None, None)
        self._read_classes()
        self.outermost = abi.callback_type("H5E_walk2_t")(self._record)
        self.found = None

    def _read_classes(self):
        names = [name for name in self.facts.variables if name.startswith("H5E_") and self.lib.has(name)]
        self.classes = {self.lib.variable(name): NEW_WORDS.get(name[:-2], name[:-2]) for name in names}

    def _start_again(self):
        """Of a library that was closed no id is left; numbers of old ones may be given to others."""
        self.lib.H5open()
        self.lib.H5Eset_auto2(0, None, None)
        self._read_classes()
        self.slots = {label: value for label, value in self.slots.items() if label not in self.ids}
        self.ids = set()

    # Lines.

    def play(self, line):
        """Plays one line; returns what is to be told of it."""
        label, name, tokens = parse(line)
        entry = {"l": label, "f": name}
        function = self.facts.functions.get(name)
        if function is None:
            self.slots[label] = -1
            return dict(entry, st="skip", why="no such function")
        call = Call(function, tokens)
        self.kept.append(call)
        self.calls.append(call)
        try:
            self._decode_all(call)
        except Skip as reason:
            self.calls.pop()
            self.slots[label] = -1
            return dict(entry, st="skip", why=str(reason))
        result = getattr(self.lib, name)(*call.values)
        result, self.late = eventset.settled(self, call, result)
        self.calls.pop()
        entry.update(self._outcome(call, result))
        self.slots[label] = result if result is not None else -1
        if function.result == "hid_t":
            self.ids.add(label)
        if name == "H5close":
            self._start_again()
        if call.memory is not None and (entry["st"] == "ok" or type(call.memory).__name__ not in newer.KEPT):
            self.memories[label] = call.memory
        if call.told:
            entry["cb"] = call.told
        return entry

    def _decode_all(self, call):
        parameters = call.function.parameters
        later = []
        for index, token in enumerate(call.tokens):
            if token.startswith("data:") or buffers.is_typed(call.function.name, parameters[index].name):
                later.append(index)
            else:
                call.values[index] = self._decode(call, token, parameters[index])
        for index in later:
            token = call.tokens[index]
            if token == "NULL" or token.startswith("&") or token.startswith("$"):
                call.values[index] = self._decode(call, token, parameters[index])
            else:
                call.values[index] = buffers.typed(self, call, index)

    def _outcome(self, call, result):
        kind = call.function.result
        error = None
        failed = self.failed(kind, result)
        if failed:
            error = self.late or self.error()
            # No way to tell 0 from a failure but by what was reported.
            failed = error is not None or kind not in ("size_t", "hsize_t")
        if failed:
            return {"st": "fail", "e": error}
        entry = {"st": "ok", "r": self._returned(call, kind, result)}
        outputs = {}
        for name, report in call.reports:
            told = report()
            if told is not None:
                outputs[name] = told
        if outputs:
            entry["o"] = outputs
        return entry

    def failed(self, kind, result):
        if "*" in kind or kind == "H5T_conv_t":
            return result is None
        if kind in ("size_t", "hsize_t"):
            return result == 0
        if kind == "haddr_t":
            return result == 2**64 - 1
        return result < 0

    def _returned(self, call, kind, result):
        if kind == "hid_t":
            return self.id_kind(result)
        if kind == "H5I_type_t":
            return self.kind_name(result)
        if kind == "char*" and result:
            return c.string_at(result).decode("latin-1")
        if "*" in kind or kind == "H5T_conv_t":
            return "pointer" if result else None
        return result

    def id_kind(self, value):
        return self.kind_name(self.lib.H5Iget_type(value))

    def kind_name(self, number):
        """Types of the application have numbers that mean nothing."""
        return "H5I_USER" if number >= self.facts.constants["H5I_NTYPES"] else self.kinds.get(number, "H5I_BADID")

    # Errors.

    def error(self, stack=0):
        """Class and text of the outermost record, or None; and whether the stack has room for no more."""
        self.found = None
        self.lib.H5Ewalk2(stack, 1, c.cast(self.outermost, c.c_void_p), None)
        full = self.found is not None and self.lib.H5Eget_num(stack) >= FULL
        return self.found + ["full"] if full else self.found

    def _record(self, number, address, _):
        if self.found is None:
            self.found = self.record_told(c.cast(address, c.POINTER(abi.structures["H5E_error2_t"])).contents)
        return 0

    def record_told(self, record):
        return [self.classes.get(record.maj_num, "other"), self.classes.get(record.min_num, "other"),
                c.string_at(record.desc).decode("latin-1") if record.desc else None]

    # Arguments.

    def number(self, token):
        if token.startswith("$"):
            value = self.slots.get(token[1:], -1)
            return value if value is not None else 0
        if token.startswith("addr:"):
            return self._address(self.number(token[5:]))
        if token in self.facts.constants:
            return self.facts.constants[token]
        if token.startswith("H5") and not token.endswith("_g"):
            raise Skip("no such constant")
        if token.endswith("_g"):
            return self.lib.variable(token)
        return float(token) if re.fullmatch(r"-?\d*\.\d+(e-?\d+)?|-?inf|nan", token) else int(token, 0)

    def _address(self, value):
        """Where an object lies: a number that is nobody else's."""
        info = abi.structures["H5O_info_t"]()
        return info.addr if self.lib.H5Oget_info(value, c.byref(info)) >= 0 else 2**64 - 1

    def _token(self, call, token, ctype):
        """By value, or where it lies."""
        kept = self.memories.get(token[1:]) if token.startswith("&") else None
        if kept is None:
            kept = abi.structures["H5O_token_t"]()
            info = abi.structures["H5O_info2_t"]()
            if token.startswith("token:") and self.lib.H5Oget_info3(self.number(token[6:]), c.byref(info), 1) >= 0:
                kept.data[:] = info.token[:]
        call.kept.append(kept)
        return kept if ctype == "H5O_token_t" else c.cast(c.pointer(kept), c.c_void_p)

    def _decode(self, call, token, parameter):
        ctype = parameter.ctype
        if ctype == "...":
            return c.c_int(int(token))
        if token.startswith("token:") or ctype == "H5O_token_t":
            return self._token(call, token, ctype)
        kind = abi.scalar(ctype, self.facts)
        if kind is c.c_double:
            return c.c_double(self.number(token))
        if kind is not None:
            return kind(int(self.number(token)) & (2 ** (8 * c.sizeof(kind)) - 1))
        if token == "NULL":
            return None
        if token.startswith("$"):
            value = self.number(token)
            return c.c_void_p(value if value != -1 else None)
        if token.startswith("&"):
            memory = self.memories.get(token[1:])
            if memory is None:
                raise Skip("no memory")
            return c.cast(memory if isinstance(memory, c.Array) else c.pointer(memory), c.c_void_p)
        if token.startswith("cb"):
            return self._function(call, token, ctype)
        return self._pointer(call, token, parameter)

    def _pointer(self, call, token, parameter):
        if token.startswith('"'):
            text = json.loads(token).encode("utf-8", "surrogatepass")
            memory = c.create_string_buffer(text)
            call.kept.append(memory)
            return c.cast(memory, c.c_void_p)
        if token == "bufs":
            return buffers.several(call, parameter)
        if token == "FILE":
            libc = c.CDLL(None)
            libc.fopen.restype = c.c_void_p
            return c.c_void_p(libc.fopen(b"stream.txt", b"a"))
        if token == "zero" or token.startswith("raw:"):
            size = 8192 if token == "zero" else int(token[4:])
            memory = c.create_string_buffer(bytes(8192) if token == "zero" else bytes(i * 7 % 251 for i in range(size)), max(size, 64))
            call.kept.append(memory)
            return c.cast(memory, c.c_void_p)
        base = re.sub(r"^const |\*$", "", parameter.ctype).replace("const", "").strip()
        if token.startswith("{"):
            return self._structure(call, token, base, parameter)
        if base in abi.structures and token == "out":
            return self._structure_out(call, base, parameter)
        return self._array(call, token, base, parameter)

    # Memory.

    def _array(self, call, token, base, parameter):
        room = self._room(call, parameter)
        memory = c.create_string_buffer(bytes([CANARY]) * room, room)
        call.kept.append(memory)
        element = abi.scalar(base, self.facts) if base not in ("void", "char") else c.c_ubyte
        element = element or c.c_void_p
        if parameter.ctype.startswith("const hsize_t"):
            (element * MORE).from_buffer(memory)[:] = [1] * MORE
        if token.startswith("["):
            self._fill(call, token, element, memory)
        if base == "hid_t" and token == "out":
            c.memset(memory, 0xFF, 4096)
        if not parameter.ctype.startswith("const"):
            if call.memory is None or base == "void":
                call.memory = memory
            call.reports.append((parameter.name, buffers.reporter(self, call, parameter, base, element, memory)))
        return c.cast(memory, c.c_void_p)

    def _room(self, call, parameter):
        sizes = [self.number(token) for token, p in zip(call.tokens, call.function.parameters) if p.ctype == "size_t"]
        largest = max([size for size in sizes if isinstance(size, int) and 0 < size < values.LARGEST], default=0)
        return ROOM + 16 * largest

    def _fill(self, call, token, element, memory):
        items = [item for item in re.findall(r'"(?:[^"\\]|\\.)*"|[^,]+', token[1:-1])]
        array = (element * max(len(items), 1)).from_buffer(memory)
        for index, item in enumerate(items):
            if item.startswith('"'):
                text = c.create_string_buffer(json.loads(item).encode())
                call.kept.append(text)
                array[index] = c.addressof(text)
            elif item == "NULL":
                array[index] = None
            else:
                value = self.number(item)
                if element not in (c.c_double, c.c_float):
                    value = int(value) & (2 ** (8 * c.sizeof(element)) - 1)
                array[index] = value
        call.kept.append(array)

    def _structure_out(self, call, base, parameter):
        kind = abi.structures[base]
        memory = c.create_string_buffer(bytes([CANARY]) * (c.sizeof(kind) + ROOM))
        call.kept.append(memory)
        item = kind.from_buffer(memory)
        if "version" in dict(kind._fields_) and base.startswith("H5AC"):
            item.version = 1
        if base == "H5FD_splitter_vfd_config_t":
            item.magic, item.version = 0x2B916880, 1
        if base in newer.KEPT:
            call.memory = item
        call.reports.append((parameter.name, lambda: structure_told(item, bytes([CANARY]))))
        return c.cast(memory, c.c_void_p)

    def _structure(self, call, token, base, parameter):
        if base == "void":
            base = "H5Z_class2_t"
        item = buffers.valid_structure(self, call, base)
        for field in re.findall(r'(\w+)=("(?:[^"\\]|\\.)*"|[^,}]+)', token):
            self._set_field(call, item, *field)
        call.kept.append(item)
        return c.cast(c.pointer(item), c.c_void_p)

    def _set_field(self, call, item, name, token):
        kind = dict(item._fields_)[name]
        if token.startswith("cb"):
            setattr(item, name, self._function(call, token, buffers.FIELD_FUNCTIONS[name]).value)
        elif token == "NULL":
            setattr(item, name, None)
        elif token.startswith('"'):
            text = json.loads(token).encode()
            if kind is c.c_void_p:
                memory = c.create_string_buffer(text)
                call.kept.append(memory)
                text = c.addressof(memory)
            setattr(item, name, text)
        else:
            setattr(item, name, self.number(token))

    # Functions of the application.

    def _function(self, call, token, ctype):
        behaviour = re.fullmatch(r"cb(?::(-?\w+)@(\d+))?", token)
        special = (behaviour.group(1), int(behaviour.group(2))) if behaviour.group(1) else (None, 0)
        state = {"calls": 0}
        signature = abi.CALLBACKS[ctype]
        letters = list(abi.letters(signature))

        def called(*arguments):
            state["calls"] += 1
            self._tell(call, ctype, letters, arguments)
            return buffers.answer(self, call, ctype, arguments, special[0] if state["calls"] == special[1] else None)

        function = abi.callback_type(ctype)(called)
        self.kept.append(function)
        return c.cast(function, c.c_void_p)

    def _tell(self, call, ctype, letters, arguments):
        active = self.calls[-1] if self.calls else call
        if len(active.told) > 200 or ctype in newer.UNTOLD:
            return
        told = [ctype]
        for letter, argument in zip(letters, arguments):
            if letter == "i":
                told.append("id" if ctype.startswith("H5E") else self.id_kind(argument))
            elif letter == "s":
                told.append(argument.decode("latin-1") if argument is not None else None)
            elif letter == "a":
                told.append("number")
            elif letter in "znu":
                told.append(argument)
            elif letter == "p":
                told.append(None if argument is None else "pointer")
            else:
                told.append(self._structure_given(letter, argument))
        active.told.append(told)

    def _structure_given(self, name, address):
        if not address:
            return None
        item = c.cast(address, c.POINTER(abi.structures[name])).contents
        if name == "H5E_error2_t":
            return self.record_told(item)[:2]
        if name == "H5E_error1_t":
            return "record"
        return structure_told(item, b"")


def structure_told(item, canary):
    """Fields by name; pointers only as far as they are there, None for all where nothing was written."""
    if canary and bytes(item) == canary * c.sizeof(item):
        return UNTOUCHED
    told = {}
    for name, kind in item._fields_:
        value = getattr(item, name)
        if kind is c.c_void_p:
            value = "pointer" if value else None
        elif name.endswith("_id"):
            value = "id"
        elif isinstance(value, c.Array):
            value = list(value)
        elif isinstance(value, bytes):
            value = value.decode("latin-1")
        elif isinstance(value, float):
            value = repr(value)
        told[name] = value
    return told


def parse(line):
    label, _, rest = line.partition(": ")
    name, *tokens = TOKEN.findall(rest)
    return label, name, tokens


def load(path, folder=headers.FOLDER):
    return Library(path, headers.Facts(folder))


