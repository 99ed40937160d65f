#!/usr/bin/python3
"""Two libraries take turns on one file, and a model says what it must hold.

    run.py STOCK TESSERA [--seeds FIRST-LAST] [--operations N] [--newest BOUND] [--keep DIR]
    run.py STOCK TESSERA --shrink SCRIPT     the smallest part of a script that still fails
    run.py STOCK TESSERA --replay SCRIPT …   these scripts as they are

STOCK and TESSERA are the two builds of ops. A seed that fails leaves its script in DIR, up to
the line that fails.
"""
import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stock  # noqa: E402
from generate import BOUNDS, Generator  # noqa: E402
from model import Model  # noqa: E402

SIDES = ("stock", "tessera")
SINCE_1_14 = stock.release() >= (1, 14)

# Of what a release of stock dies, whoever wrote the file: 2.2.0 copies no dataset that has a fixed array and was made empty.
STOCK_DIES = ["H5D__farray_idx_create: Assertion `idx_info->layout->u.chunk.nchunks' failed"]


class Failure(Exception):
    """A turn did not print what the model says. `length` is how many lines of the turn were carried out."""

    def __init__(self, text, length):
        super().__init__(text)
        self.length = length


def same(got, want):
    if got == want:
        return True
    # A reference to an object that was deleted may lead anywhere.
    return "*" in want and re.fullmatch(re.escape(want).replace(r"\*", r"\S+"), got) is not None


def shorten(text):
    return text if len(text) < 400 else text[:400] + " …"


def first_difference(got, want):
    """What differs, and where: short for a long line of values."""
    a, b = got.split(" "), want.split(" ")
    for i, (x, y) in enumerate(zip(a, b)):
        if not same(x, y):
            return f"  word {i} of {shorten(want)!r}\n  expected {' '.join(b[i:i + 8])}\n  got      {' '.join(a[i:i + 8])}"
    return f"  expected {shorten(want)}\n  got      {shorten(got)}"


def errors_of(text, at):
    """What a program said on stderr in line `at` and after."""
    match = re.search(rf"^@{at}\n", text, re.M)
    return "\n".join((text[match.end():] if match else text).split("\n")[:60])


class Players:
    def __init__(self, stock, tessera, work):
        self.programs = {"stock": os.path.abspath(stock), "tessera": os.path.abspath(tessera)}
        self.work = work

    def turn(self, side, lines, expected):
        """Carries out `lines`; `expected` is what each must print."""
        try:
            done = subprocess.run([self.programs[side], "file.h5"], input="\n".join(lines) + "\n", text=True,
                                  capture_output=True, cwd=self.work, timeout=60, errors="replace")
        except subprocess.TimeoutExpired:
            raise Failure(f"{side} does not come to an end", len(lines)) from None
        output = done.stdout.split("\n")
        at = 0
        for number, want in enumerate(expected):
            for wanted in want:
                got = output[at] if at < len(output) else ""
                at += 1
                if not same(got, wanted):
                    raise Failure(f"{side}, line {number}: {shorten(lines[number])}\n{first_difference(got, wanted)}\n"
                                  f"  status {done.returncode}\n{errors_of(done.stderr, number)}", number + 1)
        if done.returncode:
            raise Failure(f"{side}: status {done.returncode} at the end\n{errors_of(done.stderr, len(lines) - 1)}",
                          len(lines))

    def clean(self):
        for name in os.listdir(self.work):
            if name.startswith(("file.h5", "raw")):
                os.unlink(os.path.join(self.work, name))


def play_seed(players, seed, operations, newest, script):
    """Fills `script` with the turns: (side, lines)."""
    g = Generator(seed, newest)
    r = random.Random(seed * 7919)
    begin = g.beginning()
    expected = [["ok"]] * len(begin)
    done = 0
    while True:
        side = r.choice(SIDES)
        g.model.whose_turn(side == "stock" and SINCE_1_14)
        for _ in range(r.randint(10, 40)):
            line, want = g.line()
            begin.append(line)
            expected.append(want)
            done += 1
        expected.append(g.model.apply("close"))
        begin.append("close")
        script.append((side, begin))
        try:
            players.turn(side, begin, expected)
        except Failure as failure:
            script[-1] = (side, begin[: failure.length])
            raise
        begin, expected = [f"open {g.bounds()}"], [["ok"]]
        if done >= operations or r.random() < 0.35:
            begin.append("dump")
            expected.append(g.model.apply("dump"))
        if done >= operations:
            break
    for side in SIDES:
        script.append((side, begin))
        players.turn(side, begin, expected)


