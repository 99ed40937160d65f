"""What the types in an object file look like: structures with the places of their members, values of enumerations."""
import re
import subprocess

ENTRY = re.compile(r"^\s*<(\d+)><([0-9a-f]+)>: Abbrev Number: (\d+)(?: \((DW_TAG_\w+)\))?")
FIELD = re.compile(r"^\s*<[0-9a-f]+>\s+(DW_AT_\w+)\s*: (.*)")


class Entry:
    def __init__(self, tag):
        self.tag = tag
        self.children = []
        self.says = {}

    def text(self, attribute):
        value = self.says.get(attribute)
        return None if value is None else re.sub(r"^(?:\([^()]*\)[: ]*)+", "", value).strip()

    def number(self, attribute):
        value = self.says.get(attribute)
        return None if value is None else int(re.match(r"(?:\(.*?\) )?(-?(?:0x)?[0-9a-f]+)", value).group(1), 0)


def entries(path):
    """Entries by place; the children of each in it."""
    text = subprocess.run(["readelf", "--wide", "--debug-dump=info", path], capture_output=True, text=True, check=True).stdout
    found, open_ones, entry = {}, [], None
    for line in text.splitlines():
        if start := ENTRY.match(line):
            depth, place, tag = int(start.group(1)), int(start.group(2), 16), start.group(4)
            entry = Entry(tag) if tag else None
            if entry:
                found[place] = entry
                del open_ones[depth:]
                if open_ones:
                    open_ones[-1].children.append(entry)
                open_ones.append(entry)
        elif entry and (field := FIELD.match(line)):
            entry.says[field.group(1)] = field.group(2)
    return found


class Types:
    def __init__(self, path):
        self.found = entries(path)

    def of(self, entry):
        """The entry of its type, or None for void."""
        place = entry.text("DW_AT_type")
        return self.found[int(re.match(r"<(0x[0-9a-f]+)>", place).group(1), 16)] if place else None

    def name(self, entry):
        """A type as a part of another: typedefs of scalars and functions are looked through, structures are named."""
        if entry is None:
            return "void"
        name, tag = entry.text("DW_AT_name"), entry.tag[len("DW_TAG_"):]
        if tag == "typedef":
            under = self.of(entry)
            anonymous = under is not None and under.tag in ("DW_TAG_structure_type", "DW_TAG_union_type", "DW_TAG_enumeration_type")
            return self.structure(under) if anonymous and name.startswith("__") else name if anonymous else self.name(under)
        if tag in ("const_type", "volatile_type"):
            return f"{tag[:-5]} {self.name(self.of(entry))}"
        if tag == "restrict_type":
            return self.name(self.of(entry))
        if tag == "pointer_type":
            return f"{self.name(self.of(entry))}*"
        if tag == "array_type":
            counts = [child.number("DW_AT_upper_bound") for child in entry.children]
            return self.name(self.of(entry)) + "".join(f"[{'' if count is None else count + 1}]" for count in counts)
        if tag == "subroutine_type":
            given = [self.name(self.of(child)) for child in entry.children]
            return f"{self.name(self.of(entry))}({', '.join(given)})"
        if tag == "base_type":
            return "%s%d" % ({5: "int", 7: "unsigned", 6: "char", 8: "char", 2: "bool", 4: "float"}.get(entry.number("DW_AT_encoding"), "?"),
                             entry.number("DW_AT_byte_size"))
        return f"{tag[:-5].replace('structure', 'struct')} {name}" if name else self.structure(entry)

    def structure(self, entry):
        if entry is None or "DW_AT_declaration" in entry.says:
            return "incomplete"
        if entry.tag == "DW_TAG_enumeration_type":
            return "enum"
        members = [f"{child.number('DW_AT_data_member_location') or 0}:{child.text('DW_AT_name') or ''} {self.name(self.of(child))}"
                   for child in entry.children if child.tag == "DW_TAG_member"]
        return "{%s} of %d bytes" % ("; ".join(members), entry.number("DW_AT_byte_size"))


def described(path):
    """Name to description, of every typedef, tag and constant of an enumeration."""
    types = Types(path)
    out = {}
    for entry in types.found.values():
        name = entry.text("DW_AT_name")
        if not name:
            continue
        if entry.tag == "DW_TAG_enumerator":
            out[name] = str(entry.number("DW_AT_const_value"))
        elif entry.tag == "DW_TAG_typedef":
            under = types.of(entry)
            inner = under is not None and under.tag in ("DW_TAG_structure_type", "DW_TAG_union_type")
            out[name] = types.structure(under) if inner else types.name(under) if under is None or under.tag != "DW_TAG_enumeration_type" else "enum"
        elif entry.tag in ("DW_TAG_structure_type", "DW_TAG_union_type") and "DW_AT_declaration" not in entry.says:
            out[f"struct {name}"] = types.structure(entry)
    return out
