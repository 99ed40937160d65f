#!/usr/bin/env python3
"""Random programs in the public API on stock libhdf5 and on Tessera: every call must do the same on both.

    run.py OURS --seeds 1-200          these programs
    run.py OURS --seconds 60           as many as there is time for
    --only 'H5[ST]'                    calls of functions that begin like this
    run.py OURS --replay FILE...       kept scripts
    --release 1.14                     on that libhdf5 (tests/support/roots.py); what libhdf5 1.10 does is right, too
    --alone                            on Tessera alone, which must survive whatever comes
    --findings FOLDER                  a file for each distinct difference, with a short script that shows it
    --recheck                          which of those are still there
    --jobs 16                          so many side by side, each with its share of the seeds
    --coverage FILE                    how often each function was called, with what success; added to what is there
    --fail crash data ...              kinds of differences that make it fail (all)
"""
import argparse
import collections
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import arguments
import compare
import headers
import masks
import newer
import play
import shrink

OUR_HEADERS = pathlib.Path(__file__).resolve().parents[2] / "include"
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import roots  # noqa: E402
import stock  # noqa: E402


def is_sanitized(library):
    """Whether a program must load the runtime of sanitizers before it."""
    path = pathlib.Path(library)
    return path.exists() and b"libasan.so" in path.read_bytes()


