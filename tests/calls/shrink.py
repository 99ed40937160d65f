"""Makes the script of a difference short: fewer lines, simpler arguments, and still the same difference."""

import compare
import needs
import play


def shows(pair, lines, key):
    if key[0] in ("crash", "hang"):
        return any(difference.key == key for difference in compare.survival(lines, pair.play_ours(lines)))
    stock, ours = pair.play(lines)
    found = compare.transcripts(lines, stock, ours) + compare.survival(lines, ours)
    return any(difference.key == key and not difference.meant for difference in found)


def shrink(pair, difference):
    """A short script; of errors' classes and texts, which seldom depend on much, only what the call refers to."""
    lines, key = difference.lines, difference.key
    whole_program = difference.what == "file"
    dumps, pair.dumps = pair.dumps, whole_program
    try:
        if difference.what in ("class", "text"):
            return next((less for less in (needs.of(lines, False), needs.of(lines, True)) if shows(pair, less, key)), lines)
        if not shows(pair, lines, key):
            return ["# Seen once, but not when played again."] + lines
        if not whole_program:
            lines = next((less for less in (needs.of(lines, False), needs.of(lines, True)) if shows(pair, less, key)), lines)
        lines = simpler(pair, without_pieces(pair, lines, key, not whole_program), key)
        return without_pieces(pair, lines, key, not whole_program, 1)
    finally:
        pair.dumps = dumps


def without_pieces(pair, lines, key, keep_last, size=None):
    size = size or max(len(lines) // 2, 1)
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
