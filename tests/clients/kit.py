"""What the recipes are made of: how to get a client, how to run its tests on one library. Everything lies in one folder, CACHE,
which may be removed at any time; a changed recipe gets what it needs anew only if it has another name or version.

A client has get() and outcomes(library, only), which returns {test: outcome}; `library` is None for stock libhdf5, or the folder
of the drop-in library, and `only` the tests that matter (a client may run more). `explained` says why a test may differ."""

import glob
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CACHE = os.path.join(ROOT, "build", "clients")
VENV = os.path.join(CACHE, "venv")
PYTHON = os.path.join(VENV, "bin", "python")
STOCK_PREFIX = "/usr/lib/x86_64-linux-gnu/hdf5/serial"

sys.path.insert(0, os.path.join(ROOT, "tests", "dropin"))
import clients as dropin_clients  # noqa: E402


class Missing(Exception):
    """The client cannot be had here."""


class Foul(Exception):
    """The client ran, and what it did is no result: on the wrong library, or not at all."""


def path(*parts):
    return os.path.join(CACHE, *parts)


def get(command, **more):
    """A command that fetches or builds; Missing, with the end of what it said, when it fails."""
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", **more)
    if done.returncode:
        raise Missing(f"{' '.join(command[:4])}: {(done.stdout + done.stderr).strip()[-600:]}")
    return done.stdout


def once(name, make):
    """Makes the folder `name` of the cache, unless a whole one is there."""
    folder = path(name)
    if not os.path.exists(os.path.join(folder, ".whole")):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        make(folder)
        open(os.path.join(folder, ".whole"), "w").close()
    return folder


def packages(*names):
    """Debian packages that are missing."""
    absent = [name for name in names
              if "install ok installed" not in subprocess.run(["dpkg-query", "-W", "-f=${Status}", name], capture_output=True,
                                                              text=True).stdout]
    if absent:
        as_root = [] if os.getuid() == 0 else ["sudo"]
        get(as_root + ["apt-get", "update", "-qq"])
        get(as_root + ["apt-get", "install", "-y", "-qq", "--no-install-recommends"] + absent,
            env=dict(os.environ, DEBIAN_FRONTEND="noninteractive"))


def pip(*names):
    """Packages for the virtual environment, without what they depend on: h5py, PyTables and netCDF4 stay Debian's, which
    use the system's libhdf5."""
    if not os.path.exists(PYTHON):
        packages("python3-venv", "python3-numpy", "python3-h5py", "python3-tables", "python3-netcdf4", "python3-pytest",
                 "python3-scipy")
        get(["/usr/bin/python3", "-m", "venv", "--system-site-packages", VENV])
    there = set(get([PYTHON, "-m", "pip", "list", "--format=freeze"]).lower().replace("_", "-").split())
    absent = [name for name in names if name.lower().replace("_", "-") not in there]
    if absent:
        get([PYTHON, "-m", "pip", "install", "-q", "--no-deps"] + absent)


def unpacked(folder, archive):
    get(["tar", "-xf", archive, "-C", folder])
    os.remove(archive)


