"""Wrong command lines end with 2 and a hint; the help texts know every option."""

import json
import os
import re

from command import check, refused, run

MODES = ("solve", "--problem", "modes", "--grid", "5")


def bad(*arguments, says, code=2):
    return refused(*arguments, code=code, says=says).stderr


# Commands.
bad(says=("psg solve", "psg tune", "psg info", "--help"))
bad("slove", says=("unknown command 'slove'", "did you mean 'solve'?"))
bad("selfest", says=("unknown command 'selfest'", "did you mean 'selftest'?"))
bad("frobnicate", says=("unknown command 'frobnicate'", "psg --help"))
bad("--hepl", says=("did you mean '--help'?",))

# Options.
bad("solve", "--grdi", "64", says=("unknown option '--grdi'", "did you mean '--grid'?"))
bad("solve", "--segment-plane=3", "--lamda=3", says=("unknown option '--lamda'", "'--lambda'"))
bad("solve", "--in-fligth", "2", says=("did you mean '--in-flight'?",))
bad("solve", "--verifi", says=("did you mean '--verify'?",))
bad("solve", "--xyzzyxyzzy", says=("unknown option '--xyzzyxyzzy'", "psg solve --help"))
bad("solve", "-x", says=("unknown option '-x'",))
bad("solve", "-xyz", says=("unknown option '-x'",))
bad("solve", "--p", says=("'--p' is ambiguous", "'--problem'", "'--precision'", "'--points'"))
bad(*MODES, "--exchange", "direct", "--cpus", "1", "--gpus", "0", "--verbose", says=("graph/route.c:", ": exchange direct needs"))
bad("solve", "--quiet=1", says=("'--quiet' takes no argument",))
bad("solve", "--grid", says=("'--grid' needs an argument",))
bad("solve", "--problem", "modes", "--grid", "--verify", says=("'--grid' needs an argument",))
bad(*MODES, "junk", says=("unexpected argument 'junk'",))
bad("info", "--out", "u.h5", says=("unknown option '--out'",))
bad("info", "--jsn", "x", says=("did you mean '--json'?",))

# Given twice: the last one counts, and the help says so.
check("source    modes" in run("solve", "--problem", "madelung", *MODES[1:], "--effort", "patient", "--effort", "estimate",
                               "--grid", "6").stdout, "not the last one")
check("grid      6 x 6 x 6" in run(*MODES, "--grid=6", "--effort", "estimate").stdout, "not the last one")
bad("solve", "--in", "a.h5", "--in", "b.h5", says=("psg: --in: b.h5: No such file",))

# Names that would control the terminal.
for name, shown in (("a\033[31mred", "a?[31mred"), ("a\nb", "a?b"), ("a\rb", "a?b"), ("a\x7fb", "a?b"), ("a\u009b1mb", "a??1mb"),
                    (os.fsdecode(b"a\xffb"), "a?b"), ("h\u00e9\u4e2d\U0001f600", "h\u00e9\u4e2d\U0001f600")):
    bad("solve", "--in", name, says=("psg: --in: %s: No such file" % shown,))
    bad("solve", "--problem", name, "--grid", "5", says=("--problem '%s'" % shown,))

# Nearest words: of options, also those that the library or others call by another name, and of values.
for given, meant in (("--policy", "--sched"), ("--z-layout", "--z"), ("--z_layout", "--z"), ("--output", "--out"), ("--input", "--in")):
    bad("solve", given, "x", says=("unknown option '%s': did you mean '%s'?" % (given, meant),))
for option, given, meant in (("symbol", "spektral", "spectral"), ("problem", "madelun", "madelung"),
                             ("precision", "f46", "f64"), ("cpus", "al", "all"), ("graph", "fusd", "fused")):
    bad("solve", "--" + option, given, says=("--%s '%s': did you mean '%s'? Expected " % (option, given, meant),))
bad("solve", "--sched", "lsw", says=("--sched 'lsw': ", "did you mean 'lws'?"))
for given, meant in (("periodic", "PP"), ("Dirichlet", "DD"), ("neuman", "NN")):
    bad("solve", "--bc", given, says=("did you mean --bc %s?" % meant,))
for given in ("open", "Free"):
    bad("solve", "--bc", given, says=("F is a free side", "--bc FF"))
bad(*MODES, "--lambda", "-1", says=("a finite number from 0; below 0 is the equation of waves",))

# More workers than cores.
done = run(*MODES, "--effort", "estimate", "--cpus", str(os.cpu_count() + 1))
check("note: --cpus %d: this machine has %d core" % (os.cpu_count() + 1, os.cpu_count()) in done.stderr, done.stderr)
done = run(*MODES, "--effort", "estimate", "--cpus", "1")
check(done.stderr == "", done.stderr)

