#!/usr/bin/python3
"""h5py, PyTables and netCDF4 in one process say the same on the drop-in library as on stock libhdf5."""

import os
import sys

import clients

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "together.py")


def said(dropin):
    with clients.scratch() as folder:
        done = clients.run(["/usr/bin/python3", "-B", "-W", "ignore", SCRIPT, folder], dropin=dropin)
    if not dropin and done.returncode < 0:
        print(f"skipped: it ends with {done.returncode} on stock libhdf5")
        sys.exit(clients.SKIPPED)
    if done.returncode != 0 or "libraries: 1\n" not in done.stderr:
        print(f"{'dropin' if dropin else 'stock'} ended with {done.returncode}:\n{done.stderr[-3000:]}")
        sys.exit(1)
    return done.stdout.replace(folder, "FOLDER").splitlines()


def main():
    args = clients.arguments(__doc__)
    for package, module in (("python3-h5py", "h5py"), ("python3-tables", "tables"), ("python3-netcdf4", "netCDF4")):
        clients.need_module(package, module)
    stock, ours = said(None), said(args.dropin)
    for one, other in zip(stock + [""], ours + [""]):
        if one != other:
            print(f"< {one[:300]}\n> {other[:300]}")
    print(f"{len(stock)} lines, {'equal' if stock == ours else 'not equal'}")
    return 0 if stock == ours and len(stock) > 20 else 1


if __name__ == "__main__":
    sys.exit(main())
