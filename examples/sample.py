"""Makes sample.h5, a small file with a little of everything: a day at a weather station.

    sample.py OUT
"""
import sys

import h5py
import numpy as np

with h5py.File(sys.argv[1], "w", libver=("earliest", "v110"), track_order=True) as f:
    f.attrs["title"] = "A day at a weather station"
    f.attrs["format version"] = np.int32(2)

    station = f.create_group("station")
    station.attrs["name"] = "Säntis"
    station.attrs["position"] = np.array([47.2494, 9.3433])
    station["altitude"] = np.float32(2501.9)
    station["altitude"].attrs["unit"] = "m"

    hours = np.arange(24)
    air = f.create_group("air")
    temperature = np.round(-3 + 4 * np.sin((hours[:, None] - 8 + np.arange(4) / 4) / 24 * 2 * np.pi), 1)
    t = air.create_dataset("temperature", data=temperature.astype("f4"), chunks=(6, 4), maxshape=(None, 4), compression="gzip",
                           compression_opts=6, shuffle=True, fletcher32=True)
    t.attrs["unit"] = "°C"
    t.attrs["valid range"] = np.array([-60, 40], dtype="i2")
    air.create_dataset("pressure", data=(751.5 + np.cos(hours / 4)).round(2).astype(">f8"))
    sky = h5py.enum_dtype({"CLEAR": 0, "CLOUDS": 1, "FOG": 2, "SNOW": 3}, basetype="i1")
    air.create_dataset("sky", data=np.array([0, 0, 0, 1, 1, 2, 2, 2, 1, 1, 0, 0, 0, 0, 1, 1, 3, 3, 3, 3, 1, 1, 2, 2], "i1"), dtype=sky)

    log = f.create_group("log")
    log.create_dataset("notes", data=["Instruments cleaned.", "Fog since 5:00", "", "“Föhn” — gusts"], dtype=h5py.string_dtype())
    gust = np.dtype([("hour", "u1"), ("speed", "f4"), ("from", [("degrees", "i2"), ("name", "S3")])])
    log.create_dataset("gusts", data=np.array([(3, 11.5, (225, b"SW")), (14, 23.25, (180, b"S")), (21, 17.0, (315, b"NW"))], gust))
    sightings = log.create_dataset("sightings", (4,), dtype=h5py.vlen_dtype(np.uint16))
    for i, seen in enumerate([[7], [], [3, 3, 12], [1, 2]]):
        sightings[i] = seen
    log.attrs["latest"] = log["notes"].ref
    f["types/sky"] = sky

    f["now"] = h5py.SoftLink("/air/temperature")
    f["yesterday"] = h5py.ExternalLink("yesterday.h5", "/air")
