"""roofline.py sums the launches of each stage, says the shares of the ceilings in a table, draws them, and says in words what it
cannot do.

    roofline_test.py ROOFLINE.PY
"""

import os
import sys
import tempfile

import script

HEADER = '"ID","Process ID","Process Name","Kernel Name","Device","Metric Name","Metric Unit","Metric Value"'
ABOUT = "==PROF== Connected to process 7\nequation  lap(u) = f, spectral, f64\ngrid      512 x 512 x 512, box 1 x 1 x 1\n"
TIME, READ, WRITTEN = "gpu__time_duration.sum", "dram__bytes_read.sum", "dram__bytes_write.sum"
SECTORS = ("lts__t_sectors_srcunit_tex_op_read.sum", "lts__t_sectors_srcunit_tex_op_write.sum")
ALL_BYTES, ALL_SECTORS = "lts__t_bytes.sum", "lts__t_sectors_srcunit_tex.sum"
SHAPE = "xy_shape<0, column_shape<double, 256, 16, 8, 16, 16, 1, 1, 0>, column_shape<double, 512, 16, 4, 8, 8, 8, 0, 0>>"
FORWARD, INVERSE, WHOLE, WHOLE_BACK = ("void %s<%s, %s, 0, 4>(xy_args<Real>)" % (kernel, SHAPE, forward) for kernel, forward in (
    ("xy_fixed", "1"), ("xy_fixed", "0"), ("xy_whole", "(bool)1"), ("xy_whole", "(bool)0")))
KSPACE = "void kspace_fixed<column_shape<double, 512, 32, 8, 32, 16, 1, 0, 0>, 2, 0, 0>(kspace_args<Real>)"
GENERIC = "void kspace_generic<double, 256, 2>(kspace_args<Real>)"
OTHER = "void pack<double, 1>(pack_args)"
CEILINGS = "GPU of the test\nmemory 4e+12 bytes/s\ncache 8e+12 bytes/s\n"
HEAD = ["| stage | ms | GB through memory | GB through the second-level cache | share of memory | share of the second-level cache |",
        "|---|---|---|---|---|---|"]


def check(condition, words):
    if not condition:
        sys.exit(words)


def launch(which, kernel, nanoseconds, megabytes, sectors, device=0, more=(), without=()):
    """Rows of a launch: megabytes read and written, and millions of sectors, of which one million are written; as many again are discarded."""
    metrics = [(READ, "byte", "%d,000,000" % megabytes[0]), (WRITTEN, "Mbyte", "%d" % megabytes[1]), (TIME, "ns", nanoseconds),
               (SECTORS[0], "sector", "%d,000,000" % (sectors - 1)), (SECTORS[1], "sector", "1,000,000"),
               (ALL_SECTORS, "sector", "%d,000,000" % (2 * sectors)), *more]
    return ['"%s","7","psg","%s","%s","%s","%s","%s"' % (which, kernel, device, *metric) for metric in metrics if metric[0] not in without]


def csv(*launches):
    return ABOUT + "\n".join([HEADER, *(row for rows in launches for row in rows)]) + "\n==PROF== Disconnected\n"


# Two launches each way, a kernel of no stage, and the launches in no order.
SOLVE = (launch(4, INVERSE, "250,000", (100, 100), 20), launch(0, FORWARD, "500,000", (600, 400), 100),
         launch(1, FORWARD, "1,500,000", (1400, 1600), 200), launch(9, OTHER, "9,000,000", (9, 9), 9),
         launch(2, KSPACE, "1,000,000", (500, 1500), 125), launch(3, INVERSE, "750,000", (300, 300), 30))
TABLE = [*HEAD, "| forward_xy | 2.000 | 4.000 | 9.600 | 50.0 % | 60.0 % |", "| kspace | 1.000 | 2.000 | 4.000 | 50.0 % | 50.0 % |",
         "| inverse_xy | 1.000 | 0.800 | 1.600 | 20.0 % | 20.0 % |"]


