#!/usr/bin/python3
"""Debian's HDF5 tools on the drop-in library print what they print on stock libhdf5, with the same status, for the files of
the corpus; what h5repack makes of them is what it makes on stock; h5copy, h5mkgrp, h5repart, h5clear, h5jam, h5unjam and
h5import, which change files, end in the same files; and all of them work on sparse datasets, which only Tessera has."""

import concurrent.futures
import difflib
import fnmatch
import os
import re
import shutil
import subprocess
import sys

import clients

HERE = os.path.dirname(os.path.abspath(__file__))
SPARSE = os.path.join(HERE, "..", "tools", "chunks", "sparse.h5")

# FILE and NEXT stand for the file and the one behind it in the manifest.
SHORT_READING = ["h5dump FILE", "h5dump -p -H FILE", "h5ls -rv FILE", "h5stat FILE", "h5diff FILE FILE", "h5diff -v FILE NEXT"]
READING = SHORT_READING + ["h5dump -A FILE", "h5dump -B -H FILE", "h5dump -r FILE", "h5dump -R FILE", "h5dump -n 1 FILE",
                           "h5ls -rvd FILE", "h5ls -rS FILE", "h5stat -A -S FILE",
                           "h5diff -v FILE FILE", "h5diff -c FILE NEXT"]
REPACKING = ["", "-f GZIP=4", "-f SHUF -f GZIP=1", "-f FLET", "-f SZIP=8,NN", "-f NBIT", "-f NONE", "-l CONTI", "-l COMPA",
             "-l CHUNK=3x2", "-l CHUNK=5 -f SHUF", "-L", "-j 0 -k 1", "-j 2 -k 2", "-S PAGE -G 4096", "-S FSM_AGGR -P 1",
             "-S NONE", "-M 100000", "-c 2 -d 1 -s 0", "-t 64 -a 512", "-z NAME -q creation_order"]

# What both libraries do differently on purpose, or stock does wrong. Where stock ends without a signal, Tessera
# must too.
KNOWN = {
    "*lzf*": "stock has no lzf",
    "hand_super3_writing1.h5": "Tessera opens a file whose writer died",
    "space_cache_image.h5": "stock crashes",
    "superblock_sizes*": "stock takes unlimited for 4294967295 where lengths have 4 bytes",
    "hand_type_float_msbset.h5": "stock cannot convert this kind of numbers",
    "hand_type_shared_v1_drawn.h5": "stock does not find the type",
    "hand_gheap_*": "what is missing in a heap is an error, not an empty value; h5diff prints bytes behind an element's end",
    "hand_group_cache_types.h5": "a group with two links whose count says one: visited twice at most",
    "hand_header2_no_attribute_info.h5": "attributes that stock does not count",
    "type_float_ldouble_*": "h5diff compares the padding of long doubles, which stock leaves as it was",
    "type_float_norm_none_*": "h5diff compares the padding of long doubles, which stock leaves as it was",
}
LATEST = 2  # how h5repack calls the latest bounds
if clients.stock.release() >= (1, 14):
    LATEST = 4
    KNOWN.update({
        "filter_scaleoffset_range_*": "stock cannot read what it wrote",
        "hand_type_odd_floats.h5": "small floats are shown in half precision",
        "attr_big_endian_*": "the same",
        "filter_nbit_*": "stock refuses numbers with many unused bits",
        "type_int_odd_pad_*": "the same",
        "filter_optional_skipped.h5": "stock has no lzf",
    })
# Files that take minutes, or gigabytes of text, to print (h5dump follows a cycle until its stack ends), and those that do to
# compare with another one.
LONG = ["large_contiguous_64mb.h5", "space_huge_extent*", "links_huge_names.h5", "bad_group_cyclic*"]
LONG_PAIRS = LONG + ["*100000*", "attr_count2000*"]
# What h5repack makes of elements that nobody wrote and no value fills (what its memory held), and of references inside
# compounds (addresses of the old file), is not defined.
UNDEFINED = ["hand_fill_*", "type_compound_reference_*"]
SECONDS = 150


def matches(names, patterns):
    return any(fnmatch.fnmatch(name, pattern) for name in names for pattern in patterns)


def known(*names):
    return matches(names, KNOWN)


def damaged(name):
    return name.startswith("bad_")


def takes_long(template, *names):
    if template == "h5stat FILE":
        return False
    patterns, names = (LONG_PAIRS, names) if "NEXT" in template else (LONG, names[:1])
    return matches(names, patterns)


