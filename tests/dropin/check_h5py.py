#!/usr/bin/python3
"""h5py's own tests, on stock libhdf5 and on the drop-in library: every test must end the same way under both, but for
those in ALLOWED. The short form runs the files in SHORT, --full the whole suite."""

import os
import sys
import xml.etree.ElementTree

import clients

SHORT = ["test_attrs", "test_attrs_data", "test_attribute_create", "test_dataset", "test_dataset_swmr", "test_errors", "test_file",
         "test_file2", "test_group", "test_h5d_direct_chunk", "test_h5p", "test_vds"]

# Test: why it may differ. docs/compatibility.md tells the same to users.
ALLOWED = {
    "test_file2.TestFileObj.test_exception_write":
        "H5Fcreate writes the superblock at once, so that a file object that cannot be written fails there, not later",
    "test_file2.TestFileObj.test_exception_writeonly":
        "a new file is written without reading anything back, so that a file object need not be readable",
}
if clients.stock.release() >= (1, 14):
    ALLOWED["test_ros3.test_ros3_temp_token"] = "the ros3 driver needs an HTTP client"


def outcome(case):
    for kind in ("failure", "error", "skipped"):
        if case.find(kind) is not None:
            return kind
    return "passed"


def results(folder, dropin, files):
    """{test: outcome} of one run."""
    os.mkdir(folder)
    report = os.path.join(folder, "report.xml")
    command = ["/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore", "--tb=short",
               "--junitxml=" + report] + files
    done = clients.run(["env", "H5PY_NO_NETWORK_TEST=1", "TMPDIR=" + folder] + command, dropin, timeout=1800, cwd=folder)
    # 1: some tests failed. Everything else is no result.
    if done.returncode not in (0, 1):
        sys.exit(f"the tests did not run to their end ({done.returncode}):\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    found = {}
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        name = case.get("classname").split(".tests.")[-1] + "." + case.get("name")
        # A test can have two entries, one for what goes before and after it.
        if found.get(name, "passed") == "passed":
            found[name] = outcome(case)
    return found


def count(found):
    return ", ".join(f"{list(found.values()).count(kind)} {kind}" for kind in ("passed", "failure", "error", "skipped"))


def files_of(full):
    where = clients.run(["/usr/bin/python3", "-c", "import h5py.tests; print(h5py.tests.__path__[0])"]).stdout.strip()
    if not os.path.isdir(where):
        where = clients.run(["/usr/bin/python3", "-c",
                             "import h5py._debian_h5py_serial as h; print(h.__path__[0] + '/tests')"]).stdout.strip()
    clients.need("python3-h5py with its tests", os.path.isdir(where))
    if full:
        return [where]
    found = [os.path.join(where, name) for name in SHORT]
    return [name if os.path.isdir(name) else name + ".py" for name in found]


def main():
    args = clients.arguments(__doc__)
    clients.need_module("python3-h5py", "h5py")
    clients.need_module("python3-pytest", "pytest")
    files = files_of(args.full)
    with clients.scratch() as folder:
        stock = results(os.path.join(folder, "stock"), None, files)
        ours = results(os.path.join(folder, "dropin"), args.dropin, files)
    print("stock:  ", count(stock))
    print("drop-in:", count(ours))
    wrong = 0
    for test in sorted(stock.keys() | ours.keys()):
        one, other = stock.get(test, "absent"), ours.get(test, "absent")
        if one != other:
            reason = ALLOWED.get(test)
            print(f"{test}: {one} under stock, {other} under the drop-in library{': ' + reason if reason else ''}")
            wrong += reason is None
    for test in ALLOWED.keys() & stock.keys():
        if stock[test] == ours.get(test):
            print(f"{test}: the same under both: take it off the list")
            wrong += 1
    print(f"{len(stock)} tests, {wrong} differences that are not allowed")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
