#!/usr/bin/env python3
"""locks.py ROOT: every lock of src/ is one of base/lock.h, and docs/invariants.md has the table of them in the same order."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
RAW = re.compile(r"\bpthread_(mutex|rwlock|spin)(attr)?_\w+|\bPTHREAD_(MUTEX|RWLOCK)_INITIALIZER|\bpthread_cond_(timed)?wait\b")


def raw_locks():
    for path in sorted((root / "src").rglob("*.[ch]")):
        if path.match("base/lock.[ch]"):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if RAW.search(line):
                yield f"{path}:{number}: {line.strip()}"


def table_differs():
    header = (root / "src/base/lock.h").read_text()
    ranks = re.findall(r"^    LOCK\((\w+),", header, re.M)
    listed = re.findall(r"^\| `(\w+)` \|", (root / "docs/invariants.md").read_text(), re.M)
    if not ranks or ranks != listed:
        yield f"base/lock.h has the ranks {ranks}\ndocs/invariants.md has   {listed}"


found = list(raw_locks()) + list(table_differs())
print("\n".join(found) or "locks are in order")
sys.exit(bool(found))