class Result:
    def __init__(self, status, out, err):
        self.status, self.raw, self.err = status, out, err

    @property
    def out(self):
        return self.raw.decode(errors="replace")

    def died(self):
        """By a signal, or for taking too long."""
        return self.status is None or self.status < 0


def execute(command, dropin, folder, perturb=None):
    env = clients.environment(dropin)
    if perturb:
        env["MALLOC_PERTURB_"] = perturb
    try:
        done = subprocess.run(command, env=env, cwd=folder, capture_output=True, timeout=SECONDS, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return Result(None, b"", f"did not end within {SECONDS} seconds")
    return Result(done.returncode, tidy(done.stdout), done.stderr.decode(errors="replace"))


def tidy(text):
    """The number of a file in a process is a count of what was opened before it; and h5dump 1.14 tells in which file the object of
    a reference is, whose name says here who made it."""
    return re.sub(rb"(/\d+-\d+-)(stock|ours)(?=\.h5)", rb"\1", re.sub(rb"(Location:  )\d+:", rb"\1", text))


def steady(stock, again):
    """Lines that stock prints each time: others show memory that was never written."""
    lines = [result.out.splitlines() for result in (stock, *again)]
    if len({len(one) for one in lines}) > 1:
        return None
    return [i for i, same in enumerate(zip(*lines)) if len(set(same)) == 1]


def difference(ours, stock, again):
    """Why the two results are not the same, or None. `again` runs stock once more, with other memory."""
    if stock.died():
        return None
    if ours.died():
        return f"ended with {ours.status}: {ours.err[-500:]}"
    if ours.status == stock.status and ours.raw == stock.raw:
        return None
    if ours.status == stock.status:
        mine, theirs = ours.out.splitlines(), stock.out.splitlines()
        keep = steady(stock, again())
        if keep is None or len(mine) == len(theirs) and all(mine[i] == theirs[i] for i in keep):
            return None
    lines = difflib.unified_diff(stock.out.splitlines(), ours.out.splitlines(), "stock", "drop-in", lineterm="", n=1)
    text = "\n".join(line[:160] for _, line in zip(range(16), lines))
    return f"status {stock.status} on stock, {ours.status} on the drop-in\n{text}\n{ours.err[-400:]}"


class Check:
    def __init__(self, found, work):
        self.dropin, self.corpus, self.full, self.work = found.dropin, found.corpus, found.full, work
        with open(os.path.join(self.corpus, "manifest.txt")) as lines:
            self.names = [line.split()[0] for line in lines]

    def read(self, job):
        template, index = job
        name, after = self.names[index], self.names[(index + 1) % len(self.names)]
        words = [{"FILE": name, "NEXT": after}.get(word, word) for word in template.split()]
        free = known(name, after) if "NEXT" in template else known(name)
        free = free or damaged(name) or ("NEXT" in template and damaged(after))
        if takes_long(template, name, after):
            return words, None
        ours = execute(words, self.dropin, self.corpus)
        if free and not ours.died():
            return words, None
        stock = execute(words, None, self.corpus)
        if free and not stock.died():
            return words, f"ended with {ours.status}, on stock with {stock.status}"
        return words, difference(ours, stock, lambda: [execute(words, None, self.corpus, p) for p in ("85", "170")])

    def repack(self, job):
        options, index = job
        name = self.names[index]
        words = ["h5repack", *options.split(), name]
        made = [os.path.join(self.work, f"{index}-{REPACKING.index(options)}-{who}.h5") for who in ("stock", "ours")]
        stock = execute(words + made[:1], None, self.corpus)
        ours = execute(words + made[1:], self.dropin, self.corpus)
        why = None
        if ours.status == 0 and (stock.status != 0 or execute(["h5dump", made[0]], None, self.corpus).status != 0):
            # What stock cannot do, or makes a file of that it cannot read.
            why = self.as_source(name, made[1])
        elif ours.status != stock.status and (ours.died() or not stock.died()):
            why = f"status {stock.status} on stock, {ours.status} on the drop-in: {ours.err[-500:]}"
        elif ours.status == 0:
            why = self.same_files(*made)
        for file in made:
            if os.path.exists(file):
                os.remove(file)
        return words, why

    def as_source(self, name, mine):
        """The drop-in library tells the same of a file and what was made of it; of what it cannot read, too."""
        shown = [execute(["h5dump", file], self.dropin, self.corpus) for file in (name, mine)]
        texts = [clients.without_places("\n".join(result.out.splitlines()[1:])) for result in shown]
        same = shown[0].status == shown[1].status and texts[0] == texts[1]
        return None if same else "not equal to the source"

    def same_files(self, theirs, mine):
        """Stock tells the same of both files: what h5dump prints, without places and sizes."""
        shown = [execute(["h5dump", "-p", file], None, self.corpus) for file in (theirs, mine)]
        for result in shown:
            result.raw = clients.without_places("\n".join(result.out.splitlines()[1:])).encode()
        return difference(shown[1], shown[0], lambda: [])

    def all(self, jobs):
        """How many there were, and how many failed."""
        bad = 0
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for words, why in pool.map(lambda job: job[0](job[1]), jobs, chunksize=1):
                if why:
                    bad += 1
                    print(" ".join(words), why, sep="\n", flush=True)
        return len(jobs), bad


def reading(check):
    every, commands = (1, READING) if check.full else (17, SHORT_READING)
    return [(check.read, (command, i)) for i in range(0, len(check.names), every) for command in commands]


def repacking(check):
    """Each file in the plain way and in two of the others, by turns."""
    jobs, turn = [], 0
    for i in range(0, len(check.names), 1 if check.full else 61):
        name = check.names[i]
        if known(name) or damaged(name) or takes_long("h5repack", name) or matches([name], UNDEFINED):
            continue
        for options in ["", REPACKING[1 + turn % (len(REPACKING) - 1)], REPACKING[1 + (turn + 1) % (len(REPACKING) - 1)]]:
            jobs.append((check.repack, (options, i)))
        turn += 2
    return jobs


# Tools that make and change files, one after the other in one folder. Words that begin with @ are files of the corpus.
STORY = """
h5mkgrp -p -v made.h5 a/b/c x
h5mkgrp -v made.h5 a/b/c
h5mkgrp -l latest.h5 g
h5mkgrp latest.h5 q/w
h5copy -v -i @links_hard_old.h5 -o copied.h5 -s / -d /all
h5copy -v -p -f ref -i @heap_object_refs_new.h5 -o copied.h5 -s / -d /deep/ref
h5copy -p -f soft -i @change_copy_refs_old.h5 -o copied.h5 -s / -d /deep/soft
h5copy -p -f shallow -i @change_copy_refs_old.h5 -o copied.h5 -s / -d /deep/shallow
h5copy -p -f noattr -i @change_copy_refs_new.h5 -o copied.h5 -s / -d /deep/noattr
h5copy -i @heap_object_refs_new.h5 -o copied.h5 -s /nothing -d /x
h5copy -i @links_hard_old.h5 -o copied.h5 -s / -d /all
h5repart -m 1m @index_big_chunks_old.h5 family%05d.h5
h5repart -v -m 700k family%05d.h5 other%05d.h5
h5repart -family_to_single other%05d.h5 single.h5
h5repart -m 30000 @driver_family-%05d.h5 newer%05d.h5
h5repart -family_to_single newer%05d.h5 joined.h5
h5ls -r family%05d.h5
h5ls -r newer%05d.h5
h5diff single.h5 @index_big_chunks_old.h5
h5diff joined.h5 @driver_family-%05d.h5
h5diff newer%05d.h5 joined.h5
h5clear --increment=512 made.h5
h5clear -s made.h5
h5clear made.h5
h5clear -s nothing.h5
h5jam -i made.h5 -u text -o jammed.h5
h5unjam -i jammed.h5 -u block -o unjammed.h5
h5diff -v unjammed.h5 jammed.h5
h5import numbers -c settings -o imported.h5
h5import numbers -dims 2,3 -path q -type TEXTFP -size 64 -o imported2.h5
h5dump -o values -b NATIVE -d /a/t imported.h5
h5dump -d nothing imported.h5
h5dump --nothing imported.h5
h5dump -d
h5dump nothing.h5
h5dump text
h5ls text
h5diff text imported.h5
h5stat text
h5repack text out.h5
h5dump
h5dump -V
"""


def story(check, dropin, folder):
    """What each tool printed, and the folder full of what they made."""
    os.makedirs(folder)
    inputs = {"text": "a user block\n", "numbers": "1 2 3\n4 5 6\n",
              "settings": "PATH /a/t\nINPUT-CLASS TEXTIN\nRANK 2\nDIMENSION-SIZES 2 3\nOUTPUT-CLASS IN\nOUTPUT-SIZE 32\n"
                          "OUTPUT-ARCHITECTURE NATIVE\n"}
    for name, text in inputs.items():
        with open(os.path.join(folder, name), "w") as out:
            out.write(text)
    results = []
    for line in STORY.strip().splitlines():
        words = [os.path.join(check.corpus, word[1:]) if word[0] == "@" else word for word in line.split()]
        results.append((line, execute(words, dropin, folder)))
    return results


def told(check):
    folders = [os.path.join(check.work, who) for who in ("stock", "ours")]
    stock, ours = story(check, None, folders[0]), story(check, check.dropin, folders[1])
    failed = [(line, difference(mine, theirs, lambda: [])) for (line, theirs), (_, mine) in zip(stock, ours)]
    made = sorted(os.listdir(folders[0]))
    if made != sorted(os.listdir(folders[1])):
        failed.append(("the files that were made", f"{made}\n{sorted(os.listdir(folders[1]))}"))
    for name in made:
        theirs, mine = (os.path.join(folder, name) for folder in folders)
        if name.endswith(".h5") and not re.search(r"\d{5}", name):
            failed.append((name, check.same_files(theirs, mine)))
    failed = [(what, why) for what, why in failed if why]
    for what, why in failed:
        print(what, why, sep="\n")
    return len(stock) + len(made), len(failed)


def sparse(check):
    """The tools take a sparse dataset for an ordinary one, and what they make of it has the same values."""
    folder = os.path.join(check.work, "sparse")
    os.makedirs(folder)
    shutil.copy(SPARSE, os.path.join(folder, "sparse.h5"))
    failed, count = [], 0

    def tool(line, *expected):
        nonlocal count
        count += 1
        result = execute(line.split(), check.dropin, folder)
        for pattern in expected:
            if result.status != 0 or not re.search(pattern, result.out):
                failed.append((line, f"status {result.status}, no '{pattern}'\n{result.out[:600]}\n{result.err[-400:]}"))
        return result

    values = tool("h5dump -y -w 0 sparse.h5", r'DATASET "fixed-filtered"', r"-7, -7, -7").out
    tool("h5dump -p -H sparse.h5", r"CHUNKED \( 4, 5 \)\s+SIZE 722", r"VALUE  -7")
    tool("h5ls -rv sparse.h5", r"/tree-filtered +Dataset {11/Inf, 23/Inf}", r"Chunks: +{5, 5} 50 bytes")
    tool("h5stat sparse.h5", r"# of unique datasets: 10")
    tool("h5diff -v sparse.h5 sparse.h5", r"dataset: </packed> and </packed>\n0 differences found")
    tool("h5copy -v -i sparse.h5 -o copy.h5 -s / -d /all", "")
    tool("h5diff -v sparse.h5 copy.h5 /packed /all/packed", r"dataset: </packed> and </all/packed>\n0 differences found")
    for i, options in enumerate(["", "-f GZIP=4", "-f SHUF -f GZIP=1", "-f NONE", "-l CONTI", "-l COMPA", "-l CHUNK=3x7",
                                 "-l fixed:CHUNK=2x2", "-S PAGE", f"-j 0 -k {LATEST}", "-M 1000"]):
        tool(f"h5repack {options} sparse.h5 repacked{i}.h5", "")
        tool(f"h5diff -v sparse.h5 repacked{i}.h5", r"dataset: </packed> and </packed>\n0 differences found")
        again = tool(f"h5dump -y -w 0 repacked{i}.h5").out
        if [line for line in values.splitlines() if re.match(r" +-?\d", line)] != \
           [line for line in again.splitlines() if re.match(r" +-?\d", line)]:
            failed.append((f"h5repack {options} sparse.h5", "other values"))
    # What was made dense is stock's to read.
    dense = execute(["h5dump", "-y", "-w", "0", "-d", "/fixed", "repacked4.h5"], None, folder)
    if dense.status != 0 or "-7, -7, -7" not in dense.out:
        failed.append(("stock h5dump of the repacked file", dense.out[:500] + dense.err))
    for what, why in failed:
        print(what, why, sep="\n")
    return count, len(failed)


def main():
    found = clients.arguments(__doc__)
    for program in ("h5dump", "h5repack", "h5repart"):
        clients.need_program("hdf5-tools", program)
    with clients.scratch() as work:
        check = Check(found, work)
        results = {"reading": check.all(reading(check)), "h5repack": check.all(repacking(check)),
                   "making and changing": told(check), "sparse datasets": sparse(check)}
    for what, (count, bad) in results.items():
        print(f"{what}: {count} runs, {bad} differ")
    return 1 if any(bad for _, bad in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
