#!/usr/bin/python3
"""run_doctor.py TESSERA: `tessera run` changes LD_LIBRARY_PATH and nothing else; `tessera doctor` tells which HDF5 library a
program loads, and why `tessera run` would not change that. Programs and libraries are made here, as others might be built."""

import os
import subprocess
import sys
import tempfile

TESSERA = os.path.abspath(sys.argv[1])
DROPIN = os.path.realpath(os.path.join(os.path.dirname(TESSERA), "..", "dropin"))
NAME = os.readlink(os.path.join(DROPIN, "libhdf5_serial.so"))  # libhdf5_serial.so.103, or what it was built for
FAILED = []

PROGRAM = 'int H5open(void); int main(void) { return H5open() < 0; }'
# What a library of another build looks like from outside.
LIBRARY = 'const char about[] = "HDF5 library version: %s"; int H5open(void) { return about[0] == 0; }'


def check(good, what, shown=""):
    if not good:
        FAILED.append(what)
        print(f"failed: {what}\n{shown}")


def tessera(*words, env=None):
    clean = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    done = subprocess.run([TESSERA, *words], env={**clean, **(env or {})}, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def says(words, status, *texts):
    got, out, err = tessera("doctor", *words)
    check(got == status, f"doctor {words}: status {got}, not {status}", out + err)
    for text in texts:
        check(text in out + err, f"doctor {words}: no '{text}'", out + err)


def compile_c(source, out, *flags):
    subprocess.run(["cc", "-x", "c", "-", "-x", "none", "-o", out, *flags], input=source, text=True, check=True)
    return out


def running():
    status, out, err = tessera("run", "env", env={"A": "1"})
    _, plain, _ = tessera("run", "--", "sh", "-c", "unset LD_LIBRARY_PATH; env", env={"A": "1"})
    lines, before = set(out.splitlines()), set(plain.splitlines())
    check(status == 0 and f"LD_LIBRARY_PATH={DROPIN}" in lines and err == "", "run env", out + err)
    moves = ("_=", "PWD=", "OLDPWD=", "SHLVL=")
    more = {line for line in lines ^ before if not line.startswith(moves)}
    check(more == {f"LD_LIBRARY_PATH={DROPIN}"}, "run changes more than the library path", str(more))
    _, out, err = tessera("run", "-v", "printenv", "LD_LIBRARY_PATH", env={"LD_LIBRARY_PATH": "/a:/b"})
    check(out == f"{DROPIN}:/a:/b\n" and err == f"tessera: LD_LIBRARY_PATH={DROPIN}:/a:/b\n", "run before others", out + err)
    _, out, _ = tessera("run", "printenv", "LD_LIBRARY_PATH", env={"LD_LIBRARY_PATH": ""})
    check(out == f"{DROPIN}\n", "run with an empty path", out)
    check(tessera("run", "sh", "-c", "exit 7")[0] == 7, "the status of the program")
    check(tessera("run", "sh", "-c", "echo $0 $@", "-v", "x")[1] == "-v x\n", "options behind the program are its own")
    status, _, err = tessera("run", "/no/such/program")
    check(status == 127 and "cannot run /no/such/program: No such file" in err, "run of nothing", err)
    check(tessera("run", "/etc/passwd")[0] == 126, "run of a text")
    check(tessera("run")[0] == 2, "run without a program")


def binaries(folder):
    own = os.path.join(folder, "own")
    os.makedirs(own)
    stock = compile_c(LIBRARY % "1.10.8", os.path.join(own, NAME), "-shared", "-fPIC", f"-Wl,-soname,{NAME}")
    soft = compile_c(PROGRAM, os.path.join(folder, "soft"), stock, "-Wl,--enable-new-dtags", f"-Wl,-rpath,{own}")
    says([soft], 0, f"HDF5 1.10.8, {own}/{NAME}", f"under 'tessera run': Tessera ", f", {DROPIN}/{NAME}")
    hard = compile_c(PROGRAM, os.path.join(folder, "hard"), stock, "-Wl,--disable-new-dtags", f"-Wl,-rpath,{own}")
    says([hard], 1, f"HDF5 1.10.8, {own}/{NAME}", "under 'tessera run': the same", f"its RPATH goes before LD_LIBRARY_PATH: {own}")
    wheel = compile_c(LIBRARY % "1.14.2", os.path.join(own, "libhdf5-1a2b3c.so.310"), "-shared", "-fPIC",
                      "-Wl,-soname,libhdf5-1a2b3c.so.310")
    bundled = compile_c(PROGRAM, os.path.join(folder, "bundled"), wheel, f"-Wl,-rpath,{own}")
    says([bundled], 1, "HDF5 1.14.2", "under 'tessera run': the same", "a name of its own (libhdf5-1a2b3c.so.310)")
    later = compile_c(LIBRARY % "2.0.0", os.path.join(own, "libhdf5.so.400"), "-shared", "-fPIC", "-Wl,-soname,libhdf5.so.400")
    newer = compile_c(PROGRAM, os.path.join(folder, "newer"), later, f"-Wl,-rpath,{own}")
    says([newer], 1, "HDF5 2.0.0", f"it is loaded as libhdf5.so.400; Tessera takes the place of {NAME} only")
    setuid = compile_c(PROGRAM, os.path.join(folder, "setuid"), stock, f"-Wl,-rpath,{own}")
    os.chmod(setuid, 0o4755)
    says([setuid], 1, "it is setuid or setgid")
    module = compile_c('int H5open(void); int f(void) { return H5open(); }', os.path.join(folder, "module.so"), "-shared",
                       "-fPIC", stock, f"-Wl,-rpath,{own}")
    says([module], 0, f"HDF5 1.10.8, {own}/{NAME}", f", {DROPIN}/{NAME}")
    says([soft, hard], 1, soft, hard)
    bare = compile_c("int main(void) { return 0; }", os.path.join(folder, "bare"))
    says([bare], 1, "loads no HDF5 library when it starts")
    return soft


def others(folder, soft):
    text = os.path.join(folder, "text")
    with open(text, "w") as out:
        out.write("just text\n")
    says([text], 1, "is neither a program nor a library")
    says(["/no/such/file"], 1, "no such program or file")
    script = os.path.join(folder, "script")
    with open(script, "w") as out:
        out.write(f"#! /usr/bin/env -S {soft} -x\n")
    says([script], 0, f"{script} is a script of {soft}:", f", {DROPIN}/{NAME}")
    cut = os.path.join(folder, "cut")
    with open(soft, "rb") as whole, open(cut, "wb") as out:
        out.write(whole.read(3000))
    check(tessera("doctor", cut)[0] == 1, "half of a program")


def pythons(folder):
    """A module of each kind, in a Python that is none: it says what the loader would have mapped."""
    python = os.path.join(folder, "python3")
    with open(python, "w") as out:
        out.write(f"""#!/bin/sh
case $3 in
h5py) echo 9.8; if [ -n "$LD_LIBRARY_PATH" ]; then echo {DROPIN}/{NAME}; else echo {folder}/own/{NAME}; fi;;
netCDF4) echo 1.7; echo {folder}/own/libhdf5-1a2b3c.so.310;;
*) exit 3;;
esac
""")
    os.chmod(python, 0o755)
    says([python], 1, f"h5py 9.8: HDF5 1.10.8, {folder}/own/{NAME}", f"under 'tessera run': Tessera ",
         "netCDF4 1.7: HDF5 1.14.2", "under 'tessera run': the same", "a name of its own", "tables: not installed")
    if subprocess.run(["/usr/bin/python3", "-c", "import h5py"], capture_output=True).returncode == 0:
        says([], 0, "/usr/bin/python3\n  h5py ", f", {DROPIN}/{NAME}")


with tempfile.TemporaryDirectory(prefix="run-doctor-") as scratch:
    scratch = os.path.realpath(scratch)
    running()
    others(scratch, binaries(scratch))
    pythons(scratch)
print(f"{len(FAILED)} failed")
sys.exit(1 if FAILED else 0)
