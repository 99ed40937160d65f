"""help.py TESSERA SOURCE: man pages and completion say what the help of the program says."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TESSERA, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
OPTION = re.compile(r"^  (-[A-Za-z]), (--[a-z-]+)(?: ([A-Za-z]+))?(?: |$)", re.M)


def tessera(*arguments):
    return subprocess.run([TESSERA, *arguments], text=True, capture_output=True, check=True).stdout


def commands():
    return re.findall(r"^  ([a-z]+) +(.*)$", tessera("--help"), re.M)


def check_page(page, options):
    text = page.read_text()
    told = {(f"-{a}", f"-{b}", c or "") for a, b, c in
            re.findall(r"^\.It Fl ([A-Za-z]) , Fl (-[a-z-]+)(?: Ar ([A-Za-z]+))?$", text, re.M)}
    assert told == options, (page.name, told ^ options)
    if shutil.which("mandoc"):
        subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page], check=True)


def check_pages():
    listed = (SOURCE / "man/tessera.1").read_text()
    pages = {"tessera.1"}
    for name, summary in commands():
        help_text = tessera(name, "--help")
        assert tessera("help", name) == help_text
        assert help_text.startswith(f"usage: tessera {name} "), help_text
        assert all(len(line) <= 120 for line in help_text.splitlines()), name
        options = set(OPTION.findall(help_text))
        assert ("-h", "--help", "") in options, name
        check_page(SOURCE / f"man/tessera-{name}.1", options)
        assert f".It Cm {name}\n{summary}:\n.Xr tessera-{name} 1\n" in listed, name
        pages.add(f"tessera-{name}.1")
    check_page(SOURCE / "man/tessera.1", {("-h", "--help", "")})
    assert {p.name for p in (SOURCE / "man").iterdir()} == pages


def complete(folder, line):
    """What bash offers for the last word of a line."""
    words = line.split(" ")
    script = f"""source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_tessera
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    out = subprocess.run(["bash", "-c", script, "bash", SOURCE / "completions/tessera.bash", TESSERA, *words], cwd=folder,
                         text=True, capture_output=True, check=True)
    assert out.stderr == "", (line, out.stderr)
    return out.stdout.split("\n")[:-1] if out.stdout != "\n" else []


def check_completion():
    names = [name for name, _ in commands()]
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(SOURCE / "examples/sample.h5", f"{folder}/sample.h5")
        pathlib.Path(folder, "sub").mkdir()
        cases = {
            "": [*names, "help", "--help", "--version"],
            "d": [name for name in names if name[0] == "d"],
            "rec": ["recover"],
            "help wa": ["watch"],
            "--v": ["--version"],
            "ls sa": ["sample.h5"],
            "ls -r sa": ["sample.h5"],
            "ls s": ["sample.h5", "sub"],
            "ls sample.h5/a": ["sample.h5/air/"],
            "dump sample.h5/air/": ["sample.h5/air/pressure", "sample.h5/air/sky", "sample.h5/air/temperature"],
            "dump -n 3 sample.h5/air/t": ["sample.h5/air/temperature"],
            "dump -n ": [],
            "dump sample.h5/zz": [],
            "chunks -o ": ["coord", "addr", "native"],
            "chunks --order a": ["addr"],
            "demo --output s": ["sub"],
            "demo --verify s": ["sample.h5", "sub"],
            "demo s": [],
        }
        for line, expected in cases.items():
            got = complete(folder, line)
            assert sorted(got) == sorted(expected), (line, got)
        for name in names:
            options = {word for option in OPTION.findall(tessera(name, "--help")) for word in option[:2]}
            assert set(complete(folder, f"{name} -")) == options, name
            assert complete(folder, f"{name} --hel") == ["--help"]


check_pages()
check_completion()
print("ok")
