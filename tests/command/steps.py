"""psg solve takes all data sets of a group as time steps: each answer is that of a solve of its own, the .xmf gives VTK and
ParaView the steps with their times, and what cannot be a series is refused with words.

    steps.py PSG [MPIRUN]

VTK comes from PyPI, into the folder PSG_TEST_PACKAGES of the environment, unless it is installed.
"""

import importlib.util
import json
import os
import resource
import subprocess
import sys
import xml.etree.ElementTree

import h5py
import numpy as np

from command import QUICK, check, default_signals, files, has_mpi, refused, run, solve, without_load
from patience import patience

SHAPE = (5, 6, 7)  # nz, ny, nx
# In the order in which they are solved: numbers in names are compared as numbers.
NAMES = ("0", "2", "10", "100", "step 1.5", "step 3")
TIMES = (0.0, 0.5, 2.5, 25.0, 26.0, 27.5)
random = np.random.default_rng(8)
f = {name: random.standard_normal(SHAPE) + n for n, name in enumerate(NAMES)}


def put(name, group, steps, times=None, dtype="f8", **attributes):
    """Data sets in an order that is not theirs."""
    with h5py.File(name, "a") as file:
        for n in sorted(range(len(steps)), key=lambda n: -n % 3):
            data = file.create_dataset("%s/%s" % (group, steps[n]), data=f[steps[n]].astype(dtype))
            data.attrs["box"] = [1.0, 2.0, 3.0]
            if times:
                data.attrs["time"] = times[n]
            data.attrs.update(attributes)


def content(name, path):
    with h5py.File(name, "r") as file:
        return file[path][...], dict(file[path].attrs)


put("rho.h5", "steps", NAMES, TIMES)
put("rho.h5", "plain", NAMES[:3], dtype="f4")
with h5py.File("rho.h5", "a") as file:
    file.create_group("steps/a group is no step")
STEPS = ("--in", "rho.h5:/steps/*")


def same_as_alone(group, out, *options, names=NAMES, times=TIMES):
    """Every step has the numbers and attributes of a solve of its own, and its time besides."""
    for name, time in zip(names, times):
        solve("--in", "rho.h5:/%s/%s" % (group, name), "--out", "alone.h5", *options)
        (u, attributes), (v, others) = content("alone.h5", "potential"), content("phi.h5", "%s/%s" % (out, name))
        check(u.dtype == v.dtype and u.tobytes() == v.tobytes(), "step %s differs from its solve" % name)
        check(others.pop("time") == time, "step %s: its time" % name)
        check(sorted(attributes) == sorted(others), "step %s: %s" % (name, others))
        for key, value in attributes.items():
            check(np.array_equal(value, others[key]), "step %s: %s is %r" % (name, key, others[key]))


def described(xmf, name, out, names=NAMES, times=TIMES):
    """What the description says, read by Python's parser."""
    domain, = xml.etree.ElementTree.parse(xmf).getroot()
    collection, = domain
    check(collection.attrib["GridType"] == "Collection" and collection.attrib["CollectionType"] == "Temporal", collection.attrib)
    check([grid.attrib["Name"] for grid in collection] == list(names), "names of the steps")
    check([float(grid.find("Time").attrib["Value"]) for grid in collection] == list(times), "times of the steps")
    for step, grid in zip(names, collection):
        attribute = grid.find("Attribute")
        check(attribute.attrib["Name"] == out.split("/")[-1], attribute.attrib)
        check(attribute.find("DataItem").text == "%s:/%s/%s" % (name, out, step), attribute.find("DataItem").text)
        check(grid.find("Topology").attrib["Dimensions"] == "%d %d %d" % SHAPE, grid.find("Topology").attrib)


def seen_by_vtk(xmf, name, out):
    """The times and the numbers that VTK's reader, which is ParaView's, finds."""
    packages = os.environ.get("PSG_TEST_PACKAGES", "packages")
    sys.path.append(packages)
    if importlib.util.find_spec("vtkmodules") is None:
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", packages, "vtk"], check=False,
                       timeout=patience(300))
        importlib.invalidate_caches()
    try:
        from vtkmodules.util.numpy_support import vtk_to_numpy
        from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline
        from vtkmodules.vtkIOXdmf2 import vtkXdmfReader
    except ImportError as why:
        print("VTK's reader is not tried: %s" % why)
        return
    reader = vtkXdmfReader()
    reader.SetFileName(xmf)
    reader.UpdateInformation()
    found = reader.GetOutputInformation(0).Get(vtkStreamingDemandDrivenPipeline.TIME_STEPS())
    check(found == TIMES, "VTK finds the times %s" % (found,))
    for step, time in zip(NAMES, TIMES):
        reader.UpdateTimeStep(time)
        data = reader.GetOutputDataObject(0)
        check(data.GetDimensions() == SHAPE[::-1], "VTK finds %s points" % (data.GetDimensions(),))
        check(np.allclose(data.GetSpacing(), [1 / 7, 2 / 6, 3 / 5], 1e-15), "VTK finds the spacing %s" % (data.GetSpacing(),))
        values = vtk_to_numpy(data.GetPointData().GetArray(out)).reshape(SHAPE)
        check(np.array_equal(values, content(name, out + "/" + step)[0]), "VTK reads other numbers of step " + step)


