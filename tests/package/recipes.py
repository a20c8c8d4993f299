"""CMake takes the options of the Spack recipe and of the conda recipe, and each recipe names what CMake looks for.

    recipes.py SOURCE WORK STARPU CUDA

STARPU is the folder of StarPU's .pc file, CUDA is 1 where this StarPU has CUDA. Neither Spack nor conda is needed: what the
Spack recipe uses of Spack is made here.
"""

import os
import re
import shutil
import subprocess
import sys
import types

import yaml

# What CMake looks for: the names of it in Spack and in conda-forge. None: no package of theirs is needed.
NAMES = {
    "PkgConfig": ("pkgconfig", "pkg-config"),
    "Threads": (None, None),
    "starpu-1.4": ("starpu", None),  # the conda recipe builds it
    "fftw3": ("fftw", "fftw"),
    "fftw3f": ("fftw", "fftw"),
    "hwloc": ("hwloc", "libhwloc"),
    "jansson": ("jansson", "jansson"),
    "libpng": ("libpng", "libpng"),
    "HDF5": ("hdf5", "hdf5"),
    "LAPACK": ("lapack", "liblapack"),
    "MPI": ("mpi", "openmpi"),
    "CUDAToolkit": ("cuda", None),  # the conda recipe has no CUDA
    "simgrid": (None, None),  # neither recipe simulates
}


def looked_for(source):
    """The name of each package that CMake looks for, and the least version that it takes, or ''."""
    with open(os.path.join(source, "CMakeLists.txt"), encoding="utf-8") as file:
        found = {"cmake": re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)", file.read()).group(1)}
    with open(os.path.join(source, "cmake/dependencies.cmake"), encoding="utf-8") as file:
        text = file.read()
    for name, least in re.findall(r"^ *pkg_check_modules\(.* ([\w.-]+?)(?:>=([\d.]+))?\)$", text, re.M):
        found[name] = least
    for name in re.findall(r"^ *find_package\((\w+)", text, re.M):
        found[name] = ""
    return found


def spack_recipe(source):
    """The recipe's class, and the least version of each package that it depends on, or None."""
    dependencies, words = {}, types.ModuleType("spack.package")

    class Package:
        """What Spack's CMakePackage and CudaPackage do for psg."""

        def define(self, name, value):
            if isinstance(value, bool):
                return f"-D{name}:BOOL={'ON' if value else 'OFF'}"
            return f"-D{name}:STRING={value if isinstance(value, str) else ';'.join(value)}"

        def define_from_variant(self, name, variant):
            return self.define(name, f"+{variant}" in self.spec.words)

    def depends_on(spec, **_):
        name, version = re.match(r"([\w-]+)(?:@([\d.]+):)?", spec).groups()
        dependencies[name] = version or dependencies.get(name)

    words.license = words.version = words.variant = lambda *_, **__: None
    words.depends_on = words.extends = depends_on
    build_systems = "spack_repo.builtin.build_systems"
    sys.modules["spack"] = sys.modules["spack_repo"] = sys.modules["spack_repo.builtin"] = types.ModuleType("spack")
    sys.modules[build_systems] = types.ModuleType(build_systems)
    sys.modules["spack.package"] = words
    sys.modules[build_systems + ".cmake"] = types.SimpleNamespace(CMakePackage=type("CMakePackage", (Package,), {}))
    sys.modules[build_systems + ".cuda"] = types.SimpleNamespace(CudaPackage=type("CudaPackage", (), {}))
    depends_on("cuda")  # of CudaPackage
    scope, path = {"__name__": "package"}, "packaging/spack/spack_repo/psg/packages/psg/package.py"
    with open(os.path.join(source, path), encoding="utf-8") as file:
        exec(compile(file.read(), path, "exec"), scope)  # pylint: disable=exec-used
    return scope["Psg"], dependencies


class Spec:
    """A package as Spack has decided to build it, with these variants."""

    def __init__(self, words):
        self.words = words
        self.variants = {"cuda_arch": types.SimpleNamespace(value=("80", "90"))}
        self.package = types.SimpleNamespace(purelib="lib/python3.11/site-packages")

    def satisfies(self, word):
        return word in self.words

    def __getitem__(self, name):
        return self


def numbers(version):
    return [int(part) for part in (version or "0").split(".") + ["0", "0"]][:3]


def check_dependencies(wanted, spack, conda):
    for name, least in wanted.items():
        for recipe, has, called in zip(("Spack", "conda"), (spack, conda), NAMES.get(name, (name, name))):
            if called is None:
                continue
            assert called in has, f"CMake looks for {name}, and the {recipe} recipe has no {called}"
            assert numbers(has[called]) >= numbers(least), f"{recipe}: {called} {has[called]}, and CMake needs {least}"


def configure(what, command, environment):
    """CMake runs with each option of the recipe known."""
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, f"{what}: {command}\n{done.stdout}"
    unused = re.search(r"Manually-specified variables were not used by the project:\n\n(.*?)\n\n", done.stdout, re.S)
    assert not unused, f"{what}: CMake does not know\n{unused.group(1)}"
    said = re.search(r"^-- psg: StarPU .*$", done.stdout, re.M).group(0)
    print(f"{what}: {said[3:]}", flush=True)
    return said


def main(source, work, starpu, cuda):
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    environment = dict(os.environ, PKG_CONFIG_PATH=starpu + ":" + os.environ.get("PKG_CONFIG_PATH", ""))
    recipe, dependencies = spack_recipe(source)
    with open(os.path.join(source, "packaging/conda/recipe.yaml"), encoding="utf-8") as file:
        conda = yaml.safe_load(file)
    packages = [line.partition(" >=")[::2] for line in conda["requirements"]["build"] + conda["requirements"]["host"]]
    check_dependencies(looked_for(source), dependencies, dict(packages))

    for words in (("~cuda", "~lapack", "~mpi", "~python"), ("+cuda" if int(cuda) else "~cuda", "+lapack", "+mpi", "+python")):
        psg = recipe()
        psg.spec = Spec(words)
        said = configure("Spack " + " ".join(words), ["cmake", "-S", source, "-B", work + "/spack", *psg.cmake_args()], environment)
        for part in ("mpi", "cuda", "lapack"):
            assert (part.upper() + " ON" in said) == ("+" + part in words), said

    # What rattler-build has in the environment of the recipe's script.
    environment.update(PREFIX="/prefix", SP_DIR="/prefix/lib/python3.11/site-packages", CMAKE_ARGS="", SRC_DIR=work)
    for line in conda["build"]["script"]:
        if line.startswith("cmake -S"):
            said = configure("conda", ["sh", "-euc", f"cd '{source}' && {line}"], environment)
    assert "MPI ON" in said and "LAPACK ON" in said, said


main(*sys.argv[1:])
