#!/usr/bin/python3
"""PyTables' own test suite: every test must end on the drop-in library as it does on stock libhdf5. The short form leaves out
three slow modules, and asks stock only about modules in which a test failed."""

import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

import clients

HERE = os.path.dirname(os.path.abspath(__file__))
SLOW = ["tables.tests.test_queries", "tables.tests.test_indexvalues", "tables.tests.test_indexes", "tables.tests.test_tables"]
LEFT_OUT = set(SLOW[:3])
GOOD = {"ok", "skipped"}


def modules():
    """All of the suite, as test_suite.py lists them, the slow ones first."""
    found = clients.run(["/usr/bin/python3", "-c", "import tables.tests.test_suite as s; print(s.__file__)"])
    with open(found.stdout.strip()) as source:
        names = re.findall(r"""['"](tables\.[\w.]*test_\w+)['"]""", source.read())
    return sorted(names, key=lambda name: SLOW.index(name) if name in SLOW else len(SLOW))


def outcomes(module, dropin):
    """What each test came to, {name: [(how, text), ...]} since some run more than once, and the seconds of all."""
    with tempfile.TemporaryDirectory(prefix="pytables-") as folder:
        log = os.path.join(folder, "log")
        env = dict(clients.environment(dropin), TMPDIR=folder)
        done = subprocess.run(["/usr/bin/python3", "-B", os.path.join(HERE, "pytables_suite.py"), log, module], env=env,
                              cwd=folder, capture_output=True, text=True, errors="replace", timeout=3000)
        lines = open(log).read().splitlines() if os.path.exists(log) else []
    found, seconds, last = {}, 0.0, None
    for line in lines:
        if line.startswith("    "):
            last[1].append(line)
        elif line != "end":
            how, took, name = line.split("\t")
            last = (how, [])
            found.setdefault(name, []).append(last)
            seconds += float(took)
    if not lines or lines[-1] != "end":
        found.setdefault("the process", []).append((f"ended with {done.returncode}", [done.stderr[-2000:]]))
    return found, seconds


def bad(found):
    return any(how not in GOOD for runs in found.values() for how, _ in runs)


def compare(module, full, dropin):
    """The module's line, and what differs."""
    ours, seconds = outcomes(module, dropin)
    line = f"{module}: {sum(len(runs) for runs in ours.values())} tests, {seconds:.1f} s"
    differences = []
    if full or bad(ours):
        stock, stock_seconds = outcomes(module, None)
        line += f", stock {stock_seconds:.1f} s"
        for name in sorted(set(ours) | set(stock)):
            mine, theirs = [how for how, _ in ours.get(name, [])], [how for how, _ in stock.get(name, [])]
            if mine != theirs:
                text = "\n".join("\n".join(lines) for how, lines in ours.get(name, []) if how not in GOOD)
                differences.append(f"{name}: {', '.join(mine) or 'missing'}; stock: {', '.join(theirs) or 'missing'}\n{text}")
    return line, differences, ours


def main():
    args = clients.arguments(__doc__)
    clients.need_module("python3-tables", "tables.tests")
    chosen = [name for name in modules() if args.full or name not in LEFT_OUT]
    n_tests = n_differences = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for line, differences, ours in pool.map(lambda name: compare(name, args.full, args.dropin), chosen):
            print(line, flush=True)
            for difference in differences:
                print("  " + difference.replace("\n", "\n  "), flush=True)
            n_tests += sum(len(runs) for runs in ours.values())
            n_differences += len(differences)
    print(f"{n_tests} tests, {n_differences} differ from stock")
    return 1 if n_differences or n_tests < (6000 if args.full else 3500) else 0


if __name__ == "__main__":
    sys.exit(main())
