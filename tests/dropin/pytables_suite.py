"""Runs modules of PyTables' own test suite in the current folder and writes a line per test, as it ends, to a file: how it
ended, the seconds of CPU it took, its name. What happened to one that failed follows, indented."""

import sys
import time
import unittest

from tables.tests import common


class Recorder(unittest.TestResult):
    def __init__(self, out):
        super().__init__()
        self.out, self.begun = out, None

    def startTest(self, test):
        super().startTest(test)
        self.name = test.id()  # PyTables forgets it when the test is over
        self.ended, self.text, self.begun = "ok", "", time.process_time()

    def addError(self, test, err):
        self.note(test, "error", err)

    def addFailure(self, test, err):
        self.note(test, "failure", err)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.note(test, "failure", err)

    def addSkip(self, test, reason):
        self.ended, self.text = "skipped", reason

    def note(self, test, how, err):
        text = self._exc_info_to_string(err, test)
        if self.begun is None:  # a fixture of a class or a module: no test has begun
            self.write(how, 0, str(test), text)
        self.ended, self.text = how, text

    def stopTest(self, test):
        super().stopTest(test)
        self.write(self.ended, time.process_time() - self.begun, self.name, self.text)
        self.begun = None

    def write(self, how, seconds, name, text):
        self.out.write(f"{how}\t{seconds:.3f}\t{name}\n")
        for line in text.splitlines():
            self.out.write(f"    {line}\n")
        self.out.flush()


def main():
    with open(sys.argv[1], "w") as out:
        recorder = Recorder(out)
        common.heavy = False
        for name in sys.argv[2:]:
            __import__(name)
            sys.modules[name].suite().run(recorder)
        out.write("end\n")


if __name__ == "__main__":
    main()