# --------------------------------------------------------------------------------------------------- the answers

said = solve(*STEPS, "--out", "phi.h5:/phi", "--verify", "--json", "report.json")
check(without_load(said.stderr) == "", said.stderr)
check("source    rho.h5:/steps/*\nsteps     6, from time 0 to 27.5\n" in said.stdout, said.stdout)
check(" of step step 3 was dropped" in said.stdout and "points of step " in said.stdout, said.stdout)
check("written   phi.h5:/phi/*, phi.xmf\n" in said.stdout, said.stdout)
same_as_alone("steps", "phi")
described("phi.xmf", "phi.h5", "phi")
seen_by_vtk("phi.xmf", "phi.h5", "phi")
with open("report.json", encoding="utf-8") as file:
    report = json.load(file)
check([(step["name"], step["time"]) for step in report["steps"]] == list(zip(NAMES, TIMES)), report["steps"])
for step in report["steps"]:
    check(abs(step["mean_dropped"] - f[step["name"]].mean()) <= 1e-14 and step["verify"]["ok"] and step["seconds"] > 0, step)
check([step["seconds"] for step in report["steps"]] == report["seconds"]["solves"], report["seconds"])
check(report["repeat"] == 6 and "verify" not in report and "mean_dropped" not in report, report)

# Several at once: a last batch may be smaller, and all may be one.
for batch in ("1", "2", "4", "100"):
    solve(*STEPS, "--out", "batch.h5:/phi", "--verify", "--batch", batch, "--json", "report.json", "--trace", "batch.trace")
    for name, time in zip(NAMES, TIMES):
        (u, attributes), (v, others) = content("phi.h5", "phi/" + name), content("batch.h5", "phi/" + name)
        check(abs(u - v).max() <= 1e-14 * abs(u).max(), "--batch %s: step %s" % (batch, name))
        check(sorted(attributes) == sorted(others) and others["time"] == time, others)
    with open("report.json", encoding="utf-8") as file:
        report = json.load(file)
    check(report["repeat"] == 6 and report["options"]["batch"] == batch, report)
    for step in report["steps"]:
        check(abs(step["mean_dropped"] - f[step["name"]].mean()) <= 1e-14 and step["verify"]["ok"] and step["seconds"] > 0, step)
    os.remove("batch.h5")
    os.remove("batch.xmf")
    os.remove("batch.trace")

# The answers are themselves steps, with their times. Without times these are 0, 1, ..., and the group has a standard name.
run("solve", "--in", "phi.h5:/phi/*", "--out", "again.h5", "--quiet", *QUICK)
check([content("again.h5", "potential/" + name)[1]["time"] for name in NAMES] == list(TIMES), "times are lost")
os.remove("phi.h5")
solve("--in", "rho.h5:plain/*", "--out", "phi.h5", "--symbol", "fd2", "--bc", "DD,NN,PP", "--data", "resident", "--verify")
same_as_alone("plain", "potential", "--symbol", "fd2", "--bc", "DD,NN,PP", names=NAMES[:3], times=(0, 1, 2))
described("phi.xmf", "phi.h5", "potential", NAMES[:3], (0, 1, 2))
# A group of steps of the file itself, and one step alone.
with h5py.File("root.h5", "w") as file:
    file["only"] = f["0"]
solve("--in", "root.h5:/*", "--out", "phi.h5:a/b", "--box", "1x2x3", "--trace", "phi.trace", "--dag", "phi.dot", "--bounds")
solve("--in", "root.h5:only", "--out", "alone.h5", "--box", "1x2x3")
check(np.array_equal(content("phi.h5", "a/b/only")[0], content("alone.h5", "potential")[0]), "one step")
described("phi.xmf", "phi.h5", "a/b", ("only",), (0,))
with open("phi.trace", encoding="utf-8") as file:
    check(json.load(file)["traceEvents"], "an empty trace")