def play_script(players, script, each=True):
    """With a dump by both after every turn, or only after the last one."""
    model = Model()
    players.clean()
    for side, lines in script:
        model.whose_turn(side == "stock" and SINCE_1_14)
        kept, expected = [], []
        for line in lines:
            want = model.apply(line)
            if want is not None:
                kept.append(line)
                expected.append(want)
        if "close" not in kept:
            kept.append("close")
            expected.append(model.apply("close"))
        players.turn(side, kept, expected)
        if each:
            both_dump(players, model)
    if not each:
        both_dump(players, model)


def both_dump(players, model):
    dump = model.apply("dump")
    for side in SIDES:
        players.turn(side, ["open earliest v110 readonly=1", "dump", "close"], [["ok"], dump, ["ok"]])


def fails(players, script, each=True):
    try:
        play_script(players, script, each)
    except Failure as failure:
        return failure
    return None


def is_frame(line):
    return line.split()[0] in ("create", "open", "close")


def rebuild(script, kept):
    """The turns with only the lines of `kept`, a set of (turn, line); a turn of which nothing is left is not taken."""
    result = []
    for t, (side, lines) in enumerate(script):
        left = [line for i, line in enumerate(lines) if is_frame(line) or (t, i) in kept]
        if t == 0 or not all(is_frame(line) for line in left):
            result.append((side, left))
    return result


def shrink(players, script):
    each = False
    failure = fails(players, script, each)
    if not failure:
        each = True
        failure = fails(players, script, each)
    if not failure:
        return None, None
    items = [(t, i) for t, (_, lines) in enumerate(script) for i, line in enumerate(lines) if not is_frame(line)]
    size = max(len(items) // 2, 1)
    while True:
        at, removed = 0, False
        while at < len(items):
            less = items[:at] + items[at + size:]
            now = fails(players, rebuild(script, set(less)), each)
            if now:
                items, failure, removed = less, now, True
            else:
                at += size
        if size == 1 and not removed:
            return rebuild(script, set(items)), failure
        size = max(size // 2, 1)


def save(path, script):
    with open(path, "w", encoding="utf-8") as f:
        for side, lines in script:
            f.write(f"== {side}\n" + "\n".join(lines) + "\n")


def load(path):
    script = []
    with open(path, encoding="utf-8") as f:
        for line in f:
            line = line.rstrip("\n")
            if line.startswith("== "):
                script.append((line[3:], []))
            elif line:
                script[-1][1].append(line)
    return script


def run_seeds(players, options):
    first, _, last = options.seeds.partition("-")
    failed = 0
    for seed in range(int(first), int(last or first) + 1):
        script = []
        players.clean()
        try:
            play_seed(players, seed, options.operations, options.newest, script)
        except Failure as failure:
            if any(fault in str(failure) for fault in STOCK_DIES):
                print(f"seed {seed} ends early: libhdf5 died of a fault of its own", flush=True)
                continue
            failed += 1
            path = os.path.join(options.keep, f"seed{seed}.script")
            save(path, script)
            print(f"seed {seed}, {sum(len(lines) for _, lines in script)} lines, kept in {path}\n{failure}", flush=True)
    print(f"seeds {options.seeds}: {failed} failed", flush=True)
    return 1 if failed else 0


def replay(players, paths):
    failed = 0
    for path in paths:
        failure = fails(players, load(path))
        failed += failure is not None
        print(f"{path}: {failure or 'passes'}", flush=True)
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stock")
    parser.add_argument("tessera")
    parser.add_argument("--seeds", default="1-5")
    parser.add_argument("--operations", type=int, default=2000)
    parser.add_argument("--newest", choices=BOUNDS[2:], default=BOUNDS[2], help="the highest bound of the format")
    parser.add_argument("--keep", default=".", help="where scripts that fail are left")
    parser.add_argument("--shrink")
    parser.add_argument("--replay", nargs="+")
    options = parser.parse_args()
    work = tempfile.mkdtemp()
    players = Players(options.stock, options.tessera, work)
    try:
        if options.replay:
            return replay(players, options.replay)
        if options.shrink:
            script, failure = shrink(players, load(options.shrink))
            if not script:
                print("passes")
                return 1
            save(options.shrink + ".small", script)
            print(open(options.shrink + ".small", encoding="utf-8").read() + str(failure))
            return 0
        return run_seeds(players, options)
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    sys.exit(main())
