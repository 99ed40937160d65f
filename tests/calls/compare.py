"""Two transcripts of one program, call by call."""
import re

import aliases
import circumstances
import families
import masks
import needs
import newer
import play

WEIGHTS = {"crash": 0, "hang": 0, "file": 1, "data": 1, "return": 2, "output": 3, "callback": 3, "class": 4, "text": 5}
DATA = {"H5Dread", "H5Aread", "H5Tconvert", "H5Dfill", "H5Dscatter", "H5Dgather", "H5Diterate", "H5Dread_chunk", "H5Aread_async", "H5Dread_async",
        "H5Dread_multi", "H5Dread_multi_async"}


class Difference:
    def __init__(self, what, function, detail, lines, stock=None, ours=None):
        self.what = what
        self.function = function
        # Why one of them fails may be told in other words tomorrow.
        self.key = (what, function, plain(re.sub(r"\((H5E_\w+ H5E_\w+).*\)$", r"\1", detail) if what == "return" else detail))
        self.weight = WEIGHTS[what]
        self.detail = detail
        self.lines = lines
        self.stock = stock
        self.ours = ours
        self.meant = False

    def parts(self):
        return [self.what, self.function, self.detail, self.lines[-1:], self.stock, self.ours]

    def told(self):
        return f"{self.function} {self.what}: {self.detail}\n  stock: {short(self.stock)}\n  ours:  {short(self.ours)}\n  line:  {self.lines[-1]}"


def short(value):
    text = str(value)
    return text if len(text) < 1500 else text[:1500] + "..."


def plain(text):
    """Without what differs from case to case."""
    return re.sub(r"0x[0-9a-f]+|-?\d+|'[^']*'|\"[^\"]*\"", "#", str(text))


def crash_place(answer):
    """Where a sanitizer says that it happened."""
    errors = answer.get("stderr") or ""
    frame = re.search(r"#\d+ 0x\w+ in (ts_\w+|H5\w+|\w+) [^\n]*src/(\S+?:\d+)", errors)
    kind = re.search(r"(AddressSanitizer: \S+|runtime error: [^\n]*|contract[^\n]*|Assertion[^\n]*)", errors)
    return f"{answer['status']} {kind.group(1) if kind else ''} {frame.group(1) + ' ' + frame.group(2) if frame else ''}".strip()


def survival(lines, ours):
    """Whatever stock makes of a program, ours does not die of it, unless it was told of more memory than there is."""
    played = ours["lines"] or lines[:1]
    if not played or ours["status"] == "ended" or circumstances.is_beyond_memory(played):
        return []
    function = "H5close" if ours["closing"] else played[-1].split()[1]
    what = "hang" if ours["status"] == "hangs" else "crash"
    return [Difference(what, function, crash_place(ours), played, None, complaint(ours.get("stderr", "")))]


def complaint(errors):
    """What a sanitizer says, without the interpreter's part of the stack."""
    begin = re.search(r"ERROR: |runtime error: |Assertion|contract", errors)
    lines = errors[begin.start() if begin else -1000:].split("\n")
    return "\n".join(line for line in lines if "Python" not in line and "Objects/" not in line)[:1500]


def transcripts(lines, stock, ours):
    found = []
    for index, (one, other) in enumerate(zip(stock["entries"], ours["entries"])):
        difference = entry(one, other, lines[:index + 1])
        if difference:
            difference.meant = difference.meant or is_meant(difference, stock["entries"]) or \
                families.is_out_of_step(stock["entries"][:index + 1], ours["entries"][:index + 1]) or \
                as_older(stock, other, lines[:index + 1], difference)
            found.append(difference)
        if difference and difference.what == "return" or masks.is_last(lines[:index + 1]):
            return found
    if ours["status"] != "ended" and (stock["status"] == "ended" or len(stock["entries"]) > len(ours["entries"])):
        return found + survival(lines, ours)
    if "files" in ours and not masks.leaves_nonsense(lines):
        found += files(lines, stock["files"], ours["files"], "file") or \
            files(lines, stock["files"], ours["files by stock"], "file as stock reads it")
        for difference in found:
            difference.meant = difference.meant or is_meant(difference, stock["entries"]) or \
                difference.what == "file" and files_as_older(stock, ours, lines)
    return found


def as_older(stock, ours, lines, newer_one):
    """Whether the call does what it does in the older release that has it, at least as far as this kind of difference goes."""
    if "older" not in stock:
        return False
    # Alone, too: the program may have gone another way there.
    return any(is_as_older(stock["older"](part), ours, part, newer_one) for part in (tuple(lines), tuple(needs.of(lines, True))))


def is_as_older(older, ours, lines, newer_one):
    played = older["entries"]
    if len(played) < len(lines) or played[-1]["st"] == "skip":
        return False
    if played[-1]["f"] != ours["f"] and newer_one.what == "output":
        return False  # What a call tells may be why it has another name.
    difference = entry(played[-1], dict(ours, f=played[-1]["f"]), list(lines))
    return difference is None or difference.weight > newer_one.weight or difference.meant or is_meant(difference, played)


def files_as_older(stock, ours, lines):
    older = stock["older"](tuple(lines)) if "older" in stock else {}
    return "files" in older and not any(not is_meant(difference, older["entries"])
                                        for difference in files(lines, older["files"], ours["files"], "file"))


