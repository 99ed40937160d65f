#!/usr/bin/env python3
"""layering.py SRC [OBJECTS [NM]]: who may know whom.

A folder may include headers only from itself and from folders below it in this list. With the folder of the object
files that were built from SRC: inside a folder no file uses, through others or not, one that uses it, but for those
that file_cycles.txt lists, with the reason. That list only gets shorter: a file that is in no cycle any more must
leave it."""
import pathlib
import re
import subprocess
import sys

ORDER = ["api", "dataset", "chunk", "group", "container", "object", "heap", "index", "meta", "file", "plist", "filter", "type",
         "space", "format", "driver", "id", "event", "base"]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([a-z]+)/([^"]+)"', re.M)
KNOWN = pathlib.Path(__file__).with_name("file_cycles.txt")


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


def symbols(nm, objects):
    """{object: (what it defines for others, what it takes from them)}"""
    out = {obj: (set(), set()) for obj in objects}
    listing = subprocess.run([nm, "-A", "-g", *objects], capture_output=True, text=True, check=True).stdout if objects else ""
    for line in listing.splitlines():
        place, kind, name = line.rsplit(None, 2)
        defined, used = out[pathlib.Path(place.split(":")[0])]
        (used if kind == "U" else defined).add(name)
    return out


def uses(src, objects, nm):
    """{file: {files of the same folder that it uses}}, named folder/name. Objects of files that are gone do not count."""
    graph = {}
    for folder in ORDER:
        known = symbols(nm, [o for o in sorted((objects / folder).glob("*.c.o")) if (src / folder / o.name[:-2]).exists()])
        owner = {name: obj for obj, (defined, _) in known.items() for name in defined}
        for obj, (_, used) in known.items():
            others = {owner[name] for name in used if name in owner} - {obj}
            graph[f"{folder}/{obj.name[:-4]}"] = {f"{folder}/{other.name[:-4]}" for other in others}
    return graph


def reach(graph, start):
    seen, stack = set(), [start]
    while stack:
        for file in graph[stack.pop()] - seen:
            seen.add(file)
            stack.append(file)
    return seen


def cycles(graph):
    reached = {file: reach(graph, file) for file in graph}
    return {frozenset(other for other in reached[file] if file in reached[other])
            for file in graph if file in reached[file]}


def listed():
    """Lines of `folder: file file …`; what they are for stands before them, behind #."""
    out = []
    for line in KNOWN.read_text().splitlines():
        folder, colon, files = line.partition(":")
        if colon and not line.startswith("#"):
            out.append(frozenset(f"{folder}/{file}" for file in files.split()))
    return out


def cycle_faults(found):
    known = listed()
    for cycle in sorted(found, key=sorted):
        if not any(cycle <= k for k in known):
            yield f"these files use each other, and {KNOWN.name} does not list them: {' '.join(sorted(cycle))}"
    for gone in sorted(set().union(*known) - set().union(*found)):
        yield f"{gone} is in no cycle any more: take it out of {KNOWN.name}"


src = pathlib.Path(sys.argv[1])
faults = list(violations(src))
if len(sys.argv) > 2:
    graph = uses(src, pathlib.Path(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "nm")
    found = cycles(graph)
    faults += cycle_faults(found)
    print(f"{sum(map(len, found))} of {len(graph)} files are in a cycle with others of their folder")
print("\n".join(faults) or "layering holds")
sys.exit(bool(faults))
