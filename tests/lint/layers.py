"""Includes go one way, {app, bindings, workloads} -> graph -> codelets -> {runtime, cpu, kernels} -> base, and each foreign library has its place.

    layers.py ROOT
"""

import os
import re
import sys

import tree

# Of which folders of ours a folder may include.
OURS = {
    "app": {"app", "workloads", "base"},
    "bindings": {"bindings"},
    "workloads": {"workloads", "cpu", "kernels", "base"},
    "lab": {"lab"},
    "graph": {"graph", "codelets", "runtime", "cpu", "kernels", "base"},
    "codelets": {"codelets", "runtime", "cpu", "kernels", "base"},
    "runtime": {"runtime", "base"},
    "kernels": {"kernels", "base"},
    "cpu": {"cpu", "base"},
    "base": {"base"},
}
# Single headers that are allowed beyond that.
BESIDES = {"app": set(tree.PUBLIC), "bindings": set(tree.PUBLIC), "workloads": set(tree.PUBLIC), "kernels": {"cpu/symbol.h"},
           "runtime": {"graph/psg_task.h"}}
# Folders that may use what they test or measure.
FREE = ("tests/", "lab/peers/")

# Foreign headers, and calls, by where they are allowed.
FOREIGN = [
    ("StarPU", r"starpu\w*\.h", r"starpu_\w+\s*\(", {"runtime", "codelets", "graph", "workloads"}),
    ("CUDA", r"(cuda|cufft|cublas|cuComplex|cub/|nvtx)\w*[./\w]*", r"cu(da|fft|blas)[A-Z]\w+\s*\(", {"kernels", "runtime", "codelets", "workloads"}),
    ("FFTW", r"fftw3\w*\.h", r"fftwf?_\w+\s*\(", {"cpu"}),
    ("hwloc", r"hwloc\.h", r"hwloc_\w+\s*\(", {"runtime", "graph"}),
    ("HDF5", r"hdf5\w*\.h", r"H5[A-Z]\w+\s*\(", {"app"}),
    ("MPI", r"(starpu_)?mpi(-ext)?\.h", r"MPI_[A-Z]\w+\s*\(", {"runtime", "app"}),
]
# Where a folder that may use a library keeps it to some of its files.
FILES = {
    ("app", "HDF5"): {"app/field.c", "app/field_sides.c",
                      "app/field_whole.c", "app/field_whole.h", "app/hdf5.c", "app/hdf5.h", "app/hdf5_output.c"},
    ("app", "MPI"): {"app/processes.c"},
    ("runtime", "MPI"): {"runtime/collectives.c", "runtime/collectives.h", "runtime/messenger.c", "runtime/mpi_channel.c",
                         "runtime/mpi_channel.h", "runtime/mpi_comm.c",
                         "runtime/starpu_mpi.c"},
}
# A library that one single file may include.
SINGLE = {"FFTW": "cpu"}


def check_ours(root, path, layer, name):
    if path in tree.PUBLIC and "graph/" + name in tree.PUBLIC:
        return None  # installed beside it
    if not os.path.exists(os.path.join(root, name)):
        return f'{path}: "{name}" is not a path from the root of the repository'
    if path.startswith(FREE) or name in BESIDES.get(layer, ()):
        return None
    if name.split("/")[0] not in OURS[layer]:
        return f'{path}: {layer}/ must not include "{name}"'
    return None


def check_foreign(path, layer, names, code):
    for library, header, call, places in FOREIGN:
        if path.startswith(FREE) or (layer in places and path in FILES.get((layer, library), (path,))):
            continue
        places = FILES.get((layer, library), places)
        for name in names:
            if re.fullmatch(header, name):
                yield f"{path}: {library} belongs into {' and '.join(sorted(places))}, not <{name}>"
        for match in re.finditer(r"\b" + call, code):
            line = code.count("\n", 0, match.start()) + 1
            yield f"{path}:{line}: {library} belongs into {' and '.join(sorted(places))}, not {match.group(0)}...)"


def main(root):
    problems, checked, single = [], 0, {}
    for path in tree.files(root, tree.CODE):
        layer = path.split("/")[0]
        if layer not in OURS and layer != "tests":
            problems.append(f"{path}: no layer of the tree")
            continue
        checked += 1
        text = tree.read(root, path)
        quoted = re.findall(r'^\s*#\s*include\s*"([^"]+)"', text, re.M)
        angled = re.findall(r"^\s*#\s*include\s*<([^>]+)>", text, re.M)
        problems += filter(None, (check_ours(root, path, layer, name) for name in quoted))
        problems += check_foreign(path, layer, angled, tree.without_comments(text))
        for library, header, _, _ in FOREIGN:
            if library in SINGLE and layer == SINGLE[library] and any(re.fullmatch(header, n) for n in angled):
                single.setdefault(library, []).append(path)
    for library, paths in single.items():
        if len(paths) > 1:
            problems.append(f"{library} is included by more than one file: {', '.join(paths)}")
    for header in tree.PUBLIC:
        if re.search(r"#\s*include\s*<(?!std)", tree.read(root, header)):
            problems.append(f"{header} includes more than the standard's headers")
    tree.finish(problems, checked)


main(sys.argv[1])