def sdist(name):
    """The folder of a Python package's source, `name` being package==version."""
    def make(folder):
        get([PYTHON, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", name.split("==")[0], "-d", folder, name])
        for archive in glob.glob(folder + "/*.tar.*"):
            unpacked(folder, archive)
    return only_folder(once("sdist-" + name.replace("==", "-"), make))


def only_folder(folder):
    return next(entry.path for entry in os.scandir(folder) if entry.is_dir())


def debian_source(name):
    """The folder of a Debian package's source as its authors made it. The system's own list of sources stays as it is."""
    options = ["-o", "Dir::Etc::SourceList=/dev/null", "-o", "Dir::Etc::SourceParts=" + path("apt"),
               "-o", "Dir::State::Lists=" + path("apt", "lists")]

    def make_lists(folder):
        with open("/etc/apt/sources.list.d/debian.sources") as file:
            text = re.sub(r"(?m)^Types:.*", "Types: deb-src", file.read())
        with open(folder + "/debian.sources", "w") as file:
            file.write(text)
        os.makedirs(folder + "/lists/partial")
        get(["apt-get", *options, "update", "-qq"])

    def make(folder):
        once("apt", make_lists)
        get(["apt-get", *options, "source", "-qq", "--tar-only", "--download-only", name], cwd=folder)
        for archive in glob.glob(folder + "/*.tar.*"):
            unpacked(folder, archive)
    return only_folder(once("debian-" + name, make))


def crate(name, version):
    """The folder of a crate's source. What else comes with it goes again: a build fetches what it needs."""
    def make(folder):
        with open(folder + "/Cargo.toml", "w") as file:
            file.write(f'[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[lib]\npath = "lib.rs"\n'
                       f'[dependencies]\n{name} = "={version}"\n')
        open(folder + "/lib.rs", "w").close()
        home = folder + "/home"
        get([cargo(), "fetch", "-q"], cwd=folder, env=dict(os.environ, CARGO_HOME=home))
        shutil.move(glob.glob(f"{home}/registry/src/*/{name}-{version}")[0], folder + "/source")
        shutil.rmtree(home)
    return os.path.join(once(f"crate-{name}-{version}", make), "source")


def cargo():
    found = shutil.which("cargo")
    if not found:
        raise Missing("cargo is not installed")
    return found


def environment(library):
    return dropin_clients.environment(library)


def scratch_folder(client):
    """An empty folder for one run."""
    folder = path("run", client)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    return folder


def watched(command, seconds, log, **more):
    """Runs a command whose output goes to the file `log`; ends it and all it started when the time is over. Returns its status,
    negative for a signal, or None when the time was over."""
    with open(log, "a") as out:
        process = subprocess.Popen(["nice"] + command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                   start_new_session=True, **more)
        try:
            return process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return None


def without_error_places(text):
    """Error stacks that the library printed without where in its source they come from, and without the records inside."""
    text = re.sub(r"(?m)^  #\d*[1-9]\d*: .*\n    major: .*\n    minor: .*\n", "", text)
    return re.sub(r"(?m)^(  #\d+: )\S+ line \d+ ", r"\1", text)


def ended(status):
    """The outcome of a program that is a test by itself."""
    if status is None:
        return "no end"
    if status < 0 or status > 128:
        return f"died of signal {-status if status < 0 else status - 128}"
    return {0: "passed", 77: "skipped"}.get(status, "failed")


def library_of(file, library=None):
    """The libhdf5 that the program or shared object `file` finds; None when it needs none."""
    said = subprocess.run(["ldd", file], env=environment(library), capture_output=True, text=True).stdout
    found = re.search(re.escape(dropin_clients.stock.SONAME) + r" => (\S+)", said)
    return found.group(1) if found else None


def check_library(file, library):
    """Foul, unless the program or shared object `file` finds the library that is wanted."""
    check_place(library_of(file, library) or "none", library, file)


def check_place(place, library, user):
    wanted = os.path.realpath(library) if library else "/usr/lib/"
    if not os.path.realpath(place).startswith(wanted):
        raise Foul(f"{user} uses {place}")


def compiled(client, sources, flags, compiler="gcc"):
    """Compiles each source, a file or a list of files, into a program of its own; [(name, [program])]. A source that does not
    compile against Debian's headers is left out."""
    def make(folder):
        for source in sources:
            files = [source] if isinstance(source, str) else source
            program = os.path.join(folder, os.path.splitext(os.path.basename(files[0]))[0])
            subprocess.run([compiler, "-w", "-g", "-O1", "-o", program] + files + flags, capture_output=True)
    folder = once("programs-" + client, make)
    programs = [file for file in sorted(glob.glob(folder + "/*")) if os.access(file, os.X_OK) and library_of(file)]
    return [(os.path.basename(program), [program]) for program in programs]


class Client:
    explained = {}
    seconds = 900

    def __init__(self, explained=None, seconds=None):
        self.explained = explained or self.explained
        self.seconds = seconds or self.seconds

    def text_log(self, library):
        """Where everything that the tests print goes."""
        return path("results", f"{self.name}.{'dropin' if library else 'stock'}.log")


class Pytest(Client):
    """Tests that pytest runs. `tests` are files or folders, {site} being the folder of the virtual environment's packages and
    {source} that of the source `sdist`. `pip` and `debian` are packages to install before."""

    def __init__(self, tests, pip=(), sdist=None, debian=(), options=(), env=None, **more):
        super().__init__(**more)
        self.tests, self.pip, self.sdist, self.debian = tests, pip, sdist, debian
        self.options, self.env = options, env or {}

    def get(self):
        packages(*self.debian)
        pip(*self.pip)
        self.places = {"site": glob.glob(VENV + "/lib/python3*/site-packages")[0], "debian": "/usr/lib/python3/dist-packages"}
        if self.sdist:
            self.places["source"] = sdist(self.sdist)

    def outcomes(self, library, only=None):
        folder = scratch_folder(self.name)
        log = os.path.join(folder, "outcomes")
        tests = [test.format(**self.places) for test in self.tests]
        env = dict(environment(library), CLIENT_LOG=log, PYTHONPATH=HERE, TMPDIR=folder, HOME=folder, MPLBACKEND="agg",
                   QT_QPA_PLATFORM="offscreen", **self.env)
        if only:
            env["CLIENT_ONLY"] = os.path.join(folder, "only")
            with open(env["CLIENT_ONLY"], "w") as file:
                file.write("\n".join(only) + "\n")
        command = [PYTHON, "-m", "pytest", "-q", "-p", "outcomes_plugin", "-p", "no:cacheprovider", "-W", "ignore", "--tb=short",
                   "--color=no", "--continue-on-collection-errors", *self.options, *tests]
        return self.results(command, env, folder, library)

    def results(self, command, env, folder, library, deaths=20):
        """Runs the tests, again behind each one that ended the process."""
        log = env["CLIENT_LOG"]
        for _ in range(deaths):
            status = watched(command, self.seconds, self.text_log(library), env=env, cwd=folder)
            found, whole = self.read(log, library)
            if whole or status is None:
                break
            with open(log, "a") as file:
                file.writelines(f"{ended(status)}\t{name}\n" for name, outcome in found.items() if outcome is None)
        return {name: outcome or "no end" for name, outcome in found.items()}

    def read(self, log, library):
        """{test: outcome}, None for one that has begun only; and whether the last process came to its end."""
        found, places, lines = {}, [], []
        if os.path.exists(log):
            with open(log) as file:
                lines = [line.rstrip("\n").split("\t") for line in file]
        for line in lines:
            if line[0] == "library":
                places.append(line[1])
            elif line[0] == "begun":
                found[line[1]] = None
            elif line[0] != "end" and found.get(line[1]) in (None, "passed"):
                found[line[1]] = line[0]
        if not found:
            raise Foul(f"no test ran; see {self.text_log(library)}")
        whole = lines[-1] == ["end"]
        for place in places:
            check_place(place, library, "the process")
        if whole and not places:
            raise Foul("the process has no libhdf5")
        return found, whole


class Programs(Client):
    """Programs that are a test each, in the order of their names. build() returns [(name, command)]."""

    def __init__(self, build, debian=(), seconds_each=120, **more):
        super().__init__(**more)
        self.build, self.debian, self.seconds_each = build, debian, seconds_each

    def get(self):
        packages(*self.debian)
        self.programs = self.build()

    def outcomes(self, library, only=None):
        folder, found = scratch_folder(self.name), {}
        for name, command in self.programs:
            if not only or name in only:
                check_library(command[0], library)
                found[name] = ended(watched(command, self.seconds_each, self.text_log(library), env=environment(library),
                                            cwd=folder))
        shutil.rmtree(folder)
        return found


class Commands(Client):
    """Commands that are a test each, on files that stock makes (grids.py), in one folder and in their order. One passes if it
    ends well, and on the drop-in if it also prints what it printed on stock; {out} is a file that it makes, which stock's
    `shown` prints."""

    def __init__(self, commands, debian, shown=("ncdump",), seconds_each=60, **more):
        super().__init__(**more)
        self.commands, self.debian, self.shown, self.seconds_each = commands, debian, shown, seconds_each

    def get(self):
        packages("python3-h5py", "python3-netcdf4", "netcdf-bin", "hdf5-tools", *self.debian)
        self.files = once("grids", lambda folder: get(["/usr/bin/python3", os.path.join(HERE, "grids.py"), folder]))

    def outcomes(self, library, only=None):
        folder = os.path.join(scratch_folder(self.name), "files")
        shutil.copytree(self.files, folder)
        check_library(shutil.which(shlex.split(self.commands[0])[0]), library)
        said = {command: self.said(command, folder, library) for command in self.commands}
        kept = path("results", self.name + ".printed")
        if library is None:
            with open(kept, "w") as file:
                json.dump(said, file)
        with open(kept) as file:
            wanted = json.load(file)
        return {command: self.outcome(command, said[command], wanted.get(command), library)
                for command in self.commands if not only or command in only}

    def said(self, command, folder, library):
        """How the command ended, and what it and what it made have to say."""
        out = os.path.join(folder, "out")
        for old in glob.glob(out + "*"):
            os.remove(old)
        log = os.path.join(os.path.dirname(folder), "log")
        open(log, "w").close()
        env = dict(environment(library), LC_ALL="C.UTF-8", TZ="UTC")
        status = ended(watched(shlex.split(command.format(out="out")), self.seconds_each, log, env=env, cwd=folder))
        if "{out}" in command:
            watched([*self.shown, "out"], self.seconds_each, log, env=environment(None), cwd=folder)
        with open(log, errors="replace") as file:
            return status, without_error_places(file.read())

    def outcome(self, command, said, wanted, library):
        status, text = said
        with open(self.text_log(library), "a") as file:
            file.write(f"$ {command}\n{text}\n{status}\n")
        return status if wanted and text == wanted[1] else "printed otherwise"


class Printed(Client):
    """A command that prints what its tests come to. `lines` is a regular expression with the groups name and outcome, `words`
    says what the outcomes mean. objects() are the programs or shared objects that must use the library, run() runs the tests."""

    def __init__(self, lines, words, **more):
        super().__init__(**more)
        self.lines, self.words = re.compile(lines, re.M), words

    def read(self, text):
        return {found["name"]: self.words[found["outcome"]] for found in self.lines.finditer(text)}

    def outcomes(self, library, only=None):
        folder = scratch_folder(self.name)
        for file in self.objects():
            check_library(file, library)
        log = os.path.join(folder, "log")
        status = self.run(folder, log, library)
        with open(log, errors="replace") as file:
            text = file.read()
        with open(self.text_log(library), "a") as file:
            file.write(text)
        found = self.read(text)
        if status not in (0, 1, 101):
            found["the process"] = ended(status)
        return found


class Cargo(Printed):
    """The tests of a crate."""

    def __init__(self, crate, version, options=(), **more):
        super().__init__(r"^test (?P<name>\S+)(?: - should panic)? \.\.\. (?P<outcome>ok|FAILED|ignored)",
                         {"ok": "passed", "FAILED": "failed", "ignored": "skipped"}, **more)
        self.crate, self.version, self.options = crate, version, options

    def command(self, *more):
        return [cargo(), "test", "-q" if more else "--no-fail-fast", *self.options, *more]

    def settings(self, library):
        return dict(environment(library), HDF5_DIR=STOCK_PREFIX, CARGO_HOME=path("cargo"), CARGO_TARGET_DIR=self.target)

    def get(self):
        self.source = crate(self.crate, self.version)
        self.target = path("target-" + self.crate)
        get(self.command("--no-run", "--lib", "--tests"), cwd=self.source, env=self.settings(None))

    def objects(self):
        programs = glob.glob(self.target + "/debug/deps/*")
        return [file for file in programs if os.access(file, os.X_OK) and "." not in os.path.basename(file)]

    def run(self, folder, log, library):
        return watched(self.command() + ["--lib", "--tests"], self.seconds, log, cwd=self.source,
                       env=dict(self.settings(library), TMPDIR=folder))


class Go(Printed):
    """The tests of a Go module that binds libhdf5."""

    def __init__(self, module, version, **more):
        super().__init__(r"^--- (?P<outcome>PASS|FAIL|SKIP): (?P<name>\S+)",
                         {"PASS": "passed", "FAIL": "failed", "SKIP": "skipped"}, **more)
        self.module, self.version = module, version

    def get(self):
        go = shutil.which("go")
        if not go:
            raise Missing("go is not installed")

        def make(folder):
            env = dict(os.environ, GOMODCACHE=folder + "/cache", GOCACHE=folder + "/built", GOFLAGS="-modcacherw",
                       CGO_CFLAGS="-I/usr/include/hdf5/serial", CGO_LDFLAGS="-L" + STOCK_PREFIX)
            get([go, "mod", "init", "fetch"], cwd=folder, env=env)
            get([go, "mod", "download", f"{self.module}@{self.version}"], cwd=folder, env=env)
            shutil.move(f"{folder}/cache/{self.module}@{self.version}", folder + "/source")
            get([go, "test", "-c", "-o", folder + "/tests", "."], cwd=folder + "/source", env=env)
            shutil.rmtree(env["GOCACHE"])
        self.folder = once("go-" + self.module.replace("/", "-"), make)

    def objects(self):
        return [self.folder + "/tests"]

    def run(self, folder, log, library):
        return watched([self.folder + "/tests", "-test.v"], self.seconds, log, cwd=self.folder + "/source",
                       env=environment(library))


class Rscript(Printed):
    """Tests of an R package that a script of this folder runs, which prints a line `outcome<tab>name` per test."""

    def __init__(self, script, package, debian, **more):
        super().__init__(r"^(?P<outcome>passed|failed|error|skipped)\t(?P<name>.*)$",
                         {word: word for word in ("passed", "failed", "error", "skipped")}, **more)
        self.script, self.package, self.debian = script, package, debian

    def get(self):
        packages(*self.debian)

    def objects(self):
        return glob.glob(f"/usr/lib/R/site-library/{self.package}/libs/*.so")

    def run(self, folder, log, library):
        return watched(["Rscript", os.path.join(HERE, self.script), self.package], self.seconds, log, cwd=folder,
                       env=dict(environment(library), TMPDIR=folder, LC_ALL="C.UTF-8"))
