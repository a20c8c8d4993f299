"""The JSON report has what a script needs, and the .xmf describes the field as ParaView reads it."""

import json
import os
import xml.etree.ElementTree as ElementTree

import h5py
import numpy as np

from command import check, files, run, solve

NUMBER = (int, float)
SOLVE = {
    "command": str, "status": int, "source": str, "written": (str, type(None)), "grid": list, "box": list,
    "precision": str, "symbol": str, "lambda": NUMBER, "factor": NUMBER, "mean_dropped": NUMBER, "graph": str, "exchange": str,
    "z_layout": str, "segments": int, "segment_planes": int, "sheets": int, "policy": (str, type(None)), "tuned": bool,
    "workers": list, "ranks": int, "rank_workers": list, "imbalance": NUMBER, "data": str, "in_flight": int, "repeat": int, "seconds": dict, "stages": dict, "bytes": dict,
    "links": dict,
    "notes": list, "versions": dict,
}
SECONDS = ("solves", "total", "median", "minimum", "load", "graph", "plan", "read", "write")
BYTES = ("field", "spectrum", "scratch", "h2d", "d2h", "d2d", "sent")


def check_schema(report, schema):
    for key, kind in schema.items():
        check(key in report, "the report has no %s: %s" % (key, sorted(report)))
        check(isinstance(report[key], kind), "%s is %r" % (key, report[key]))


def check_workers(workers):
    check(len(workers) >= 1, "no workers")
    for worker in workers:
        check(worker["kind"] in ("cpu", "cuda") and isinstance(worker["device"], int) and worker["name"],
              "worker %s" % worker)


def check_versions(versions):
    for name in ("psg", "StarPU", "FFTW", "HDF5", "Jansson"):
        check(versions.get(name), "no version of %s: %s" % (name, versions))


f = np.random.default_rng(1).standard_normal((9, 10, 11)) + 3
with h5py.File("rho.h5", "w") as file:
    file["density"] = f
solve("--in", "rho.h5:density", "--out", "out.d.h5:/g/phi", "--box", "2x3x5", "--json", "a.json", "--verify",
      "--repeat", "6", "--graph", "staged", "--segment-planes", "4", "--sheets", "3", "--cpus", "1")
check(sorted(files()) == ["./a.json", "./out.d.h5", "./out.d.xmf", "./rho.h5"], sorted(files()))
with open("a.json") as file:
    a = json.load(file)
check_schema(a, SOLVE)
check(a["command"] == "solve" and a["status"] == 0, a)
check(a["source"] == "rho.h5:/density" and a["written"] == "out.d.h5:/g/phi", a)
check(a["grid"] == [11, 10, 9] and a["box"] == [2, 3, 5], a)
check((a["precision"], a["symbol"], a["lambda"], a["factor"]) == ("f64", "spectral", 0, 1), a)
check((a["graph"], a["exchange"], a["z_layout"]) == ("staged", "managed", "contiguous"), a)
check(a["stages"]["normalize"]["tasks"] == 3, a)
check((a["segments"], a["segment_planes"], a["sheets"]) == (3, 4, 3), a)
check(abs(a["mean_dropped"] - np.mean(f)) <= 1e-12, "mean %r" % a["mean_dropped"])
check_workers(a["workers"])
check(len([w for w in a["workers"] if w["kind"] == "cpu"]) == 1, a["workers"])
check_versions(a["versions"])
seconds = a["seconds"]
check(sorted(seconds) == sorted(SECONDS), seconds)
check(len(seconds["solves"]) == a["repeat"] == 6 and min(seconds["solves"]) > 0, seconds)
check(seconds["minimum"] == min(seconds["solves"]), seconds)
check(seconds["median"] == np.median(seconds["solves"]), seconds)
check(seconds["total"] >= sum(seconds["solves"]) and seconds["plan"] > 0 and seconds["write"] > 0, seconds)
check(sorted(a["bytes"]) == sorted(BYTES) and a["bytes"]["field"] == 8 * f.size, a["bytes"])
check(a["bytes"]["spectrum"] >= 16 * 9 * 10 * 6, a["bytes"])
check(a["links"] == {link: {"bytes": 0, "seconds": 0, "rank_max": 0, "rank_mean": 0} for link in ("h2d", "d2h", "d2d")},
      a["links"])
check(a["stages"]["fft_xy"]["tasks"] == 3 and a["stages"]["fft_z"]["tasks"] == 3, a["stages"])
check("kspace" not in a["stages"] and all(s["seconds"] > 0 for s in a["stages"].values()), a["stages"])
check(a["verify"]["ok"] is True and 0 < a["verify"]["residual"] <= a["verify"]["bound"], a["verify"])
check(a["verify"]["points"] == f.size and abs(a["verify"]["max_f"] - np.max(f)) == 0, a["verify"])
check("modes" not in a and "madelung" not in a, sorted(a))

