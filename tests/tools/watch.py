"""watch.py TESSERA GROWING: `tessera watch` beside a writer, of Tessera and of stock libhdf5, and without one."""
import json
import pathlib
import signal
import subprocess
import sys
import tempfile

TESSERA, GROWING = sys.argv[1:3]

STOCK = """
import sys, h5py
f = h5py.File(sys.argv[1], "w", libver="latest")
d = f.create_dataset("rows", shape=(0, 8), maxshape=(None, 8), chunks=(4, 8), dtype="f8")
for line in sys.stdin:
    word, _, n = line.strip().partition(" ")
    if word == "swmr":
        f.swmr_mode = True
    elif word == "rows":
        for _ in range(int(n)):
            i = d.shape[0]
            d.resize(i + 1, 0)
            d[i] = [10.0 * i + k for k in range(8)]
        d.flush()
    elif word == "close":
        f.close()
    print("done", flush=True)
"""


class Writer:
    def __init__(self, name, stock=False):
        command = ["/usr/bin/python3", "-c", STOCK] if stock else [GROWING]
        self.process = subprocess.Popen([*command, name], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def do(self, *commands):
        for command in commands:
            self.process.stdin.write(command + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
            assert answer == "done\n", (command, answer)

    def end(self):
        self.process.stdin.close()
        assert self.process.wait() == 0


class Watch:
    def __init__(self, what, *options):
        command = [TESSERA, "watch", "--interval", "0.02", *options, str(what)]
        self.process = subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def line(self):
        return self.process.stdout.readline().rstrip("\n")

    def event(self, kind):
        line = self.line()
        assert line, self.process.stderr.read()
        event = json.loads(line)
        assert event["event"] == kind, (kind, event)
        return event

    def end(self, status=0):
        rest, errors = self.process.communicate(timeout=60)
        assert self.process.returncode == status, (self.process.returncode, rest, errors)
        return rest, errors


def row(i):
    return {"index": i, "values": [10 * i + k for k in range(6)]}


def check_rows(name, stock):
    writer = Writer(name, stock)
    writer.do("rows 3", "swmr")
    watch = Watch(f"{name}/rows", "--json", "--count", "3", "--rows", "2")
    start = watch.event("start")
    assert (start["shape"], start["dataset"]) == ([3, 8], "/rows"), start
    for before, new in ((3, 1), (4, 2), (6, 30)):
        writer.do(f"rows {new}")
        event = watch.event("grown")
        assert event["shape"] == [before + new, 8] and event["dimension"] == 0, event
        assert (event["from"], event["new"]) == (before, new), event
        assert event["rate"] > 0 and -1 < event["age"] < 60, event
        assert event["rows"] == [row(i) for i in range(before + new)[-min(new, 2):]], event
    end = watch.event("end")
    assert (end["why"], end["updates"], end["new"]) == ("enough", 3, 33), end
    watch.end()
    return writer


def check_frames(name):
    writer = Writer(name)
    writer.do("swmr", "frames 2")
    watch = Watch(f"{name}/frames", "--json")
    assert watch.event("start")["shape"] == [2, 5, 4]
    writer.do("frames 2")
    event = watch.event("grown")
    assert event["rows"] == [{"index": i, "min": i, "max": i + 2, "mean": i + 1} for i in (2, 3)], event
    writer.do("frames 1", "close")
    assert watch.event("grown")["shape"] == [5, 5, 4]
    assert watch.event("end")["why"] == "the writer closed the file"
    watch.end()
    writer.end()


def check_sparse(name):
    writer = Writer(name)
    writer.do("swmr", "sparse 1")
    watch = Watch(f"{name}/sparse", "--json")
    watch.event("start")
    writer.do("sparse 6")
    event = watch.event("grown")
    assert (event["shape"], event["defined"]) == ([7, 8], 2 + 3 + 4 + 5 + 1 + 2), event
    assert event["rows"][0] == {"index": 1, "defined": 2, "values": [100, 101]}, event
    assert event["rows"][5] == {"index": 6, "defined": 2, "values": [600, 601]}, event
    writer.do("define")
    event = watch.event("changed")
    assert (event["shape"], event["defined"]) == ([7, 8], 1 + 17 + 1), event
    writer.process.kill()
    assert watch.event("end")["why"] == "the writer died"
    watch.end()


def check_text(name):
    writer = Writer(name)
    writer.do("swmr", "rows 1", "sparse 1", "frames 1")
    watches = [Watch(f"{name}/{dataset}") for dataset in ("rows", "frames", "sparse")]
    heads = [watch.line() for watch in watches]
    assert heads == ["/rows  float64  1/∞ x 8", "/frames  uint16  1/∞ x 5 x 4", "/sparse  int32  1/∞ x 8  sparse"], heads
    writer.do("rows 12", "frames 1", "sparse 1")
    lines = [watches[0].line() for _ in range(12)]
    assert lines[:2] == ["  … 2 more", "  [3]  30, 31, 32, 33, 34, 35, …"], lines
    assert lines[11].startswith("13 x 8: +12, ") and lines[11].endswith(" s ago"), lines
    assert watches[1].line() == "  [1]  min 1  max 3  mean 2"
    assert watches[2].line() == "  [1]  2 defined  100, 101"
    for number, watch in zip((signal.SIGINT, signal.SIGTERM, signal.SIGINT), watches):
        watch.process.send_signal(number)
        rest, _ = watch.end()
        assert rest.splitlines()[-1].startswith("1 update, ") and rest.endswith("; interrupted\n"), rest
    writer.do("close")
    writer.end()


def check_refusals(name):
    writer = Writer(name)
    writer.do("rows 1")
    _, errors = Watch(f"{name}/rows").end(1)
    assert "cannot follow" in errors and "H5Fstart_swmr_write" in errors, errors
    writer.do("swmr")
    _, errors = Watch(name).end(1)
    assert "is no dataset" in errors, errors
    _, errors = Watch(f"{name}/nothing").end(1)
    assert "there is no 'nothing' in /" in errors, errors
    writer.do("close")
    writer.end()
    _, errors = Watch(f"{name}/rows").end(1)
    assert "no SWMR writer has it open" in errors, errors


def main():
    with tempfile.TemporaryDirectory() as folder:
        for stock in (False, True):
            name = pathlib.Path(folder, f"rows-{stock}.h5")
            writer = check_rows(name, stock)
            writer.do("close")
            writer.end()
        check_frames(pathlib.Path(folder, "frames.h5"))
        check_sparse(pathlib.Path(folder, "sparse.h5"))
        check_text(pathlib.Path(folder, "text.h5"))
        check_refusals(pathlib.Path(folder, "refused.h5"))


main()
