"""What a line of a script needs of those before."""
import re


def _references(line):
    return set(re.findall(r"[$&](\w+)", line))


def of(lines, changes):
    """The last line and all it refers to; with `changes`, other lines that refer to the same too."""
    wanted = _references(lines[-1])
    kept = [lines[-1]]
    for line in reversed(lines[:-1]):
        label = line.partition(":")[0]
        if label in wanted or (changes and _references(line) & wanted):
            wanted |= _references(line)
            kept.append(line)
    return kept[::-1]
