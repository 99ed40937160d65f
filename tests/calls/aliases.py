"""One label for what is the same thing, or a copy of it: what is meant to be different of the one is so of the other."""
import re

# What finds a thing by its name, the last one of the call, and what makes it there.
NAMING = r"H5F(create|open)|H5[ADGOT](create|open)\w*|H5Tcommit\d?"
COPYING = r"H5[PST]copy|H5Freopen"


def kind(function):
    """Files and attributes have names of their own; groups, datasets and types share theirs."""
    return function[2] if function[2] in "FA" else "object"


class Things:
    def __init__(self):
        self.same = {}
        self.named = {}

    def follow(self, line):
        """The line in labels that stand for things; of calls that failed, what they were given."""
        label, _, call = line.partition(": ")
        call = re.sub(r"([$&])(\w+)", lambda its: its.group(1) + self.same.get(its.group(2), its.group(2)), call)
        if line.endswith(" !"):
            return f"{label}: {call}"
        function, _, arguments = call.partition(" ")
        ids, names = re.findall(r"\$(\w+)", arguments), re.findall(r'"((?:[^"\\]|\\.)*)"', arguments)
        if re.fullmatch(COPYING, function) and ids:
            self.same[label] = ids[0]
        elif re.fullmatch(NAMING, function) and names:
            made = ids[1] if function.startswith("H5Tcommit") and len(ids) > 1 else label
            its = self.named.setdefault((kind(function), names[-1].rpartition("/")[2]), made)
            self.same[made] = its
        return f"{self.same.get(label, label)}: {call}"


def as_one(lines):
    things = Things()
    return [things.follow(line) for line in lines]
