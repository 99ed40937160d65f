"""Makes the script of a difference short: fewer lines, simpler arguments, and still the same difference."""
import re

import compare
import play


def shows(pair, lines, key):
    stock, ours = pair.play(lines)
    found = compare.transcripts(lines, stock, ours) + compare.survival(lines, ours)
    return any(difference.key == key for difference in found)


def shrink(pair, difference):
    lines = difference.lines
    key = difference.key
    whole_program = difference.what in ("file",)
    if not shows(pair, lines, key):
        return ["# seen once, not when replayed alone"] + lines
    for candidate in (needed(lines, False), needed(lines, True)):
        if not whole_program and len(candidate) < len(lines) and shows(pair, candidate, key):
            lines = candidate
            break
    lines = without_pieces(pair, lines, key, keep_last=not whole_program)
    return simpler(pair, lines, key)


def references(line):
    return set(re.findall(r"[$&](\w+)", line))


def needed(lines, changes):
    """The last line and all it refers to; with `changes`, other lines that refer to the same too."""
    wanted = references(lines[-1])
    kept = [lines[-1]]
    for line in reversed(lines[:-1]):
        label = line.partition(":")[0]
        if label in wanted or (changes and references(line) & wanted):
            wanted |= references(line)
            kept.append(line)
    return kept[::-1]


def without_pieces(pair, lines, key, keep_last):
    size = max(len(lines) // 2, 1)
    while size >= 1:
        at = 0
        while at < len(lines) - (1 if keep_last else 0):
            end = min(at + size, len(lines) - (1 if keep_last else 0))
            candidate = lines[:at] + lines[end:]
            if candidate and shows(pair, candidate, key):
                lines = candidate
            else:
                at += size
        size //= 2
    return lines


def simpler(pair, lines, key):
    for index in range(len(lines) - 1, -1, -1):
        label, name, tokens = play.parse(lines[index])
        for position, token in enumerate(tokens):
            for easier in easier_tokens(token):
                attempt = tokens[:position] + [easier] + tokens[position + 1:]
                candidate = lines[:index] + [f"{label}: {' '.join([name] + attempt)}"] + lines[index + 1:]
                if shows(pair, candidate, key):
                    lines, tokens = candidate, attempt
                    break
    return lines


def easier_tokens(token):
    if token.startswith("$") or token.endswith("_g"):
        return ["0"] if token != "0" else []
    if token.startswith("cb:"):
        return ["cb"]
    return []
