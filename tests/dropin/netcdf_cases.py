"""netCDF4 files of every kind: netcdf_cases.py make|append|show FOLDER. `make` writes them, `append` changes them again, `show`
prints all that is in them. Every case says how it ended, so that two libraries can be compared by what is printed."""

import os
import sys
import warnings

import netCDF4
import numpy as np

warnings.simplefilter("ignore")
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def rng(seed):
    return np.random.default_rng(seed)


@case
def groups(path):
    with netCDF4.Dataset(path, "w") as file:
        file.title, file.version = "groups", np.int16(3)
        file.createDimension("x", 4)
        deep = file
        for level in range(6):
            deep = deep.createGroup(f"level {level}")
            deep.depth = level
            deep.createDimension(f"own{level}", level + 1)
            deep.createVariable("data", "f4", ("x", f"own{level}"))[:] = np.arange(4 * (level + 1)).reshape(4, -1) / 2
        other = file.createGroup("/a/b/ç")
        other.createVariable("x", "i2", ("x",))[:] = [4, 3, 2, 1]
        for i in range(40):
            file.createGroup(f"many/{i:02}").number = i


@case
def unlimited(path):
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("time", None)
        file.createDimension("level", None)
        file.createDimension("x", 5)
        # As long as its dimensions: what is read behind the end of a variable is whatever netCDF's memory held.
        grid = file.createVariable("grid", "f8", ("time", "level", "x"), zlib=True)
        for t in range(7):
            grid[t, : t + 1, :] = np.arange((t + 1) * 5).reshape(1, t + 1, 5) + 100 * t
        one = file.createVariable("one", "u2", ("time",))
        one[3] = 17
        one[6] = 4
        file.createVariable("untouched", "i4", ("time", "x"))
        empty = file.createGroup("empty")
        empty.createDimension("never", None)
        empty.createVariable("nothing", "i8", ("never", "x"))


@case
def filters(path):
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("y", 60)
        file.createDimension("x", 50)
        values = rng(1).integers(0, 100, (60, 50))
        for level in (1, 4, 9):
            for shuffle in (False, True):
                for checksum in (False, True):
                    name = f"z{level}{'s' if shuffle else ''}{'f' if checksum else ''}"
                    file.createVariable(name, "i4", ("y", "x"), compression="zlib", complevel=level, shuffle=shuffle,
                                        fletcher32=checksum, chunksizes=(13, 11))[:] = values
        file.createVariable("contiguous", "f4", ("y", "x"), contiguous=True)[:] = values / 3
        file.createVariable("big", "f8", ("y", "x"), endian="big", chunksizes=(60, 1))[:] = values / 7
        file.createVariable("little", "i2", ("y", "x"), endian="little")[:] = values
        file.createVariable("checksum", "u1", ("y", "x"), fletcher32=True)[:] = values
        file.createVariable("rounded", "f8", ("y", "x"), zlib=True, least_significant_digit=2)[:] = values / 7
        file.createVariable("quantized", "f4", ("y", "x"), zlib=True, significant_digits=3)[:] = values / 7
        if file.has_szip_filter():
            file.createVariable("szip", "i4", ("y", "x"), compression="szip", szip_pixels_per_block=16)[:] = values
        cached = file.createVariable("cached", "i4", ("y", "x"), chunksizes=(7, 7), zlib=True)
        cached.set_var_chunk_cache(1 << 16, 101, 0.5)
        for row in range(60):
            cached[row] = values[row]
        file["z4s"].some = "attribute"


@case
def vlens(path):
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("x", 3)
        file.createDimension("t", None)
        ints = file.createVLType(np.int32, "ints")
        floats = file.createGroup("inner").createVLType(np.float64, "floats")
        rows = file.createVariable("rows", ints, ("t", "x"))
        for t in range(4):
            for x in range(3):
                rows[t, x] = np.arange(t * x, dtype="i4") * 3
        single = file["inner"].createVariable("single", floats, ("x",))
        single[1] = np.array([0.5, -0.25, 1e300])
        words = file.createVariable("words", str, ("t", "x"), chunksizes=(2, 3))
        words[0] = np.array(["a", "", "longer than sixteen bytes of text"], object)
        words[2, 1] = "ünïcode ☃"
        file.createVariable("word", str, ())[...] = "scalar"
        file.createVariable("filled", str, ("x",), fill_value="none")[1] = "one"


