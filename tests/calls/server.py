#!/usr/bin/env python3
"""Plays programs on one library, each in a process of its own: `server.py LIBRARY HEADERS`, requests and answers as lines of JSON.

{"do": "generate", "seed": 1, "prologue": 1, "calls": 60, "prefix": [...], "dir": "..."}   a random program, from its begin on
{"do": "replay", "lines": [...], "dir": "..."}              a given one
{"do": "dump", "dir": "..."}                                what the files of a folder hold
The answer: {"lines": [...], "entries": [...], "status": "ended" | "signal 11" | "hangs" | ..., "stderr": "..."}
"""
import gc
import json
import os
import pathlib
import resource
import select
import signal
import sys
import time

import arguments
import choose
import dump
import play

SECONDS = 20
MEMORY = 8 << 30


def child(library, request, pipe):
    os.chdir(request["dir"])
    errors = os.open("stderr.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(errors, 1)
    os.dup2(errors, 2)
    if "asan" not in os.environ.get("LD_PRELOAD", ""):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 28, 1 << 28))
    stream = os.fdopen(pipe, "w")

    def write(item):
        stream.write(json.dumps(item) + "\n")
        stream.flush()

    if request["do"] == "dump":
        dump.folder(library, write)
    elif request["do"] == "generate":
        choose.program(library, request, write)
    else:
        player = play.Player(library, write)
        for line in request["lines"]:
            write({"line": line})
            write({"entry": player.play(line)})
        write({"closing": True})
        library.H5close()
    write({"end": True})
    stream.close()


def serve(library, request):
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reading)
        code = 1
        try:
            child(library, request, writing)
            code = 0
        except BaseException:
            import traceback
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    os.close(writing)
    answer = collect(process, reading)
    path = os.path.join(request["dir"], "stderr.txt")
    if answer["status"] != "ended" and os.path.exists(path):
        with open(path, errors="replace") as file:
            answer["stderr"] = file.read()[-6000:]
    return answer


def collect(process, reading):
    data = bytearray()
    limit = time.monotonic() + SECONDS
    hangs = False
    while True:
        ready, _, _ = select.select([reading], [], [], max(limit - time.monotonic(), 0))
        if not ready:
            os.kill(process, signal.SIGKILL)
            hangs = True
            break
        piece = os.read(reading, 1 << 16)
        if not piece:
            break
        data += piece
    os.close(reading)
    _, status = os.waitpid(process, 0)
    return told(data, "hangs" if hangs else outcome(status))


def outcome(status):
    if os.WIFSIGNALED(status):
        return f"signal {os.WTERMSIG(status)}"
    code = os.WEXITSTATUS(status)
    return "ended" if code == 0 else f"exit {code}"


def told(data, status):
    answer = {"lines": [], "entries": [], "contents": [], "status": status, "closing": False, "whole": False}
    for text in data.decode().split("\n"):
        try:
            item = json.loads(text)
        except ValueError:
            continue
        if "line" in item:
            answer["lines"].append(item["line"])
        elif "entry" in item:
            answer["entries"].append(item["entry"])
        elif "content" in item:
            answer["contents"].append(item["content"])
        elif "closing" in item:
            answer["closing"] = True
        elif "end" in item:
            answer["whole"] = True
    return answer


def main():
    library = play.load(sys.argv[1], pathlib.Path(sys.argv[2]))
    arguments.warm(library.facts)
    choose.adapt(library.facts)
    gc.disable()
    gc.freeze()
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for text in sys.stdin:
        replies.write(json.dumps(serve(library, json.loads(text))) + "\n")
        replies.flush()


if __name__ == "__main__":
    main()
