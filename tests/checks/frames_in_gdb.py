"""What tests/checks/frames runs inside gdb: stops at the functions of FRAMES_AT and keeps, for each, the deepest stack up to one
of FRAMES_FROM. Frames of functions that the compiler has inlined are named, and not counted: they are not on the stack."""
import json
import os

import gdb

deepest = {}


def stack(top):
    names, count = [], 0
    frame = gdb.newest_frame()
    while frame is not None:
        inlined = frame.type() == gdb.INLINE_FRAME
        count += not inlined
        names.append(("  " if inlined else "") + (frame.name() or "?"))
        if frame.name() in top:
            return count, names
        frame = frame.older()
    return None


class Stop(gdb.Breakpoint):
    def stop(self):
        found = stack(os.environ["FRAMES_FROM"].split(","))
        if found and found[0] > deepest.get(self.location, (0,))[0]:
            deepest[self.location] = found
        return False


for setting in ("pagination off", "breakpoint pending on", "print thread-events off", "debuginfod enabled off"):
    try:
        gdb.execute(f"set {setting}", to_string=True)
    except gdb.error:
        pass  # not in every gdb
for function in os.environ["FRAMES_AT"].split(","):
    Stop(function)
gdb.execute("run", to_string=True)
print("FRAMES", json.dumps(deepest))