def is_meant(difference, entries):
    lines = [newer.in_old_words(*play.parse(line)) for line in difference.lines]
    last = with_numbers(lines[-1], entries)
    told = without_manner(f"{difference.what} {difference.detail}")
    if difference.what in ("class", "text") and masks.other_fault(difference.function, difference.stock[2], last):
        return True
    if difference.what in ("output", "callback", "data"):
        told += f" stock {difference.stock} ours {difference.ours}"
    before = with_failures(lines[:-1], entries)
    programs = ["\n".join(its) for its in (before + [last], aliases.as_one(before + [last]))]
    return circumstances.is_meant(before + lines[-1:]) or \
        families.is_meant(difference, before + lines[-1:], entries) or masks.has_missing_driver(lines) or \
        any(masks.because(difference.function, told, program) for program in programs)


def with_failures(lines, entries):
    """Lines of calls that failed end with an exclamation mark."""
    failed = {entry["l"] for entry in entries if entry["st"] == "fail"}
    return [line + " !" if line.partition(":")[0] in failed else line for line in lines]


def without_manner(text):
    """Since 1.14 messages say whether a call was to be done later."""
    return re.sub(r" ?\ba?synchronously|\ba?synchronous ", "", text)


def with_numbers(line, entries):
    """Labels of calls that returned a plain number stand for it."""
    numbers = {entry["l"]: entry["r"] for entry in entries if isinstance(entry.get("r"), int)}
    return re.sub(r"\$(\w+)", lambda label: str(numbers.get(label.group(1), label.group(0))), line)


def entry(one, other, lines):
    function = one["f"]
    if masks.deliberate(function) or masks.walked_less(function, lines[-1], one, other):
        return None
    if one["st"] != other["st"]:
        failing = one if one["st"] == "fail" else other
        reason = failing.get("e") or failing.get("why") or ["no record"]
        detail = f"stock {one['st']}, ours {other['st']} ({' '.join(map(str, reason)) if isinstance(reason, list) else reason})"
        difference = Difference("return", function, detail, lines, one, other)
        difference.meant = masks.excused(function, without_manner(detail), one, lines[-1]) or masks.after(function, "st", lines) or \
            masks.refused(function, given(function, one), given(function, other))
        return difference
    if one["st"] == "fail":
        return errors(function, one, other, lines)
    if one["st"] == "ok":
        return results(function, one, other, lines)
    return None


def errors(function, one, other, lines):
    """Where a stack is full the function's own record has no room in it."""
    stock, ours = one.get("e"), other.get("e")
    if stock is None or "full" in stock[3:] + (ours or [])[3:] or masks.silent(function):
        return None
    if ours is None or stock[:2] != ours[:2]:
        return Difference("class", function, f"{' '.join(stock[:2])} is {' '.join(ours[:2]) if ours else 'no record'} here ({stock[2]})",
                          lines, stock, ours)
    if without_manner(stock[2] or "") not in without_manner(ours[2] or ""):
        return Difference("text", function, f"{stock[2]}", lines, stock, ours)
    return None


def results(function, one, other, lines):
    if one.get("r") != other.get("r") and not masks.masked(function, "r") and not masks.after(function, "r", lines):
        return Difference("return", function, f"returns {one.get('r')}, here {other.get('r')}", lines, one, other)
    stock, ours = fields(function, one), fields(function, other)
    if stock != ours:
        names = sorted(name for name in set(stock) | set(ours) if stock.get(name) != ours.get(name))
        names = [name for name in names if not masks.overrun(function, name, stock.get(name), ours.get(name)) and
                 not masks.after(function, name, lines)]
    if stock != ours and names:
        what = "data" if function in DATA else "output"
        return Difference(what, function, " ".join(names), lines, {n: stock.get(n) for n in names}, {n: ours.get(n) for n in names})
    stock, ours = given(function, one), given(function, other)
    if masks.refused(function, stock, ours):
        difference = Difference("return", function, "a change while it goes through a group", lines, stock, ours)
        difference.meant = True
        return difference
    if stock != ours and not masks.masked(function, "cb") and not masks.after(function, "cb", lines):
        return Difference("callback", function, "what functions of the application are given", lines, stock, ours)
    return None


def fields(function, one):
    flat = {}
    for name, value in one.get("o", {}).items():
        if isinstance(value, dict):
            flat.update({f"{name}.{field}": item for field, item in value.items()})
        else:
            flat[name] = value
    return {name: value for name, value in flat.items() if not masks.masked(function, name)}


def given(function, one):
    calls = []
    for kind, *call in one.get("cb", []):
        call = [re.sub(r"\d_t$", "_t", kind) if re.match(r"H5[LO]_iterate", kind) else kind] + call
        calls.append([{name: value for name, value in item.items() if not masks.masked(function, "cb." + name)}
                      if isinstance(item, dict) else item for item in call])
    return calls


def files(lines, stock, ours, what):
    if ours["status"] != "ended" and stock["status"] == "ended":
        return [Difference("crash", "dump", f"{what}: {crash_place(ours)}", lines, None, ours.get("stderr"))]
    if stock["status"] != "ended":
        return []
    one = {tuple(item[:2]): item[2] for item in stock["contents"]}
    other = {tuple(item[:2]): item[2] for item in ours["contents"]}
    if one == other:
        return []
    if any(value in ("does not open", False) for value in one.values()):
        return []  # Stock spoiled its own file.
    names = [name for name in list(one) + list(other) if one.get(name, "nothing") != other.get(name, "nothing")]
    first = names[0]
    return [Difference("file", "file", f"{what}: {first[1]}", lines, [first, one.get(first, "nothing")],
                       [first, other.get(first, "nothing")])]
