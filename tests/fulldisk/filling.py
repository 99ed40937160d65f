"""What fill_<client>.py share: running their cases, each a way to close and a function that writes."""

import os
import resource
import sys

kept = []
wrongs = []


def keep(file):
    """Open until the process ends."""
    kept.append(file)


def wrong(text):
    wrongs.append(text)


def attempt(case, path, limit):
    """Ends the process as any program ends."""
    way, write = case
    if limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    try:
        way(path, write)
    except Exception as e:
        print(f"{type(e).__name__}: {e}"[:300].replace("\n", " "), file=sys.stderr)
    for text in wrongs:
        print("WRONG:", text, file=sys.stderr)
    sys.exit(0)


def run(case, path, limit):
    """What a process of its own says on stderr, and how it ends."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.dup2(writing, 2)
        attempt(case, path, limit)
    os.close(writing)
    with os.fdopen(reading, errors="replace") as said:
        text = said.read()
    return text, os.waitpid(child, 0)[1]


def main(cases):
    """A line for each case: told (with the first line of what was said), silent, or died."""
    folder, limit = sys.argv[1], int(sys.argv[2])
    for case in cases:
        name = " ".join(part.__name__ for part in case)
        path = os.path.join(folder, "filled.h5")
        text, status = run(case, path, limit)
        if os.path.exists(path):
            os.remove(path)
        outcome = "wrong" if "WRONG:" in text else "told" if text else "died" if status else "silent"
        print(f"{name}: {outcome} {' '.join(text.split())[:200]}", flush=True)