class Side:
    """One library, in a process that plays programs."""

    def __init__(self, library, folder=headers.FOLDER, python=(sys.executable, "-B")):
        environment = dict(os.environ, PYTHONHASHSEED="0", HDF5_PLUGIN_PATH="/nowhere", MALLOC_PERTURB_="165")
        if is_sanitized(library):
            preload = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True).stdout.strip()
            environment.update(LD_PRELOAD=preload, ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1:handle_abort=1",
                               UBSAN_OPTIONS="print_stacktrace=1")
        self.process = subprocess.Popen([*python, str(HERE / "server.py"), library, str(folder)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env=environment)

    @classmethod
    def of(cls, release):
        """Stock's of a release, under the Python that belongs to it."""
        return cls(release.library.name, release.include, release.python())

    @classmethod
    def of_tessera(cls, library):
        """Ours has the types of the release whose place it takes, or its own."""
        number = re.search(r"hdf5_serial\.so\.(\d+)", str(pathlib.Path(library).resolve()))
        if not number:
            return cls(library, OUR_HEADERS)
        taken, following = {"103": ((1, 10), (1, 11)), "310": ((1, 14), (1, 15))}[number.group(1)]
        return cls(library, roots.at_hand(taken, following)[0].include)

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


class Pair:
    """With an older libhdf5, ours may do what that does."""

    def __init__(self, ours, dumps=True, release=None):
        self.stock = Side.of(release) if release else Side(stock.SONAME)
        self.ours = Side.of_tessera(ours)
        older = roots.at_hand((1, 10), (1, 11)) if release else []
        self.older = Side.of(older[0]) if older else None
        self.dumps = dumps
        self.replays = 0

    def folder(self):
        base = "/dev/shm" if os.path.isdir("/dev/shm") else None
        return tempfile.mkdtemp(prefix="calls.", dir=base)

    def generate(self, seed, calls, only):
        """A random program on stock; calls that end it are kept apart, and it goes on without them."""
        lines, deadly = [], []
        for attempt in range(6):
            folder = self.folder()
            answer = self.stock.ask(do="generate", seed=seed * 16 + attempt, prologue=seed, calls=calls, prefix=lines, only=only,
                                    dir=folder)
            shutil.rmtree(folder)
            lines = answer["lines"]
            if answer["status"] == "ended":
                return lines, deadly
            if not lines:
                break
            deadly.append(lines)
            lines = lines[:-1]
        return lines, deadly

    def play(self, lines):
        """Both transcripts, and what each library reads of the files in the end."""
        self.replays += 1
        folders = [self.folder(), self.folder()]
        stock = self.stock.ask(do="replay", lines=lines, dir=folders[0])
        ours = self.ours.ask(do="replay", lines=lines, dir=folders[1])
        if self.dumps and stock["whole"] and ours["whole"]:
            stock["files"] = self.stock.ask(do="dump", dir=folders[0])
            ours["files"] = self.ours.ask(do="dump", dir=folders[1])
            ours["files by stock"] = self.stock.ask(do="dump", dir=folders[1])
        for folder in folders:
            shutil.rmtree(folder)
        if self.older:
            stock["older"] = functools.cache(self.play_older)
        return stock, ours

    def play_older(self, lines):
        folder = self.folder()
        answer = self.older.ask(do="replay", lines=[newer.in_old_words(*play.parse(line)) for line in lines], dir=folder)
        if self.dumps and answer["whole"]:
            answer["files"] = self.older.ask(do="dump", dir=folder)
        shutil.rmtree(folder)
        return answer

    def play_ours(self, lines):
        folder = self.folder()
        answer = self.ours.ask(do="replay", lines=lines, dir=folder)
        shutil.rmtree(folder)
        return answer


class Findings:
    """Distinct differences, each with the first script that showed it."""

    def __init__(self, folder):
        self.folder = folder and pathlib.Path(folder)
        self.known = {}
        if self.folder:
            self.folder.mkdir(parents=True, exist_ok=True)
            self.load()

    def load(self):
        """What earlier runs found."""
        self.take(self.folder)

    def take(self, folder):
        """What the run that wrote into a folder found; the shortest script of each."""
        state = folder / "state.json"
        for kept in json.loads(state.read_text()) if state.exists() else []:
            difference = compare.Difference(*kept["difference"])
            known = self.known.get(difference.key)
            if known:
                kept["count"] += known["count"]
            if known and len(known["lines"]) <= len(kept["lines"]):
                known["count"] = kept["count"]
            else:
                self.known[difference.key] = dict(kept, difference=difference)

    def recheck(self, pair):
        """Forgets what is not there any more."""
        for key, entry in list(self.known.items()):
            if not shrink.shows(pair, entry["lines"], key):
                print(f"gone: {key}", flush=True)
                del self.known[key]
        self.write()

    def add(self, difference, lines, seed):
        entry = self.known.get(difference.key)
        if entry:
            entry["count"] += 1
            return None
        entry = self.known[difference.key] = {"count": 1, "seed": seed, "lines": lines, "difference": difference}
        return entry

    def write(self):
        """A file for each, the heaviest first, and a list of all."""
        if not self.folder:
            return
        for path in self.folder.glob("[0-9]*.txt"):
            path.unlink()
        index = []
        ranked = sorted(self.known.values(), key=lambda entry: (entry["difference"].weight, -entry["count"]))
        for rank, entry in enumerate(ranked, 1):
            difference = entry["difference"]
            name = f"{rank:03}-{difference.function}-{difference.what}.txt"
            seen = f"seen {entry['count']} times, first with seed {entry['seed']}"
            (self.folder / name).write_text("\n".join([difference.told(), seen, ""] + entry["lines"]) + "\n")
            index.append(f"{rank:03} {difference.function} {difference.what}: {difference.detail}  ({entry['count']})")
        (self.folder / "000-all.txt").write_text("\n".join(index) + "\n")
        state = [dict(entry, difference=entry["difference"].parts()) for entry in ranked]
        (self.folder / "state.json").write_text(json.dumps(state))


class Coverage:
    """How often each function was called, in this run and in those before that wrote into the same file."""

    def __init__(self, path, release=None):
        self.path = path and pathlib.Path(path)
        self.facts = headers.Facts(release.include if release else headers.FOLDER)
        self.calls = collections.Counter()
        self.good = collections.Counter()
        if path:
            self.take(self.path)

    def take(self, path):
        for line in path.read_text().split("\n")[1:-1] if path.exists() else []:
            name, calls, good = line.split("\t")
            if calls != "-":
                self.calls[name] += int(calls)
                self.good[name] += int(good)

    def note(self, entries):
        for entry in entries:
            if entry["st"] != "skip":
                self.calls[entry["f"]] += 1
                self.good[entry["f"]] += entry["st"] == "ok"

    def write(self):
        if not self.path:
            return
        functions = self.facts.functions
        with open(self.path, "w") as file:
            file.write("function\tcalls\tsucceeded\n")
            for name in sorted(functions):
                reason = arguments.left_out(name)
                if reason:
                    file.write(f"{name}\t-\t{reason}\n")
                else:
                    file.write(f"{name}\t{self.calls[name]}\t{self.good[name]}\n")

    def summary(self, least=50):
        functions = [name for name in self.facts.functions if not arguments.left_out(name)]
        few = [name for name in functions if self.calls[name] < least]
        return f"{sum(self.calls.values())} calls of {sum(1 for n in functions if self.calls[n])} functions out of {len(functions)}; " \
               f"{len(few)} with fewer than {least} calls"


class Run:
    def __init__(self, options):
        self.options = options
        if options.release:
            masks.compare_with_newer()
        self.pair = Pair(options.ours, dumps=not options.no_files, release=options.release)
        self.findings = Findings(options.findings)
        self.coverage = Coverage(options.coverage, options.release)
        self.programs = 0

    def all(self):
        """Seeds, then kept scripts."""
        options = self.options
        begin = time.monotonic()
        first, _, last = (options.seeds or ("1-" if options.seconds else "")).partition("-")
        part, parts = options.part
        seed = int(first or 0) + part
        while first and (not last or seed <= int(last)) and not (options.seconds and time.monotonic() - begin > options.seconds):
            self.alone(seed) if options.alone else self.seed(seed)
            seed += parts
            if self.programs % 50 == 0:
                self.coverage.write()
        for path in options.replay:
            self.replay(path)
        if options.recheck:
            self.findings.recheck(self.pair)

    def seed(self, seed):
        lines, deadly = self.pair.generate(seed, self.options.calls, self.options.only)
        self.programs += 1
        self.compare(lines, seed)
        for deadly_lines in deadly:
            ours = self.pair.play_ours(deadly_lines)
            self.coverage.note(ours["entries"][-1:])
            self.judge(compare.survival(deadly_lines, ours), seed)

    def alone(self, seed):
        folder = self.pair.folder()
        answer = self.pair.ours.ask(do="generate", seed=seed, prologue=seed, calls=self.options.calls, prefix=[],
                                    only=self.options.only, dir=folder)
        shutil.rmtree(folder)
        self.programs += 1
        self.coverage.note(answer["entries"])
        self.judge(compare.survival(answer["lines"], answer), seed)

    def compare(self, lines, seed):
        """Where a call ends differently, the program goes on without it."""
        for attempt in range(8):
            stock, ours = self.pair.play(lines)
            differences = compare.transcripts(lines, stock, ours)
            self.judge(differences, seed)
            if attempt == 0:
                self.coverage.note(stock["entries"])
            if not differences or differences[-1].what != "return":
                break
            lines = [line for line in lines if line != differences[-1].lines[-1]]

    def judge(self, differences, seed):
        for difference in differences:
            if difference.meant:
                continue
            entry = self.findings.add(difference, difference.lines, seed)
            if not entry:
                continue
            if self.options.shrink:
                entry["lines"] = shrink.shrink(self.pair, difference)
            print(f"seed {seed}: {difference.told()}", flush=True)
            self.findings.write()

    def replay(self, path):
        lines = [line for line in pathlib.Path(path).read_text().split("\n") if re.match(r"\w+: H5", line)]
        stock, ours = self.pair.play(lines)
        self.programs += 1
        self.judge(compare.transcripts(lines, stock, ours) + compare.survival(lines, ours), path)


class Jobs:
    """Several runs side by side, each with its part of the seeds; what they found and called is added up."""

    def __init__(self, options):
        self.findings = Findings(options.findings)
        self.coverage = Coverage(options.coverage, options.release)
        self.jobs = options.jobs
        self.programs = 0

    def all(self):
        with tempfile.TemporaryDirectory(prefix="calls.") as folder:
            base = pathlib.Path(folder)
            processes = [self.start(base / str(part), part) for part in range(self.jobs)]
            for part, process in enumerate(processes):
                told = process.communicate()[0].split("\n")
                print("\n".join(told[:-2]), end="\n" if told[:-2] else "", flush=True)
                self.programs += int(re.match(r"\d+", told[-2]).group())
                self.findings.take(base / str(part))
                self.coverage.take(base / str(part) / "coverage.tsv")

    def start(self, folder, part):
        own = ["--jobs", "1", "--part", str(part), str(self.jobs), "--findings", str(folder), "--coverage", str(folder / "coverage.tsv")]
        return subprocess.Popen([sys.executable, "-B", __file__, *sys.argv[1:], *own], stdout=subprocess.PIPE, text=True)


def release_at_hand(name):
    """The newest of a series; ends with 77, for a test that is skipped, where there is none or none of 1.10."""
    first = tuple(map(int, name.split(".")))
    found = roots.at_hand(first, first[:-1] + (first[-1] + 1,))
    if not found or not roots.at_hand((1, 10), (1, 11)):
        print(f"libhdf5 {name} and 1.10 are not both at hand: `make roots`")
        sys.exit(77)
    return found[-1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ours")
    parser.add_argument("--seeds")
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--calls", type=int, default=60)
    parser.add_argument("--only", default="H5")
    parser.add_argument("--replay", nargs="*", default=[])
    parser.add_argument("--findings")
    parser.add_argument("--coverage")
    parser.add_argument("--shrink", action="store_true")
    parser.add_argument("--no-files", action="store_true")
    parser.add_argument("--recheck", action="store_true")
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--release")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--part", type=int, nargs=2, default=[0, 1], help=argparse.SUPPRESS)
    parser.add_argument("--fail", nargs="*", default=list(compare.WEIGHTS))
    options = parser.parse_args()
    if options.release:
        options.release = release_at_hand(options.release)
    run = Jobs(options) if options.jobs > 1 else Run(options)
    begin = time.monotonic()
    run.all()
    seconds = time.monotonic() - begin
    run.findings.write()
    run.coverage.write()
    print(f"{run.programs} programs in {seconds:.0f} s ({run.programs * 60 / max(seconds, 1):.0f} a minute); "
          f"{run.coverage.summary()}; {len(run.findings.known)} distinct differences")
    return 1 if any(what in options.fail for what, _, _ in run.findings.known) else 0


if __name__ == "__main__":
    sys.exit(main())