@case
def compounds(path):
    inner = np.dtype([("re", "f4"), ("im", "f4")], align=True)
    outer = np.dtype([("id", "i8"), ("flag", "u1"), ("value", inner), ("matrix", "i2", (2, 3)), ("name", "S1", (8,))],
                     align=True)
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("n", None)
        small = file.createCompoundType(inner, "inner")
        large = file.createCompoundType(outer, "outer")
        values = np.zeros(9, outer)
        values["id"] = np.arange(9) * 10**12
        values["flag"] = np.arange(9)
        values["value"]["re"] = np.arange(9) / 2
        values["matrix"] = np.arange(54).reshape(9, 2, 3)
        values["name"] = netCDF4.stringtochar(np.array([f"name {i}" for i in range(9)], "S8"))
        file.createVariable("records", large, ("n",), zlib=True, chunksizes=(4,))[:] = values
        numbers = file.createVariable("numbers", small, ("n",))
        numbers[0:9:2] = values["value"][0:5]
        pair = np.zeros(1, inner)
        pair["re"], pair["im"] = 1.5, -2.5
        numbers.setncattr("offset", pair)


@case
def enums(path):
    clouds = {"clear": 0, "cumulus": 1, "stratus": 2, "missing": 255}
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("t", None)
        kind = file.createEnumType(np.uint8, "cloud_t", clouds)
        file.createEnumType(np.int64, "wide", {"low": -(2**40), "high": 2**40})
        sky = file.createVariable("sky", kind, ("t",), fill_value=clouds["missing"])
        sky[:3] = [0, 1, 2]
        sky[5] = 1
        file.createVariable("w", file.enumtypes["wide"], ())[...] = 2**40


@case
def strings(path):
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("n", 3)
        file.createDimension("length", 12)
        chars = file.createVariable("chars", "S1", ("n", "length"))
        chars._Encoding = "utf-8"
        chars[:] = np.array(["abc", "twelve chars", ""], "S12")
        raw = file.createVariable("raw", "S1", ("n", "length"), zlib=True)
        raw[:] = netCDF4.stringtochar(np.array([b"x", b"yy", b"zzz"], "S12"))
        file.createVariable("c", "S1", ())[...] = b"q"
        file.text, file.empty, file.unicode = "text", "", "snow ☃"
        file.setncattr_string("string", "one")
        file.setncattr("list", ["one", "two", "", "drei ☃"])
        file.long = "x" * 70000
        raw.units = "m s-1"


@case
def fills(path):
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("n", 10)
        for name in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"):
            file.createVariable(f"default_{name}", name, ("n",))[2:4] = [1, 2]
            file.createVariable(f"own_{name}", name, ("n",), fill_value=99)[5] = 7
            file.createVariable(f"none_{name}", name, ("n",), fill_value=False)[:] = np.arange(10)
        packed = file.createVariable("packed", "i2", ("n",), fill_value=-32768)
        packed.scale_factor, packed.add_offset, packed.valid_range = 0.1, 20.0, np.array([0, 1000], "i2")
        packed[:] = np.ma.masked_array(np.linspace(20, 80, 10), mask=[i % 3 == 0 for i in range(10)])
        nan = file.createVariable("nan", "f8", ("n",), fill_value=np.nan)
        nan[3] = 1.5


@case
def attributes(path):
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("n", 2)
        variable = file.createVariable("v", "i4", ("n",))
        for where in (file, variable):
            for kind in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"):
                where.setncattr(f"one_{kind}", np.array(42, kind))
                where.setncattr(f"many_{kind}", np.arange(5).astype(kind))
            where.setncattr("nothing", np.array([], "i4"))
        for i in range(300):
            variable.setncattr(f"number {i}", f"value {i}")
        for i in range(0, 300, 3):
            variable.delncattr(f"number {i}")
        variable.setncattr("number 1", np.arange(1000.0))
        variable.renameAttribute("number 2", "renamed")


