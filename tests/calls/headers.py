"""What libhdf5's public headers say: functions with their parameters, values of enumerations, names of variables."""
import pathlib
import re

FOLDER = pathlib.Path("/usr/include/hdf5/serial")
READ = ["H5public.h", "H5*public.h", "H5FD*.h", "H5Epubgen.h", "H5[ILTZ]develop.h"]
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
# The same calls without what a macro adds, for documents.
FOR_DOCUMENTS = re.compile(r"#\s*ifndef\s+H5_DOXYGEN\n(.*?)#\s*else\n.*?#\s*endif", re.S)
PROTOTYPE = re.compile(r"H5_DLL\s+([^;{}#]+?)\b(H5\w+)\s*\(([^;{}]*)\)\s*(?:H5_ATTR_\w+(?:\([^)]*\))?\s*)*;", re.S)
ENUM = re.compile(r"\benum\s*(\w*)\s*\{(.*?)\}\s*(\w*)\s*;", re.S)
VARIABLE = re.compile(r"H5_DLLVAR\s+hid_t\s+(\w+_g)\s*;")
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(H5\w+)[ \t]+(.+?)[ \t]*$", re.M)
# What has several versions since 1.12 or 2.0; programs say it as in 1.10.
FIRST_VERSIONS = re.compile(r"\b(H5(?:Lget_info|Lget_info_by_idx|Literate|Literate_by_name|Lvisit|Lvisit_by_name|Oget_info|Oget_info_by_name|"
                            r"Oget_info_by_idx|Ovisit|Ovisit_by_name|Pencode|Sencode|Tdecode|Dread_chunk|Iregister_type|"
                            r"[LO]_info(?=1_t)|[LO]_iterate(?=1_t)))1(?=\b|_t)")
NEW_WORDS = {"bool": "hbool_t", "HDoff_t": "off_t"}


class Parameter:
    def __init__(self, ctype, name):
        self.ctype = ctype
        self.name = name


class Function:
    """`symbol` is what the library calls it."""

    def __init__(self, name, result, parameters):
        self.name = self.symbol = name
        self.result = result
        self.parameters = parameters


class Facts:
    """Everything at once: `functions` by name, `enums` (type name to {constant: value}), `constants`, `variables`."""

    def __init__(self, folder=FOLDER):
        self.functions = {}
        self.enums = {}
        self.constants = {}
        self.variables = []
        for path in [path for names in READ for path in sorted(folder.glob(names))]:
            if path.name in ("H5DOpublic.h", "H5DSpublic.h", "H5IMpublic.h", "H5LDpublic.h", "H5LTpublic.h", "H5PTpublic.h",
                             "H5TBpublic.h"):
                continue  # The high-level library.
            self._read(FOR_DOCUMENTS.sub(r"\1", COMMENT.sub(" ", path.read_text())))
        for function in list(self.functions.values()):
            self._in_old_words(function)

    def _in_old_words(self, function):
        name = FIRST_VERSIONS.sub(r"\1", function.name)
        if name not in self.functions:
            self.functions[name] = self.functions.pop(function.name)
            function.name = name

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
    text = re.sub(r"\(\s*(unsigned|int|uint32_t|hid_t|hsize_t|haddr_t|H5Z_filter_t)\s*\)", "", text)
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
    text = re.sub(r"\b(bool|HDoff_t)\b", lambda word: NEW_WORDS[word.group()], FIRST_VERSIONS.sub(r"\1", text))
    match = re.fullmatch(r"(.*?)\b(\w+)\s*", text)
    ctype = re.sub(r"\s*\*\s*", "*", match.group(1)).strip() + "*" * arrays
    return Parameter(ctype, match.group(2))


if __name__ == "__main__":
    facts = Facts()
    for function in sorted(facts.functions.values(), key=lambda each: each.name):
        print(function.result, function.name, ", ".join(f"{p.ctype} {p.name}" for p in function.parameters))
    print(len(facts.functions), len(facts.enums), len(facts.variables))
