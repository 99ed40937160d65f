#!/usr/bin/env python3
"""layering.py SRC: a folder may include headers only from itself and from folders below it in this list."""
import pathlib
import re
import sys

ORDER = ["api", "dataset", "chunk", "group", "container", "object", "heap", "index", "meta", "file", "plist", "filter", "type", "space",
         "format", "driver", "id", "event", "base"]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([a-z]+)/([^"]+)"', re.M)


def violations(src):
    for path in sorted(src.rglob("*.[ch]")):
        folder = path.relative_to(src).parts[0]
        if folder not in ORDER:
            yield f"{path}: folder {folder} is not in the list"
            continue
        for below, header in INCLUDE.findall(path.read_text()):
            if below not in ORDER:
                yield f"{path}: includes {below}/{header}: folder {below} is not in the list"
            elif ORDER.index(below) < ORDER.index(folder):
                yield f"{path}: includes {below}/{header}, which lies above {folder}/"


found = list(violations(pathlib.Path(sys.argv[1])))
print("\n".join(found) or "layering holds")
sys.exit(bool(found))