# To stdout: nothing else is there; what was said is in the notes too.
done = solve("--problem", "modes", "--grid", "8", "--json", "-", "--sheets", "50", "--precision", "f32",
             "--symbol", "fd2", "--lambda", "2", "--repeat", "4", "--in-flight", "2")
b = json.loads(done.stdout)
check_schema(b, SOLVE)
check(len(b["notes"]) == 1 and b["notes"][0] in done.stderr and "--sheets 50" in b["notes"][0], b["notes"])
check((b["precision"], b["symbol"], b["lambda"], b["source"], b["written"]) == ("f32", "fd2", 2, "modes", None), b)
check(b["bytes"]["field"] == 4 * 512 and b["in_flight"] == 2 and len(b["seconds"]["solves"]) == 4, b)
check(b["modes"]["error"] <= b["modes"]["tolerance"], b)
check({"forward_xy", "kspace", "inverse_xy"} == set(b["stages"]), b["stages"])
done = solve("--problem", "modes", "--grid", "8", "--json", "-", "--quiet", "--sheets", "50")
check(done.stderr == "" and json.loads(done.stdout)["notes"], "notes with --quiet: %r" % done.stderr)
m = json.loads(solve("--problem", "madelung", "--grid", "64", "--json", "-").stdout)["madelung"]
check(sorted(m) == ["constant", "difference", "lattice", "reference", "tolerance"], m)

# ParaView's view: everything in the order z y x, the file beside the description.
for precision, size in (("f64", 8), ("f32", 4)):
    os.makedirs("deep/folder", exist_ok=True)
    name = "deep/folder/a & b <%s>" % precision
    solve("--problem", "modes", "--grid", "6x5x4", "--box", "3x10x0.5", "--out", name + ".h5:/u/v",
          "--precision", precision)
    grid = ElementTree.parse(name + ".xmf").getroot().find("Domain/Grid")
    topology, geometry, attribute = grid.find("Topology"), grid.find("Geometry"), grid.find("Attribute")
    check(topology.get("TopologyType") == "3DCoRectMesh", topology.attrib)
    check(topology.get("Dimensions") == "4 5 6", topology.attrib)
    check(geometry.get("GeometryType") == "ORIGIN_DXDYDZ", geometry.attrib)
    origin, spacing = [[float(x) for x in item.text.split()] for item in geometry.findall("DataItem")]
    check(origin == [0, 0, 0] and spacing == [0.5 / 4, 10 / 5, 3 / 6], "%s %s" % (origin, spacing))
    check(attribute.get("Name") == "v" and attribute.get("Center") == "Node", attribute.attrib)
    check(attribute.get("AttributeType") == "Scalar", attribute.attrib)
    item = attribute.find("DataItem")
    check(item.get("Dimensions") == "4 5 6" and item.get("NumberType") == "Float", item.attrib)
    check(item.get("Precision") == str(size) and item.get("Format") == "HDF", item.attrib)
    file_name, dataset = item.text.strip().rsplit(":", 1)
    with h5py.File(os.path.join("deep/folder", file_name), "r") as file:
        check(file[dataset].shape == (4, 5, 6) and file[dataset].dtype.itemsize == size, item.text)
for out, xmf in (("x.hdf5", "x.xmf"), ("x.dat", "x.dat.xmf"), ("y.xmf", "y.xmf.xmf"), ("h5", "h5.xmf")):
    solve("--problem", "modes", "--grid", "3", "--out", out)
    check(os.path.exists(xmf), "%s has no %s" % (out, xmf))

# psg info.
run("info", "--json", "info.json", "--cpus", "1", "--gpus", "0", "--sched", "dmda")
with open("info.json") as file:
    info = json.load(file)
check(info["command"] == "info" and info["policy"] == "dmda", info)
check_workers(info["workers"])
check(len(info["workers"]) == 1, info["workers"])
check_versions(info["versions"])
check({"eager", "lws", "dmda"} <= {policy["name"] for policy in info["policies"]}, info["policies"])
check(all(policy["description"] for policy in info["policies"]), info["policies"])
check(info["cache_folder"].endswith("/psg"), info["cache_folder"])
done = run("info", "--json", "-")
check(json.loads(done.stdout)["workers"], done.stdout)
lines = run("info", "--sched", "eager").stdout
for words in ("StarPU", "Workers:", "\n  cpu    0 ", "\n* eager ", "Cache folder: "):
    check(words in lines, "%r is not in %s" % (words, lines))
