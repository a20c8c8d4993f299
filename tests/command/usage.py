"""Wrong command lines end with 2 and a hint; the help texts know every option."""

import os
import re

from command import check, refused, run

MODES = ("solve", "--problem", "modes", "--grid", "5")


def bad(*arguments, says, code=2):
    refused(*arguments, code=code, says=says)


# Commands.
bad(says=("psg solve", "psg tune", "psg info", "--help"))
bad("slove", says=("unknown command 'slove'", "did you mean 'solve'?"))
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
bad("solve", "--p", says=("'--p' is ambiguous", "'--problem'", "'--precision'", "'--pencils'"))
bad("solve", "--quiet=1", says=("'--quiet' takes no argument",))
bad("solve", "--grid", says=("'--grid' needs an argument",))
bad("solve", "--problem", "modes", "--grid", "--verify", says=("'--grid' needs an argument",))
bad(*MODES, "junk", says=("unexpected argument 'junk'",))
bad("info", "--grid", "5", says=("unknown option '--grid'",))
bad("info", "--jsn", "x", says=("did you mean '--json'?",))

# Values.
for value in ("0", "5,", "5,6", "5,6,7,", "5,6,7,8", "5.5", "-5", "+5", " 5", "5 ", "5a", "", "x", "1e3",
              "5,0,5", "99999999999999999999"):
    bad("solve", "--problem", "modes", "--grid", value, says=("--grid '%s'" % value, "whole numbers"))
for value in ("0", "1,1", "1,1,0", "1,-1,1", "nan", "1,nan,1", "inf", "1,1,1e999", "1,1,1x", "", "a", "1 ,1,1"):
    bad(*MODES, "--box", value, says=("--box '%s'" % value, "above 0"))
for value in ("-1", "nan", "inf", "1x", "", "one"):
    bad(*MODES, "--lambda", value, says=("--lambda '%s'" % value, "a finite number from 0"))
for option in ("segment-planes", "pencils", "repeat", "in-flight", "nodes"):
    for value in ("0", "-1", "1.5", "x", "", "3x", "99999999999999999999"):
        bad(*MODES, "--" + option, value, says=("--%s '%s'" % (option, value), "a whole number from 1"))
for value in ("0", "-1", "nan", "inf", "1x", "", "one"):
    bad(*MODES, "--network", value, says=("--network '%s'" % value, "above 0, in GB/s"))
for value in ("-1", "x", "1x", "", "99999999999"):
    bad(*MODES, "--cpus", value, says=("--cpus '%s'" % value, "a whole number from 0"))
for value in ("-1", "1.1", "nan", "x", "0.5x", "", "autox", "Free"):
    bad(*MODES, "--cpu-share", value, says=("--cpu-share '%s'" % value, "auto, free, or a number from 0 to 1"))
    bad("bench", "--grid", "8", "--cpu-share", "0," + value, says=("--cpu-share '%s'" % value, "auto, free, or a number"))
for value in ("-1", "x", "0,x", "0,,1", ",", "1,1", "0,1x", ""):
    bad(*MODES, "--gpus", value, says=("--gpus '%s'" % value,))
for option, words in (("problem", ("madelung", "modes")), ("lattice", ("nacl", "cscl", "zns")),
                      ("precision", ("f64", "f32")), ("symbol", ("spectral", "fd2")),
                      ("mean", ("drop", "error")), ("graph", ("fused", "staged")),
                      ("exchange", ("managed", "direct", "mpi", "alltoall")), ("z", ("contiguous", "strided")), ("normalize", ("task", "divide")),
                      ("effort", ("estimate", "measure", "patient")), ("sched", ("eager", "lws", "dmda"))):
    for value in ("frob", "", words[0] + "x"):
        bad("solve", "--" + option, value, says=("--%s '%s'" % (option, value), "one of") + words)
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
bad("solve", "--problem", "madelung", "--grid", "8", "--box", "1,1,2", says=("cube",))
bad(*MODES, "--cpus", "0", "--gpus", "0", says=("--cpus 0 --gpus 0",))
bad("info", "--cpus", "0", "--gpus", "0", says=("--cpus 0 --gpus 0",))
for share in ("0.1", "1", "free"):
    bad(*MODES, "--cpu-share", share, "--gpus", "0", says=("gpus = 0", "to share the work"))
    bad(*MODES, "--cpu-share", share, "--cpus", "0", says=("cpus = 0", "to share the work"))