# Names: signs at the beginning, zeros, parts with the same number.
ORDER = ("-2", "-1", "0", "007", "7", "8", "1e1", "a1", "a2b", "a10", "a10b", "b-1", "b-2")
with h5py.File("names.h5", "w") as file:
    for name in ORDER[::-1]:
        file[name] = f["0"]
solve("--in", "names.h5:*", "--out", "phi.h5", "--box", "1", "--json", "report.json", "--force")
with open("report.json", encoding="utf-8") as file:
    check([step["name"] for step in json.load(file)["steps"]] == list(ORDER), "the order of the names")
# Times that do not grow are said.
put("times.h5", "t", ("0", "2"), (1.0, 1.0))
said = solve("--in", "times.h5:t/*", "--out", "phi.h5").stderr
check("note: times.h5:/t/*: time 1 of step 2 is not after time 1 of step 0" in said, said)

# ------------------------------------------------------------------------------------------- what is there already

os.remove("phi.h5")
with h5py.File("phi.h5", "w") as file:
    file["other"] = f["0"]
    file["phi/mine"] = f["2"]
for _ in range(2):
    solve(*STEPS, "--out", "phi.h5:phi", "--quiet")
    check(np.array_equal(content("phi.h5", "other")[0], f["0"]), "another data set is lost")
    check(np.array_equal(content("phi.h5", "phi/mine")[0], f["2"]), "another data set of the group is lost")
    same_as_alone("steps", "phi", names=NAMES[2:4], times=TIMES[2:4])
with h5py.File("phi.h5", "a") as file:
    del file["phi/10"]
    file["phi/10"] = f["10"]
refused("solve", *STEPS, "--out", "phi.h5:phi", *QUICK, code=2, says=("phi.h5:/phi/10: is there already", "--force"))
solve(*STEPS, "--out", "phi.h5:phi", "--force")
# A data set that is where the group would be is somebody's.
os.remove("phi.h5")
with h5py.File("phi.h5", "w") as file:
    file["phi"] = f["0"]
refused("solve", *STEPS, "--out", "phi.h5:phi", *QUICK, code=2, says=("phi.h5", "/phi/0' cannot be made"))
refused("solve", "--in", "rho.h5:steps/0", "--out", "phi.h5:phi/u", *QUICK, code=2, says=("phi.h5", "/phi/u' cannot be made"))
os.remove("phi.h5")
os.remove("phi.xmf")

# ------------------------------------------------------------------------------------------------------- refused

TO = ("--out", "phi.h5:/phi", *QUICK)
refused("solve", *STEPS, *TO, "--repeat", "2", code=2, says=("--repeat", "one field", "rho.h5:/steps/*"))
refused("solve", *STEPS, *TO, "--in-flight", "2", code=2, says=("--in-flight", "one field"))
refused("solve", *STEPS, *TO, "--batch", "2", "--data", "resident", code=2, says=("--batch and --data resident", "one after the other"))
refused("solve", *STEPS, *TO, "--batch", "0", code=2, says=("--batch",))
refused("solve", "--in", "rho.h5:/steps/0", *TO, "--batch", "2", code=2, says=("--batch is for time steps",))
refused("solve", "--problem", "modes", "--grid", "8", "--batch", "2", *QUICK, code=2, says=("--batch is for time steps",))
refused("solve", *STEPS, "--out", "phi.npy", *QUICK, code=2, says=("phi.npy", "one array", "HDF5"))
refused("solve", *STEPS, "--out", "phi.h5:/phi/*", *QUICK, code=2, says=("--out", "phi.h5:/phi"))
for out in ("rho.h5:/steps", "./rho.h5:/steps", "rho.h5:/steps/phi"):
    refused("solve", *STEPS, "--out", out, *QUICK, code=2, says=("rho.h5:/steps and", "give --out another name"))
np.save("f.npy", f["0"])
refused("solve", "--in", "f.npy:/*", *TO, code=2, says=("f.npy", "one array"))
refused("solve", "--in", "rho.h5:/nothing/*", *TO, code=2, says=("rho.h5:/nothing: no such group", "/steps/10 (5 x 6 x 7)"))
refused("solve", "--in", "rho.h5:/steps/0/*", *TO, code=2, says=("rho.h5:/steps/0: not a group",))
refused("solve", "--in", "rho.h5:/steps/a group is no step/*", *TO, code=2, says=("the group has no data sets",))


def bad(change, *says, options=(), **more):
    """One step of four is another than the others."""
    put("bad.h5", "s", ("0", "2", "10", "100"))
    with h5py.File("bad.h5", "a") as file:
        change(file["s"])
    refused("solve", "--in", "bad.h5:s/*", *TO, *options, code=2, says=says, **more)
    os.remove("bad.h5")


