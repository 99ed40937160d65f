"""What libhdf5's public headers say: functions with their parameters, values of enumerations, names of variables."""
import pathlib
import re

FOLDER = pathlib.Path("/usr/include/hdf5/serial")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
PROTOTYPE = re.compile(r"H5_DLL\s+([^;{}#]+?)\b(H5\w+)\s*\(([^;{}]*)\)\s*(?:H5_ATTR_\w+(?:\([^)]*\))?\s*)*;", re.S)
ENUM = re.compile(r"\benum\s*(\w*)\s*\{(.*?)\}\s*(\w*)\s*;", re.S)
VARIABLE = re.compile(r"H5_DLLVAR\s+hid_t\s+(\w+_g)\s*;")
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(H5\w+)[ \t]+(.+?)[ \t]*$", re.M)


class Parameter:
    def __init__(self, ctype, name):
        self.ctype = ctype
        self.name = name


class Function:
    def __init__(self, name, result, parameters):
        self.name = name
        self.result = result
        self.parameters = parameters


class Facts:
    """Everything at once: `functions` by name, `enums` (type name to {constant: value}), `constants`, `variables`."""

    def __init__(self):
        self.functions = {}
        self.enums = {}
        self.constants = {}
        self.variables = []
        for path in sorted(FOLDER.glob("H5*public.h")) + sorted(FOLDER.glob("H5FD*.h")) + [FOLDER / "H5Epubgen.h"]:
            if path.name in ("H5DOpublic.h", "H5DSpublic.h", "H5IMpublic.h", "H5LDpublic.h", "H5LTpublic.h", "H5PTpublic.h",
                             "H5TBpublic.h"):
                continue  # The high-level library.
            self._read(COMMENT.sub(" ", path.read_text()))

    def _read(self, text):
        for result, name, parameters in PROTOTYPE.findall(text):
            self.functions[name] = Function(name, result.strip().replace(" *", "*"), _parameters(parameters))
        self.variables += VARIABLE.findall(text)
        for tag, body, name in ENUM.findall(text):
            self._enum(name or tag, re.sub(r"^\s*#.*$", "", body, flags=re.M))
        for name, value in DEFINE.findall(text):
            value = _number(value, self.constants)
            if value is not None:
                self.constants[name] = value

    def _enum(self, name, body):
        values = {}
        following = 0
        for item in body.split(","):
            if not item.strip():
                continue
            constant, _, value = (part.strip() for part in item.partition("="))
            following = _number(value, self.constants) if value else following
            if following is None:
                break
            values[constant] = self.constants[constant] = following
            following += 1
        if name:
            self.enums[name] = values


def _number(text, constants):
    text = re.sub(r"\b(H5CHECK|H5OPEN)\b", "", text)
    text = re.sub(r"\(\s*(unsigned|int|uint32_t|hsize_t|haddr_t|H5Z_filter_t)\s*\)", "", text)
    text = re.sub(r"\b(0x[0-9a-fA-F]+|\d+)[uUlL]+\b", r"\1", text)
    text = re.sub(r"\bH5\w+", lambda word: str(constants.get(word.group(0), "?")), text)
    if not re.fullmatch(r"[-+*|&()<>x\da-fA-F\s]+", text):
        return None
    try:
        return int(eval(text, {"__builtins__": {}}))
    except (SyntaxError, TypeError, NameError, ValueError):
        return None


def _parameters(text):
    text = " ".join(text.split())
    if text in ("void", ""):
        return []
    return [_parameter(part) for part in text.split(",")]


def _parameter(text):
    text = text.strip()
    if text == "...":
        return Parameter("...", "...")
    arrays = len(re.findall(r"\[[^]]*\]", text))
    text = re.sub(r"\s*\[[^]]*\]", "", text)
    match = re.fullmatch(r"(.*?)\b(\w+)\s*", text)
    ctype = re.sub(r"\s*\*\s*", "*", match.group(1)).strip() + "*" * arrays
    return Parameter(ctype, match.group(2))


if __name__ == "__main__":
    facts = Facts()
    for function in sorted(facts.functions.values(), key=lambda each: each.name):
        print(function.result, function.name, ", ".join(f"{p.ctype} {p.name}" for p in function.parameters))
    print(len(facts.functions), len(facts.enums), len(facts.variables))