class Roofline:
    def __init__(self, script, folder):
        self.script, self.paths = script, [os.path.join(folder, name) for name in ("stages.csv", "ceilings.txt", "figure.png")]

    def run(self, *arguments):
        code, out, error = script.run(self.script, *arguments)
        check("Traceback" not in error, error)
        return code, out.splitlines(), error

    def of(self, stages, ceilings=CEILINGS):
        for path, text in zip(self.paths, (stages, ceilings)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        if os.path.exists(self.paths[2]):
            os.remove(self.paths[2])
        return self.run(*self.paths)

    def good(self, stages, lines):
        """What it says on stderr comes back."""
        code, out, said = self.of(stages)
        check(code == 0 and out == lines, (code, out, said))
        with open(self.paths[2], "rb") as file:
            check(file.read(8) == b"\x89PNG\r\n\x1a\n", "no PNG")
        return said

    def refused(self, words, *texts):
        code, out, said = self.of(*texts)
        check(code == 1 and not out and words in said and said.startswith("roofline.py: "), (words, code, out, said))
        check(not os.path.exists(self.paths[2]), "%s: a figure" % words)


def test_good(roofline):
    check(roofline.good(csv(*SOLVE), TABLE) == "", "words about a solve without fault")
    # other kernels of the same stages; a stage that is not there is no row, and is named
    said = roofline.good(csv(launch(0, WHOLE, "2,000,000", (4000, 0), 300), launch(1, WHOLE_BACK, "1,000,000", (800, 0), 50)),
                         TABLE[:3] + TABLE[4:])
    check("no launch of kspace:" in said, said)
    roofline.good(csv(launch(5, GENERIC, "1,000,000", (0, 2000), 125)), [*HEAD, TABLE[3]])
    # all bytes count where the sectors of the multiprocessors are not known, and only there
    everything = (ALL_BYTES, "Gbyte", "6.4")
    said = roofline.good(csv(launch(2, KSPACE, "1,000,000", (500, 1500), 125, more=[everything])), [*HEAD, TABLE[3]])
    check("lts__t_bytes" not in said and "no launch of forward_xy, inverse_xy:" in said, said)
    said = roofline.good(csv(launch(2, KSPACE, "1,000,000", (500, 1500), 125, more=[everything], without=SECTORS)),
                         [*HEAD, "| kspace | 1.000 | 2.000 | 6.400 | 50.0 % | 80.0 % |"])
    check("lts__t_bytes counts" in said, said)


def test_bad(roofline):
    whole = csv(*SOLVE)
    for words, text in (("no rows of psg's kernels", ""), ("no rows of psg's kernels", ABOUT), ("no rows of psg's kernels", csv()),
                        ("no rows of psg's kernels", csv(SOLVE[3])), ("no column 'Device'", whole.replace('"Device"', '"Else"')),
                        ("row 1 has not as many fields", whole.replace('"7","psg",', '"7",')),
                        ("does not say whether it is forward", csv(launch(0, "xy_fixed", "1", (1, 1), 1))),
                        ("does not say whether it is forward", csv(launch(0, FORWARD.replace(", 1, 0, 4", ", 2, 0, 4"), "1", (1, 1), 1))),
                        ("gpu__time_duration.sum of launch 6 is 'n/a'", csv(launch(6, KSPACE, "n/a", (1, 1), 1))),
                        ("in unit 'hour'", whole.replace('"ns"', '"hour"')), ("is '-1'", csv(launch(6, KSPACE, "-1", (1, 1), 1))),
                        ("kspace took no time", csv(launch(6, KSPACE, "0", (1, 1), 1))),
                        ("launches of 2 processes or GPUs", csv(*SOLVE, launch(10, KSPACE, "1", (1, 1), 1, device=1))),
                        *(("launch 6 has no " + name, csv(*SOLVE, launch(6, KSPACE, "1", (1, 1), 1, without=[name])))
                          for name in (TIME, READ, WRITTEN, *SECTORS))):
        roofline.refused(words, text)
    for name, number in (("memory", "4e+12"), ("cache", "8e+12")):
        for old, new in ((name, "other"), (number, "0"), (number, "4e+999"), (number, "-4"), (number, "4x")):
            roofline.refused("no ceiling '%s'" % name, whole, CEILINGS.replace(old, new))


def test_files(roofline, folder):
    roofline.of(csv(*SOLVE))
    for place, path in ((0, os.path.join(folder, "none.csv")), (1, folder), (2, os.path.join(folder, "no", "figure.png")),
                        (2, os.path.join(folder, "figure.of-no-kind"))):
        arguments = [*roofline.paths[:place], path, *roofline.paths[place + 1:]]
        code, out, said = roofline.run(*arguments)
        check(code == 1 and not out and path in said and ("cannot be written" if place == 2 else "cannot be read") in said, said)
    for count in (0, 2):
        code, out, said = roofline.run(*roofline.paths[:count])
        check(code == 1 and not out and "usage: roofline.py STAGES.csv CEILINGS.txt OUT.png" in said, said)


def main(script):
    with tempfile.TemporaryDirectory() as folder:
        roofline = Roofline(script, folder)
        test_good(roofline)
        test_bad(roofline)
        test_files(roofline, folder)


if __name__ == "__main__":
    main(sys.argv[1])