def replace(group, values):
    del group["10"]
    group["10"] = values
    group["10"].attrs["box"] = [1.0, 2.0, 3.0]


def put_nan(group):
    group["10"][3, 2, 1] = np.nan


def link(group):
    group["5"] = h5py.SoftLink("/nowhere")


bad(lambda group: replace(group, f["10"][:, :, 1:]), "bad.h5:/s/10: its shape is 5 x 6 x 6", "bad.h5:/s/0 is 5 x 6 x 7")
bad(lambda group: replace(group, f["10"][0]), "bad.h5:/s/10: its attribute 'box' is not two numbers")
bad(lambda group: replace(group, f["10"].astype("f4")), "bad.h5:/s/10: holds f32 numbers, and bad.h5:/s/0 holds f64 numbers")
bad(lambda group: replace(group, f["10"].astype("i8")), "bad.h5:/s/10: holds integers")
bad(lambda group: replace(group, f["10"].astype("c16")), "bad.h5:/s/10: holds compound values")
bad(lambda group: group["10"].attrs.update(box=[1.0, 2.0, 4.0]), "bad.h5:/s/10: its attribute 'box' is 1 x 2 x 4", "is 1 x 2 x 3", "--box")
bad(lambda group: group["10"].attrs.pop("box"), "bad.h5:/s/10: has no attribute 'box'", "--box")
bad(lambda group: group["10"].attrs.update(time="noon"), "bad.h5:/s/10: its attribute 'time' is not one finite number")
bad(lambda group: group["10"].attrs.update(time=[1.0, 2.0]), "bad.h5:/s/10: its attribute 'time' is not one finite number")
bad(lambda group: group["10"].attrs.update(time=np.inf), "bad.h5:/s/10: its attribute 'time' is not one finite number")
bad(lambda group: group.create_dataset("11", shape=SHAPE), "bad.h5:/s/11: was never written")
bad(put_nan, "bad.h5:/s/10: ", "NaN", "(1,2,3)")
bad(put_nan, "bad.h5:/s/10: f is NaN", "(1,2,3)", options=("--batch", "3"))
bad(link, "bad.h5:/s/5: no such data set")
bad(lambda group: group.create_dataset("x" * 300, data=f["0"]), "bad.h5:/s: the name of a step has more than 255 letters")
check(not any(name.startswith("./phi") and name not in ("./phi.trace", "./phi.dot") for name in files()), files())
put("free.h5", "s", ("0", "2"), box=[1.0, 1.0, 1.0])
with h5py.File("free.h5", "a") as file:
    del file["s/2"].attrs["box"]
solve("--in", "free.h5:s/*", *TO, "--box", "2")  # --box overrides what differs
os.remove("phi.h5")
os.remove("phi.xmf")


def little_room():
    default_signals()
    resource.setrlimit(resource.RLIMIT_FSIZE, (8 << 10, 8 << 10))


# A disk that is full in the midst of the steps.
refused("solve", *STEPS, *TO, "--quiet", code=1, says=("phi.h5", "cannot be"), before=little_room)

# ------------------------------------------------------------------------------------------- several processes

if has_mpi():
    solve(*STEPS, "--out", "one.h5:phi", "--verify")

    for number in (2, 7):  # of 7 processes two have no planes
        for batch in ((), ("--batch", "4")):  # a new file, and one that keeps what it has
            solve(*STEPS, "--out", "many.h5:phi", "--verify", *batch, "--cpus", "1", ranks=number)
            for name, time in zip(NAMES, TIMES):
                (u, attributes), (v, others) = content("one.h5", "phi/" + name), content("many.h5", "phi/" + name)
                check(abs(u - v).max() <= 1e-14 * abs(u).max(), "%d processes: step %s" % (number, name))
                check(sorted(attributes) == sorted(others) and others["time"] == time, others)
            described("many.xmf", "many.h5", "phi")
            with h5py.File("many.h5", "a") as file:
                file.attrs["mine"] = 3
        os.remove("many.h5")
        os.remove("many.xmf")
    put("bad.h5", "s", ("0", "2", "10"))
    with h5py.File("bad.h5", "a") as file:
        put_nan(file["s"])
    old = files()
    done = solve("--in", "bad.h5:s/*", "--out", "many.h5", "--cpus", "1", ranks=2, code=2)
    check("bad.h5:/s/10: " in done.stderr and done.stderr.count("psg: ") == 1, done.stderr)
    check(files() == old, "two processes leave files behind")