# Values.
for value in ("0", "5x", "5x6x7x", "5x6x7x8", "5.5", "-5", "+5", " 5", "5 ", "5a", "", "x", "1e3",
              "5x0x5", "99999999999999999999", "5,", "5,6,7,", "5,6,7,8", "5,0,5", "0x5x5"):
    said = bad("solve", "--problem", "modes", "--grid", value, says=("--grid '%s'" % value, "whole numbers"))
    check("did you mean" not in said, said)
for value in ("0", "1x1x0", "1x-1x1", "nan", "1xnanx1", "inf", "1x1x1e999", "1x1x1x", "", "a", "1 x1x1", "0x2x3x4", "0x2",
              "1,1,0", "1,nan,1"):
    said = bad(*MODES, "--box", value, says=("--box '%s'" % value, "above 0"))
    check("did you mean" not in said, said)
# A comma separates the elements of a list, and here is one box.
for option, value in (("grid", "31,32"), ("grid", "31,32,33"), ("grid", "31x32,33"), ("box", "10,10,20"), ("box", "1.5,2x1e1")):
    bad("solve", "--problem", "modes", "--" + option, value,
        says=("--%s '%s'" % (option, value), "did you mean --%s %s?" % (option, value.replace(",", "x"))))
for value in ("-1", "nan", "inf", "1x", "", "one", "0x10"):
    bad(*MODES, "--lambda", value, says=("--lambda '%s'" % value, "a finite number from 0"))
for value in ("1e308", "1e-320"):
    bad(*MODES, "--lambda", value, says=("k^2 + lambda is from", "out of the range of the precision"))
    bad(*MODES, "--lambda", "1e37", "--precision", "f32", says=("k^2 + lambda is from", "out of the range"))
run(*MODES, "--lambda", "1e300", "--verify", "--effort", "estimate")
for value in ("0", "-0", "nan", "inf", "1e999", "1x", "", "one", "0x10", "2*", "*2", "2**3", "2pi", "pie", "-", "1/0", "4*pi*", "1e200*1e200"):
    bad(*MODES, "--factor", value, says=("--factor '%s'" % value, "a finite number other than 0"))
bad(*MODES, "--factor", "1e-307", code=2, says=("factor = 1e-307", "range of the precision"))
bad(*MODES, "--factor", "-1e-34", "--precision", "f32", says=("factor = -1e-34", "out of the range of the precision"))
for option in ("segment-planes", "sheets", "repeat", "in-flight", "nodes"):
    for value in ("0", "-1", "1.5", "x", "", "3x", "99999999999999999999"):
        bad(*MODES, "--" + option, value, says=("--%s '%s'" % (option, value), "a whole number from 1"))
for value in ("0", "-1", "nan", "inf", "1x", "", "one"):
    bad(*MODES, "--network", value, says=("--network '%s'" % value, "above 0, in GB/s"))
for value in ("-1", "x", "1x", "", "99999999999"):
    bad(*MODES, "--cpus", value, says=("--cpus '%s'" % value, "a whole number from 0"))
for value in ("-1", "1.1", "nan", "x", "0.5x", "", "autox", "free"):
    bad(*MODES, "--cpu-share", value, says=("--cpu-share '%s'" % value, "auto, or a number from 0 to 1"))
    bad("bench", "--grid", "8", "--cpu-share", "0," + value, says=("--cpu-share '%s'" % value, "auto, or a number"))
for value in ("-1", "x", "0,x", "0,,1", ",", "1,1", "0,1x", ""):
    bad(*MODES, "--gpus", value, says=("--gpus '%s'" % value,))
for option, words in (("problem", ("madelung", "modes", "cavity")), ("lattice", ("nacl", "cscl", "zns")),
                      ("precision", ("f64", "f32")),
                      ("symbol", ("spectral", "fd2", "fd4", "fd6", "fd8")),
                      ("mean", ("drop", "error")), ("graph", ("fused", "staged")),
                      ("exchange", ("managed", "direct", "mpi", "alltoall", "starpu")), ("placement", ("pinned", "free")),
                      ("z", ("contiguous", "strided")), ("executor", ("tasks", "team", "chain")),
                      ("data", ("host", "resident")), ("effort", ("estimate", "measure", "patient"))):
    for value in ("frob", "", words[0] + "x"):
        bad("solve", "--" + option, value, says=("--%s '%s'" % (option, value), "one of") + words)
