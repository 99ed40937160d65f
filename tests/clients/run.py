#!/usr/bin/python3
"""run.py DROPIN [CLIENT...]: the tests of real projects, unchanged, on stock libhdf5 and on the drop-in library in the folder
DROPIN. Every test must end the same way on both; only what differs is printed, and a line of counts per client. What stock
said is kept beside the clients in build/clients until its recipe changes."""

import argparse
import collections
import fnmatch
import glob
import importlib.util
import json
import os
import sys
import time

import kit


def recipes():
    folder = os.path.join(kit.HERE, "recipes")
    return {name[:-3]: os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".py")}


def client_of(name, file):
    spec = importlib.util.spec_from_file_location("recipe_" + name, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.CLIENT.name = name
    return module.CLIENT


def timed(client, library):
    begun = time.monotonic()
    log = client.text_log(library)
    if os.path.exists(log):
        os.remove(log)
    found = client.outcomes(library)
    return {"outcomes": found, "seconds": time.monotonic() - begun}


def on_stock(client, recipe, fresh):
    """What stock said, from the last time if the recipe and the driver are still the same."""
    kept = kit.path("results", client.name + ".stock")
    changed = max(map(os.path.getmtime, [recipe] + glob.glob(kit.HERE + "/*.py")))
    if not fresh and os.path.exists(kept) and os.path.getmtime(kept) > changed:
        with open(kept) as file:
            return json.load(file)
    result = timed(client, None)
    if "passed" not in result["outcomes"].values():
        raise kit.Foul(f"nothing passes on stock; see {client.text_log(None)}")
    with open(kept, "w") as file:
        json.dump(result, file)
    return result


def differing(stock, ours):
    return sorted(name for name in stock.keys() | ours.keys() if stock.get(name, "absent") != ours.get(name, "absent"))


def reason_of(client, name):
    return next((reason for pattern, reason in client.explained.items() if fnmatch.fnmatchcase(name, pattern)), None)


def unsteady(client, dropin, names, stock, ours):
    """Those of the differing tests that are not the same from run to run. A test that differs no more when it runs alone may
    depend on those before it, so that the whole suite is asked."""
    stock_again, ours_again = client.outcomes(None, names), client.outcomes(dropin, names)
    found = {name for name in names if name in stock and stock_again.get(name) != stock[name]}
    vanished = {name for name in names if stock_again.get(name) == ours_again.get(name)} - found
    if vanished:
        whole = client.outcomes(dropin)
        found |= {name for name in vanished if whole.get(name) != ours.get(name)}
    return found


def compare(client, recipe, dropin, fresh):
    """Prints what differs; the number of differences that nothing explains."""
    stock, ours = on_stock(client, recipe, fresh), timed(client, dropin)
    names = differing(stock["outcomes"], ours["outcomes"])
    restless = unsteady(client, dropin, names, stock["outcomes"], ours["outcomes"]) if names else set()
    wrong = 0
    for name in names:
        one, other = stock["outcomes"].get(name, "absent"), ours["outcomes"].get(name, "absent")
        reason = "not the same from run to run" if name in restless else reason_of(client, name)
        wrong += reason is None
        print(f"  {name}: {one} on stock, {other} on the drop-in{f' ({reason})' if reason else ''}")
    passed = [collections.Counter(result["outcomes"].values())["passed"] for result in (stock, ours)]
    print(f"{client.name}: {len(stock['outcomes'])} tests; passed: {passed[0]} on stock, {passed[1]} on the drop-in; "
          f"{wrong} differences unexplained; {stock['seconds']:.0f} s, {ours['seconds']:.0f} s", flush=True)
    return wrong


def main():
    known = recipes()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dropin", help="the folder of the drop-in library")
    parser.add_argument("clients", nargs="*", help=f"some of: {' '.join(known)}")
    parser.add_argument("--fresh", action="store_true", help="ask stock again, too")
    args = parser.parse_args()
    unknown = [name for name in args.clients if name not in known]
    if unknown or not os.path.exists(os.path.join(args.dropin, kit.dropin_clients.stock.SONAME)):
        parser.error(f"no such client: {' '.join(unknown)}" if unknown else f"no {kit.dropin_clients.stock.SONAME} in {args.dropin}")
    os.makedirs(kit.path("results"), exist_ok=True)
    wrong = 0
    for name in args.clients or known:
        client = client_of(name, known[name])
        try:
            client.get()
            wrong += compare(client, known[name], os.path.abspath(args.dropin), args.fresh)
        except kit.Missing as why:
            print(f"{name}: skipped, cannot be had: {why}", flush=True)
        except kit.Foul as why:
            print(f"{name}: no result: {why}", flush=True)
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
