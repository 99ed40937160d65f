"""demo.py TESSERA ALTER: `tessera demo` as a user runs it, whole, stopped, without room; and that its checks notice changes."""
import os
import pathlib
import pty
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib

TESSERA, ALTER = sys.argv[1:3]
LEFT = {"demo.h5", "demo-frames.png", "demo-chunks.png"}
KEPT = LEFT | {"demo-dense.h5", "demo-lists.h5"}


def demo(*options, status=0, **how):
    done = subprocess.run([TESSERA, "demo", *map(str, options)], text=True, capture_output=True, timeout=200, **how)
    assert done.returncode == status, (options, done.returncode, done.stdout, done.stderr)
    return done.stderr if status else done.stdout


def files(folder):
    return {p.name for p in folder.iterdir()} if folder.exists() else None


def number(text):
    return int(text.replace(",", ""))


def picture(path):
    """The rows of a PNG file of three colours, every checksum checked."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, parts = 8, []
    while at < len(data):
        n, = struct.unpack_from(">I", data, at)
        kind, body = data[at + 4:at + 8], data[at + 8:at + 8 + n]
        assert struct.unpack_from(">I", data, at + 8 + n)[0] == zlib.crc32(kind + body), kind
        parts.append((kind, body))
        at += 12 + n
    assert [kind for kind, _ in parts] == [b"IHDR", b"tEXt", b"IDAT", b"IEND"], parts
    width, height, *how = struct.unpack(">IIBBBBB", parts[0][1])
    assert how == [8, 2, 0, 0, 0]
    raw = zlib.decompress(parts[2][1])
    assert len(raw) == height * (1 + 3 * width)
    rows = [raw[i:i + 1 + 3 * width] for i in range(0, len(raw), 1 + 3 * width)]
    assert all(row[0] == 0 for row in rows)
    return [[tuple(row[i:i + 3]) for i in range(1, len(row), 3)] for row in rows]


def check_table(out, folder):
    """The numbers agree with each other and with the files."""
    text = " ".join(out.split())
    frames, height, width, kept, all_pixels, share = re.search(
        r"Recorded ([\d,]+) frames of (\d+) x (\d+): ([\d,]+) of ([\d,]+) pixels are kept, ([\d.]+) %", text).groups()
    assert (number(frames), int(height), int(width)) == (260, 64, 96)
    assert number(all_pixels) == 260 * 64 * 96
    assert abs(100 * number(kept) / number(all_pixels) - float(share)) < 0.06
    erased, left = re.search(r"bad panel, ([\d,]+) in all frames. Then verified the other ([\d,]+),", text).groups()
    assert 0 < number(erased) and number(erased) + number(left) == number(kept)
    assert "The region of interest of each of the 3 frames that are whole is known, too." in text
    rows = re.findall(r"^(sparse|dense, 0 elsewhere|coordinate lists) +([\d.]+) MB +([\d.]+) s +([\d,]+) +([\d.]+) ms$",
                      out, re.M)
    assert [row[0] for row in rows] == ["sparse", "dense, 0 elsewhere", "coordinate lists"], out
    for (_, size, seconds, rate, box), name in zip(rows, ("demo.h5", "demo-dense.h5", "demo-lists.h5")):
        # What was erased afterwards changed the first.
        slack = 0.2 * float(size) + 0.06 if name == "demo.h5" else 0.06
        assert abs((folder / name).stat().st_size / 1e6 - float(size)) < slack, name
        assert abs(260 / number(rate) - float(seconds)) < 0.011, (seconds, rate)
        assert float(box) > 0
    median, most = map(float, re.search(r"([\d.]+) ms \(median\), ([\d.]+) ms \(most\)", out).groups())
    assert 0 <= median <= most
    return number(left)


def check_pictures(folder):
    undefined = (38, 40, 46)
    frames = picture(folder / "demo-frames.png")
    panels = 3 * (96 * 5 + 8) + 8
    assert (len(frames), len(frames[0])) == (64 * 5 + 16, panels)
    middle = [frames[8 + 5 * y][8 + i * (96 * 5 + 8):8 + i * (96 * 5 + 8) + 480:5] for i in range(3) for y in range(64)]
    defined = [sum(pixel != undefined for row in middle[64 * i:64 * i + 64] for pixel in row) for i in range(3)]
    # All but the panel that was erased; a tenth; peaks of 5 x 5.
    assert defined[0] == 64 * 96 - (64 // 6) * (96 // 4), defined
    assert 0 < defined[1] <= (64 * 6 // 19) * (96 * 6 // 19), defined
    assert 25 <= defined[2] <= 2500, defined
    chunks = picture(folder / "demo-chunks.png")
    colours = {pixel for row in chunks for pixel in row}
    assert undefined in colours and len(colours) > 10


def check_whole(work):
    folder = work / "whole"
    out = demo("--frames", 260, "--size", "64x96", "--seed", 7, "--keep", "-o", folder)
    assert files(folder) == KEPT
    left = check_table(out, folder)
    check_pictures(folder)
    assert demo("--verify", folder / "demo.h5") == f"{folder}/demo.h5: 260 frames, {left:,} pixels, each as recorded\n"
    # The same seed, the same run; and without --keep only what is named is left.
    again = work / "again"
    out = demo("--frames", 260, "--size", "64x96", "--seed", 7, "-o", again)
    assert files(again) == LEFT and all(name in out for name in LEFT)
    assert (again / "demo-frames.png").read_bytes() == (folder / "demo-frames.png").read_bytes()
    out = demo("-n", 260, "-s", "64x96", "-S", 8, "-o", again)
    assert files(again) == LEFT
    assert (again / "demo-frames.png").read_bytes() != (folder / "demo-frames.png").read_bytes()
    assert "\x1b" not in out, "bars are for terminals"
    return folder / "demo.h5"


def check_changes(work, good):
    """One pixel that is changed, missing or too many is found and named."""
    copy = work / "copy.h5"
    for what, message in (((100, 3, 4, 9999), r"frame 100, row 3, column 4: 9999 is stored, \d+ was recorded"),
                          ((100, 63, 95, "erase"), "frame 100, row 63, column 95: is not defined, and was recorded"),
                          ((200, 40, 60, 77), "frame 200, row 40, column 60: is defined, and was not recorded or was erased"),
                          ((150, 3, 4, 1, "/detector/regions"), "frame 150: its region of interest is not the one that was recorded")):
        shutil.copy(good, copy)
        subprocess.run([ALTER, copy, *map(str, what)], check=True)
        error = demo("--verify", copy, status=1)
        assert re.fullmatch(f"tessera: {message}\n", error), error


def check_refused(work):
    for options in (["-n", "0"], ["-n", "x"], ["-n", "-3"], ["-n", "10000001"], ["-s", "64"], ["-s", "64x"], ["-s", "31x64"],
                    ["-s", "64x64x64"], ["-s", "9000x64"], ["-S", "-1"], ["-S", "99999999999999999999"], ["--frob"],
                    ["more"], ["-n"]):
        error = demo(*options, "-o", work / "refused", status=2)
        assert error.startswith(("tessera: ", "usage: ")), error
        assert files(work / "refused") is None
    assert "No such file" in demo("--verify", work / "none.h5", status=1)
    (work / "text").write_text("just some text")
    assert "not an HDF5 file" in demo("--verify", work / "text", status=1)
    assert "is no file of 'tessera demo'" in demo("--verify", pathlib.Path(__file__).parent.parent.parent / "examples/sample.h5",
                                                   status=1)
    error = demo("-o", work / "none" / "below", status=1)
    assert "No such file" in error and "--output" in error, error
    assert "text" in demo("-n", 1, "-o", work / "text", status=1)
    if os.getuid():
        (work / "closed").mkdir(mode=0o555)
        assert "--output" in demo("-o", work / "closed", status=1)


def no_room():
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def check_full(work):
    error = demo("-n", 300, "-s", "64x96", "-o", work / "full", status=1, preexec_fn=no_room, restore_signals=False)
    assert "File too large" in error, error
    assert files(work / "full") is None


def children(pid):
    return pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def check_stopped(work):
    """Ctrl-C and its like leave nothing, at whatever stage; kill -9 takes the second process along."""
    for number_of, wait, last in ((signal.SIGINT, 0.2, "demo.h5"), (signal.SIGTERM, 0.5, "demo.h5"),
                                  (signal.SIGHUP, 0.0, "demo.h5"), (signal.SIGINT, 0.0, "demo-dense.h5")):
        folder = work / "stopped"
        frames = "100000" if last == "demo.h5" else "200"
        process = subprocess.Popen([TESSERA, "demo", "-n", frames, "-o", folder], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        while not (folder / last).exists():
            assert process.poll() is None
            time.sleep(0.001)
        time.sleep(wait)
        others = children(process.pid)
        process.send_signal(number_of)
        error = process.communicate(timeout=60)[1]
        assert process.returncode == -number_of, (process.returncode, error)
        assert error == "tessera: interrupted; nothing is left\n", error
        assert files(folder) is None
        assert not any(os.path.exists(f"/proc/{pid}") for pid in others)
    process = subprocess.Popen([TESSERA, "demo", "-n", "100000", "-o", folder], stdout=subprocess.DEVNULL)
    while not children(process.pid):
        time.sleep(0.01)
    others = children(process.pid)
    process.kill()
    process.wait()
    for _ in range(500):
        if not any(os.path.exists(f"/proc/{pid}") and "Z" not in pathlib.Path(f"/proc/{pid}/stat").read_text().split()[2]
                   for pid in others):
            break
        time.sleep(0.01)
    else:
        raise AssertionError("the second process lives on")
    assert files(folder) == {"demo.h5"}
    # The next run makes good what that one left.
    demo("-n", 30, "-s", "40x40", "-o", folder)
    assert files(folder) == LEFT


def check_terminal(work):
    """Bars on a terminal, which are gone in the end."""
    first, second = pty.openpty()
    process = subprocess.Popen([TESSERA, "demo", "-n", "400", "-s", "64x96", "-o", work / "bars"], stdout=second,
                               stderr=second, env={**os.environ, "TERM": "xterm", "LC_ALL": "C"})
    os.close(second)
    out = b""
    while True:
        try:
            part = os.read(first, 65536)
        except OSError:
            break
        if not part:
            break
        out += part
    assert process.wait() == 0
    text = out.decode()
    assert re.search(r"recorded +#*\.* +\d+ of 400\r\n  followed +#*\.* +\d+ of 400\r\n\x1b\[2A\x1b\[J", text), text
    assert text.count("A\x1b[J") == len(re.findall(r"  (?:followed|boxes|verified|dense|lists) +[#.]+  \d+ of", text))


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    recorded = check_whole(folder)
    check_changes(folder, recorded)
    check_refused(folder)
    check_full(folder)
    check_stopped(folder)
    check_terminal(folder)
print("ok")