for value, words in (("frob", ("there are:", " eager ", " lws ", " dmda ")),
                     ("", ("the name of a policy",)), ("eagerx", ("did you mean 'eager'?",))):
    bad("solve", "--sched", value, says=("--sched '%s'" % value, *words))
for option in ("in", "out", "json", "trace", "dag"):
    bad("solve", "--" + option, "", says=("--%s ''" % option,))

# What does not go together.
bad("solve", says=("--in", "--problem"))
bad("solve", "--grid", "5", says=("nothing to solve", "--in", "--problem"))
bad("solve", "--in", "a.h5", "--problem", "modes", "--grid", "5", says=("only one of them",))
bad("solve", "--in", "a.h5", "--grid", "5", says=("--grid", "--problem"))
bad("solve", "--problem", "modes", says=("--problem needs --grid",))
bad(*MODES, "--lattice", "zns", says=("--lattice", "madelung"))
bad("solve", "--problem", "madelung", "--grid", "8", "--lambda", "1", says=("--lambda", "madelung"))
bad("solve", "--problem", "madelung", "--grid", "8", "--factor", "2", says=("--factor", "madelung", "-4 pi"))
bad("solve", "--problem", "madelung", "--grid", "8", "--box", "1x1x2", says=("cube",))
bad(*MODES, "--cpus", "0", "--gpus", "0", says=("--cpus 0 --gpus 0",))
bad("info", "--cpus", "0", "--gpus", "0", says=("--cpus 0 --gpus 0",))
for share in ("0.1", "1"):
    bad(*MODES, "--cpu-share", share, "--gpus", "0", says=("gpus = 0", "to share the work"))
    bad(*MODES, "--cpu-share", share, "--cpus", "0", says=("cpus = 0", "to share the work"))
bad(*MODES, "--gpus", "4096", code=1, says=("gpu",))
bad(*MODES, "--gpus", "4095,4096", code=1, says=("gpu",))

# Too large to count, and too large to have.
bad("solve", "--problem", "modes", "--grid", "4294967296x4294967296x2", says=("4294967296 x 4294967296 x 2",))
bad("solve", "--problem", "modes", "--grid", "18446744073709551615", says=("points",))
# (an allocation of this size makes AddressSanitizer speak up, too)
said = run("solve", "--problem", "modes", "--grid", "60000", code=1,
           env={**os.environ, "ASAN_OPTIONS": "allocator_may_return_null=1"}).stderr.splitlines()
check(len([line for line in said if line.startswith("psg: out of memory: ") and "PiB" in line
           and "60000 x 60000 x 60000" in line]) == 1, "out of memory: %s" % said)