bad(*MODES, "--gpus", "4096", code=1, says=("gpu",))
bad(*MODES, "--gpus", "4095,4096", code=1, says=("gpu",))

# Too large to count, and too large to have.
bad("solve", "--problem", "modes", "--grid", "4294967296,4294967296,2", says=("4294967296 x 4294967296 x 2",))
bad("solve", "--problem", "modes", "--grid", "18446744073709551615", says=("points",))
# (an allocation of this size makes AddressSanitizer speak up, too)
said = run("solve", "--problem", "modes", "--grid", "60000", code=1,
           env={**os.environ, "ASAN_OPTIONS": "allocator_may_return_null=1"}).stderr.splitlines()
check(len([line for line in said if line.startswith("psg: out of memory: ") and "PiB" in line
           and "60000 x 60000 x 60000" in line]) == 1, "out of memory: %s" % said)

# Help: each option, once, with words, in 90 columns; and each of them is known to the command.
OPTIONS = {
    "solve": """in out box problem lattice grid symbol lambda mean precision verify json trace dag bounds quiet cpus gpus
        cpu-share sched machine nodes network graph exchange z normalize segment-planes pencils effort tuned repeat in-flight
        help version""".split(),
    "bench": """grid precision ranks nodes network cpus gpus cpu-share sched graph exchange z normalize segment-planes pencils
        data in-flight effort study large machine repeat warm-up passes calibrate seed memory mpirun patience bounds csv json record quiet help
        version""".split(),
    "tune": "grid precision cpus gpus seconds sched seed patience json quiet forget help version".split(),
    "info": "cpus gpus cpu-share sched machine nodes network json help version".split(),
}
for command, options in OPTIONS.items():
    text = run(command, "--help").stdout
    documented = re.findall(r"^  --([a-z0-9-]+)", text, re.MULTILINE)
    check(sorted(documented) == sorted(options), "%s --help has %s" % (command, documented))
    check(text.startswith("Usage: psg %s " % command), text)
    check("\nExamples:\n" in text, "%s --help has no examples" % command)
    check(max(map(len, text.splitlines())) <= 90, "%s --help is too wide" % command)
    for option in options:
        words = re.search(r"^  --%s\b[^\n]*?(?:  +|\n {20,})(\S.*)$" % option, text, re.MULTILINE)
        check(words and len(words.group(1)) > 8, "%s --help does not explain --%s" % (command, option))
        if option not in ("help", "version", "verify", "bounds", "quiet", "large", "forget"):
            bad(command, "--" + option, says=("'--%s' needs an argument" % option,))
    check(run(command, "-h").stdout == text, "%s -h" % command)
    # the help is shown wherever it stands, and nothing is done
    check(run(command, "--cpus", "1", "--help", "--nonsense").stdout == text, "%s ... --help" % command)
text = " ".join(run("solve", "--help").stdout.split())
for words in ("Exit status:", "else 1,1,1", "default: /potential", "default: fused", "in 1/length^2",
              "[nz][ny][nx]", "in your unit of length"):
    check(words in text, "solve --help does not say %r" % words)
text = run("--help").stdout
for words in ("Usage: psg COMMAND", "solve", "info", "psg solve --problem madelung --grid 64", "--version"):
    check(words in text, "--help does not say %r" % words)
for arguments in (("--version",), ("solve", "--version"), ("bench", "--version"), ("tune", "--version"), ("info", "--version")):
    version = run(*arguments).stdout
    check(re.match(r"psg(-\w+)? \(PoissonGraph\) \d+\.\d+\.\d+\n$", version), version)
