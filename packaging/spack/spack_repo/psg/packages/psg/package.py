# Spack builds psg from a clone: see docs/packages.md.
from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Psg(CMakePackage, CudaPackage):
    """PoissonGraph: Poisson's equation in three dimensions by FFT, as a task graph that StarPU runs on cores and GPUs."""

    license("MIT")

    version("0.2.0")

    variant("lapack", default=True, description="The workload qr")
    variant("mpi", default=True, description="Solve with several processes")
    variant("python", default=False, description="Install the Python package, too")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("starpu@1.4: +shared ~simgrid")
    depends_on("starpu +cuda", when="+cuda")
    depends_on("fftw@3: precision=float,double")
    depends_on("hwloc@2:")
    depends_on("hdf5")
    depends_on("jansson@2.10:")
    depends_on("libpng@1.6:")
    depends_on("lapack", when="+lapack")
    depends_on("mpi", when="+mpi")
    depends_on("python@3.9:", type="run")  # psg bench and psg tune
    extends("python", when="+python")
    depends_on("py-numpy", type="run", when="+python")

    def cmake_args(self):
        python = self.spec["python"].package.purelib if self.spec.satisfies("+python") else ""
        args = [
            self.define_from_variant("PSG_CUDA", "cuda"),
            self.define_from_variant("PSG_LAPACK", "lapack"),
            self.define_from_variant("PSG_MPI", "mpi"),
            self.define("PSG_PYTHON_DIR", python),
            self.define("PSG_STARPU_PREFIX", ""),  # not the one that the clone may have
            self.define("PSG_TESTS", False),
        ]
        if self.spec.satisfies("+cuda") and not self.spec.satisfies("cuda_arch=none"):
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return args

    def test_solve(self):
        """the equation holds after a solve"""
        psg = which(self.prefix.bin.psg)
        psg("solve", "--problem", "modes", "--grid", "20x18x16", "--verify")