# Help: each option, once, with words, in 90 columns; and each of them is known to the command.
OPTIONS = {
    "solve": """in out box bc points faces robin values gradient epsilon faces-epsilon tolerance iterations guess problem lattice grid symbol kernel kernel-form lambda factor mean mean-tolerance precision options verify json trace dag bounds force quiet verbose cpus gpus
        cpu-share placement sched calibrate cache-dir machine nodes network graph exchange z executor segment-planes sheets effort tuned data repeat in-flight batch
        wire time-limit help version""".split(),
    "bench": """grid precision ranks nodes network cpus gpus cpu-share placement sched graph exchange z executor segment-planes sheets
        data in-flight effort wire workload tile order barrier priority place study large machine repeat warm-up passes calibrate seed memory
        mpirun patience bounds energy csv json again record force quiet help version""".split(),
    "run": """tile order priority place barrier precision cpus gpus sched calibrate cache-dir
        machine time-limit json trace dag bounds force quiet repeat help version""".split(),
    "dock": """static mobile angle spacing electrostatics poses out tile priority cpus gpus sched
        calibrate cache-dir machine time-limit json trace dag bounds force quiet repeat help
        version""".split(),
    "measure": """repeat warm-up seconds seed unmeasured bounds energy events machine help
        version""".split(),
    "tune": "grid precision cpus gpus seconds sched seed patience json force quiet forget help version".split(),
    "example": "kind grid box precision quiet help version".split(),
    "view": "out at box force quiet help version".split(),
    "completion": "help version".split(),
    "info": "machines cpus gpus cpu-share sched machine nodes network grid bc points precision kernel json force help version".split(),
}
FIRST = {
    "solve": "in out box bc problem grid factor verify".split(),
    "bench": "grid study repeat".split(),
    "run": "tile cpus gpus sched".split(),
    "dock": "static mobile angle spacing out cpus gpus sched".split(),
}
for command, options in OPTIONS.items():
    text = run(command, "--help", "all").stdout
    documented = re.findall(r"^  --([a-z0-9-]+)", text, re.MULTILINE)
    check(sorted(documented) == sorted(options), "%s --help has %s" % (command, documented))
    check(text.startswith("Usage: psg %s " % command), text)
    check("given twice the last one counts" in text, "%s --help does not say what counts" % command)
    check("\nExamples:\n" in text, "%s --help has no examples" % command)
    check(max(map(len, text.splitlines())) <= 90, "%s --help is too wide" % command)
    for option in options:
        words = re.search(r"^  --%s\b[^\n]*?(?:  +|\n {20,})(\S.*)$" % option, text, re.MULTILINE)
        check(words and len(words.group(1)) > 8, "%s --help does not explain --%s" % (command, option))
        if option not in ("help", "version", "verify", "bounds", "energy", "quiet", "verbose", "large", "again", "force", "forget", "machines", "barrier", "electrostatics", "unmeasured", "events"):
            bad(command, "--" + option, says=("'--%s' needs an argument" % option,))
    for given in (("-h", "all"), ("--help=all",), ("--hel", "all")):
        check(run(command, *given).stdout == text, "%s %s" % (command, given))
    for given in ("-h", "every"), ("--help", "every"), ("--help=every",):
        bad(command, *given, says=("--help 'every': expected all",))
    # --help has the options that most users need, and says where the others are
    short = run(command, "--help").stdout
    first = re.findall(r"^  --([a-z0-9-]+)", short, re.MULTILINE)
    check(first == FIRST.get(command, documented), "%s --help has %s" % (command, first))
    last = "These are %d options of %d: `psg %s --help all` has all of them." % (len(first), len(documented), command)
    check((short.splitlines()[-1] == last) == (command in FIRST) and (short == text) == (command not in FIRST), short)
    check(run(command, "-h").stdout == short, "%s -h" % command)
    # the help is shown wherever it stands, and nothing is done
    given = ("--cpus", "1") if "cpus" in options else ("--grid", "8") if "grid" in options else ()
    check(run(command, *given, "--help", "--nonsense").stdout == short, "%s ... --help" % command)
# The recorded machines are listed by a psg that does not simulate, too.
said = run("info", "--machines").stdout
check(re.search(r"^  h200 +128 cores, 8 GPUs\n +8 H200 with NVLink", said, re.MULTILINE) and "  epyc-2core" in said, said)
check("Workers" not in said, said)
machines = json.loads(run("info", "--machines", "--json", "-").stdout)["machines"]
check([m["name"] for m in machines] == sorted(m["name"] for m in machines) and {"h200", "epyc-2core"} <= {m["name"] for m in machines}, machines)
check([(m["cpus"], m["gpus"], m["gpu_memory"] > 1e11) for m in machines if m["name"] == "h200"] == [(128, 8, True)], machines)

text = " ".join(run("solve", "--help", "all").stdout.split())
for words in ("Exit status:", "else 1x1x1", "the order x, y, z", "default: /potential", "else fused", "in 1/length^2",
              "[nz][ny][nx]", "in your unit of length", "gravity 4*pi*G", "'4*pi*6.6743e-11'", "-4*pi (Gaussian units)"):
    check(words in text, "solve --help does not say %r" % words)
text = run("--help").stdout
for words in ("Usage: psg COMMAND", "solve", "info", "psg solve --problem madelung --grid 64", "--version"):
    check(words in text, "--help does not say %r" % words)
for arguments in (("solve", "--version"), ("example", "--version"), ("bench", "--version"), ("tune", "--version"), ("info", "--version")):
    version = run(*arguments).stdout
    check(re.match(r"psg-\w+ \(PoissonGraph\) \d+\.\d+\.\d+\n$", version), version)
# The version of psg has those of what it was built with, as psg info.
version, info = run("--version").stdout, run("info").stdout
own, _, components = version.partition("\n")
check(re.match(r"psg \(PoissonGraph\) \d+\.\d+\.\d+$", own), version)
check(info.startswith("psg       %s\n%s\n" % (own.split()[-1], components)), "psg --version has %s, psg info %s" % (version, info))
names = json.loads(run("info", "--json", "-").stdout)["versions"]
check(list(names) == ["psg", *(line.split()[0] for line in components.splitlines())], "%s: %s" % (names, components))
for name in ("StarPU", "FFTW", "CUDA", "MPI", "hwloc", "HDF5", "Jansson"):
    built = re.search(r"^%s +(\S.*)$" % name, components, re.MULTILINE)
    check(built and (names[name] or "not built in") == built.group(1).split(", ")[0], "%s: %s" % (name, components))