@case
def scales(path):
    with netCDF4.Dataset(path, "w") as file:
        for name, size in (("lat", 3), ("lon", 4), ("lev", 2), ("bare", 5), ("time", None)):
            file.createDimension(name, size)
        file.createVariable("field", "f4", ("time", "lev", "lat", "lon"))[:2] = np.arange(48).reshape(2, 2, 3, 4)
        file.createVariable("lon", "f8", ("lon",))[:] = [0, 90, 180, 270]
        file.createVariable("lat", "f4", ("lat",))[:] = [-45, 0, 45]
        file.createVariable("time", "i8", ("time",))[:] = [1, 2]
        file.createVariable("lev", "i2", ("lev", "lat"))[:] = np.arange(6).reshape(2, 3)
        file.createVariable("bare2", "i4", ("bare", "bare"))[:] = np.eye(5)
        inner = file.createGroup("inner")
        inner.createDimension("lat", 2)
        inner.createVariable("lat", "f4", ("lat",))[:] = [1, 2]
        inner.createVariable("lon", "i4", ("lat",))[:] = [7, 8]
        inner.createVariable("mixed", "i4", ("lat", "lon"))[:] = np.arange(8).reshape(2, 4)


@case
def renames(path):
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("old", 3)
        file.createDimension("plain", 2)
        file.createVariable("old", "i4", ("old",))[:] = [1, 2, 3]
        file.createVariable("data", "i4", ("old", "plain"))[:] = np.arange(6).reshape(3, 2)
        file.createGroup("before").x = 1
    with netCDF4.Dataset(path, "a") as file:
        file.renameVariable("data", "fresh")
        file.renameDimension("plain", "fancy")
        file.renameGroup("before", "after")
        file.set_auto_mask(False)


@case
def classic(path):
    with netCDF4.Dataset(path, "w", format="NETCDF4_CLASSIC") as file:
        file.createDimension("t", None)
        file.createDimension("x", 3)
        file.createVariable("v", "f4", ("t", "x"), zlib=True)[:4] = np.arange(12).reshape(4, 3)
        file.createVariable("late", "i2", ("t",))[:] = [1, 2, 3, 4]
        file.history = "classic model"


@case
def memory(path):
    with netCDF4.Dataset(path, "w", diskless=True, persist=True) as file:
        file.createDimension("x", 1000)
        file.createVariable("v", "f8", ("x",), zlib=True)[:] = np.sqrt(np.arange(1000))
    whole = netCDF4.Dataset("inmemory", "w", memory=4096)
    whole.createDimension("x", 10000)
    whole.createVariable("v", "i4", ("x",))[:] = np.arange(10000)
    whole.createGroup("g").note = "in memory"
    image = bytes(whole.close())
    with netCDF4.Dataset("image", memory=image) as file:
        print("  image:", file["v"][:].sum(), file["g"].note)
    with open(path.replace(".nc", "_image.nc"), "wb") as out:
        out.write(image)


@case
def scalars(path):
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("x", 1)
        for name in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"):
            low = np.iinfo(name).min if name[0] in "iu" else np.finfo(name).min
            file.createVariable(name, name, ())[...] = low
            file.createVariable(name + "x", name, ("x",))[:] = low


@case
def many(path):
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("t", None)
        for i in range(150):
            variable = file.createVariable(f"v{i}", "f4", ("t",), chunksizes=(8,))
            variable.units = "K"
            variable[:] = np.arange(i % 20) * i
        for t in range(20, 40):
            for i in range(0, 150, 10):
                file[f"v{i}"][t] = t * i


@case
def slices(path):
    with netCDF4.Dataset(path, "w") as file:
        for name, size in (("a", 20), ("b", 30), ("c", 7)):
            file.createDimension(name, size)
        cube = file.createVariable("cube", "i4", ("a", "b", "c"), chunksizes=(6, 7, 3), zlib=True)
        cube[:] = np.arange(4200).reshape(20, 30, 7)
        cube[1::2, 3:9:2, ::3] = -np.ones((10, 3, 3))
        cube[4:7, :, 2] = -2
        cube[np.arange(20) % 4 == 0, 10:11, 0:2] = -3 * np.ones((5, 1, 2))
        cube[19, 29, ...] = -4


def append_unlimited(file):
    file["grid"][9, :2, :] = -1
    file["one"][9] = 5
    file["empty/nothing"][3, :] = np.arange(5)


def append_groups(file):
    file["level 0"].createGroup("appended").createVariable("v", "i4", ("x",))[:] = 1
    file["many/07"].number = np.arange(20)
    file.createGroup("many/new")


def append_filters(file):
    file["z4sf"][5:30, 7] = 1000
    file["contiguous"][0, :] = -1
    file["cached"][:, ::5] = 0
    file.createVariable("fresh", "f4", ("y", "x"), zlib=True, complevel=2)[:] = 3


def append_vlens(file):
    file["rows"][2, 2] = np.arange(100, dtype="i4")
    file["rows"][6, 0] = np.array([1, 2], "i4")
    file["words"][3] = np.array(["appended", "x" * 1000, ""], object)


def append_compounds(file):
    records = file["records"]
    row = records[3]
    row["id"] = -1
    records[3] = row
    records[12] = row


def append_attributes(file):
    for i in range(1, 300, 3):
        file["v"].delncattr(f"number {i}")
    file["v"].setncattr("again", "x" * 3000)
    file.one_i4 = np.arange(3)


def append_scales(file):
    file["time"][4] = 9
    file["field"][3, 0, 0, 0] = 77
    file.createDimension("fresh", 2)
    file.createVariable("fresh", "f4", ("fresh",))[:] = [1, 2]
    file.createVariable("wide", "f4", ("fresh", "lon"))[:] = 5


def append_strings(file):
    file["raw"][1, :] = netCDF4.stringtochar(np.array([b"appended"], "S12"))
    file.text = "another, longer text"
    file.setncattr("list", ["x"])


def append_renames(file):
    file["fresh"][:] = 4
    file.renameDimension("fancy", "fancier")


APPENDS = {name[len("append_"):]: function for name, function in list(globals().items()) if name.startswith("append_")}


def plain(value):
    """As text, with all digits, and what is masked told apart."""
    if isinstance(value, np.ma.MaskedArray):
        if value.dtype.kind in "fiu":
            return f"{np.where(np.ma.getmaskarray(value), -77, value.filled(0)).tolist()!r}"
        value = value.filled() if value.dtype.names is None else value.data
    if isinstance(value, np.ndarray):
        return repr([plain(item) for item in value.ravel()]) if value.dtype == object else repr(value.tolist())
    return repr(value)


def show_group(group, path):
    print(f"  {path}: dimensions", [(d.name, len(d), d.isunlimited()) for d in group.dimensions.values()])
    print(f"  {path}: types", sorted(group.cmptypes), sorted(group.vltypes),
          [(name, list(kind.enum_dict.items())) for name, kind in group.enumtypes.items()])
    for name in group.ncattrs():
        print(f"  {path}@{name} = {plain(group.getncattr(name))}")
    for name, variable in group.variables.items():
        filtered = variable.filters()
        print(f"  {path}{name}: {variable.datatype} {variable.dimensions} {variable.shape} {variable.chunking()} {filtered}",
              variable.endian() if variable.dtype != str else "")
        for attribute in variable.ncattrs():
            print(f"  {path}{name}@{attribute} = {plain(variable.getncattr(attribute))}")
        print("   ", plain(variable[...]))
    for name, inner in group.groups.items():
        show_group(inner, f"{path}{name}/")


def show(path):
    with netCDF4.Dataset(path) as file:
        print(" ", file.data_model, file.disk_format)
        show_group(file, "/")
        for name, variable in file.variables.items():
            if variable.ndim and variable.size and not isinstance(variable.datatype, netCDF4.VLType) and variable.dtype != str:
                variable.set_auto_maskandscale(False)
                print(f"  parts of {name}:", plain(variable[..., -1]), plain(variable[0]), plain(variable[::-3]))


def attempt(name, function, *arguments):
    print(name)
    try:
        function(*arguments)
    except Exception as error:
        print(f"  {type(error).__name__}: {error}")


def main():
    what, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    if what == "make":
        for name, function in CASES.items():
            attempt(name, function, os.path.join(folder, name + ".nc"))
    elif what == "append":
        for name, function in APPENDS.items():
            def change():
                with netCDF4.Dataset(os.path.join(folder, name + ".nc"), "a") as file:
                    function(file)
            attempt(name, change)
    else:
        for name in sorted(os.listdir(folder)):
            attempt(name, show, os.path.join(folder, name))


if __name__ == "__main__":
    main()
