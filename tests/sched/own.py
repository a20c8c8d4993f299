"""A policy of the user's own works wherever one of StarPU's does, a library that is wrong has
clear words, and a policy that is wrong costs no more than its own rows.

    own.py PSG LIBRARY FAULTY NONE [MACHINE]

LIBRARY has mylifo, FAULTY policies that fail in several ways, NONE no policy. With MACHINE psg
simulates that one.
"""

import csv
import json
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "command"))
from command import check, refused, run  # noqa: E402
from patience import patience  # noqa: E402

LIBRARY, FAULTY, NONE = map(os.path.abspath, sys.argv[2:5])
SIMULATES = len(sys.argv) > 5
PLACE = ("--machine", sys.argv[5]) if SIMULATES else ("--gpus", "0")
WORK = (("dock:128:15", "--tile", "8", "--machine", "gtx285-c870") if SIMULATES else
        ("jacobi:64", *PLACE))
GRID = ("--grid", "16", "--effort", "estimate", *PLACE)
SOLVE = ("solve", "--problem", "modes", *GRID)
ONCE = ("--repeat", "1", "--passes", "1", "--warm-up", "0", "--quiet")
BENCH = ("bench", *GRID, *ONCE)
for name in ("STARPU_SCHED", "STARPU_SCHED_LIB"):
    os.environ.pop(name, None)


def with_library(library, policy=None):
    more = {"STARPU_SCHED_LIB": library, **({"STARPU_SCHED": policy} if policy else {})}
    return {**os.environ, **more}


OWN, WRONG = with_library(LIBRARY), with_library(FAULTY)


def policy(*arguments, env=OWN):
    """In force, by the report."""
    return json.loads(run(*arguments, "--json", "-", env=env).stdout)["policy"]


def of_library(env):
    """The policies that psg info has from the library."""
    found = json.loads(run("info", *PLACE, "--json", "-", env=env).stdout)["policies"]
    return [known for known in found if known["library"]]


def rows(*arguments, csv_file, env):
    run(*arguments, "--csv", csv_file, env=env)
    with open(csv_file, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, strict=True))


def everywhere():
    """Named by an option, by STARPU_SCHED, in lists, of workloads, and found in what psg knows."""
    check(policy(*SOLVE, "--sched", "mylifo") == "mylifo", "--sched")
    check(policy(*SOLVE, env=with_library(LIBRARY, "mylifo")) == "mylifo", "STARPU_SCHED")
    check(policy("run", *WORK, "--sched", "mylifo") == "mylifo", "of a workload")
    check(policy(*SOLVE, "--sched", "lws") == "lws", "StarPU's own beside the library")
    check(of_library(OWN) == [{"name": "mylifo", "description": "one stack for all workers",
                               "library": LIBRARY}], of_library(OWN))
    said = run("info", *PLACE, env=with_library(LIBRARY, "mylifo")).stdout
    line = "\n* %-32s one stack for all workers (of %s)\n" % ("mylifo", LIBRARY)
    check(line in said, said)
    said = run("__complete", "solve", "--sched", "my", env=OWN).stdout
    check("mylifo" in said, said)
    found = rows(*BENCH, "--sched", "lws,mylifo", csv_file="list.csv", env=OWN)
    found += rows("bench", "--workload", *WORK, *ONCE, "--sched", "mylifo", csv_file="work.csv",
                  env=OWN)
    check([(r["policy"], r["status"]) for r in found] ==
          [("lws", "ok"), ("mylifo", "ok"), ("mylifo", "ok")], found)
    if not SIMULATES:
        run("tune", "--grid", "8", "--gpus", "0", "--seconds", "1", "--sched", "mylifo,lws",
            "--quiet", env={**OWN, "XDG_CACHE_HOME": os.getcwd()})


def identity():
    """Another library, or the same one built anew, makes other rows; so does STARPU_SCHED."""
    env = with_library("./libmine.so")
    asked = (*BENCH, "--sched", "mylifo,lws")
    shutil.copy(LIBRARY, "libmine.so")
    old = rows(*asked, csv_file="rows.csv", env=env)
    check([r["policy_library"].split(":")[0] for r in old] == ["libmine.so", ""], old)
    check(rows(*asked, csv_file="rows.csv", env=env) == old, "the same rows are measured again")
    with open("libmine.so", "ab") as file:
        file.write(b"built anew")
    new = rows(*asked, csv_file="rows.csv", env=env)
    check(new[:2] == old and [r["sched"] for r in new[2:]] == ["mylifo"], new)
    check(new[2]["policy_library"] != old[0]["policy_library"], new)
    for number, name in enumerate(("eager", None, "mylifo")):
        found = rows(*BENCH, csv_file="env.csv", env=with_library("./libmine.so", name))
        check(len(found) == number + 1 and found[-1]["sched"] == (name or "default"), found)
        check(found[-1]["policy_library"][:10] == ("libmine.so" if name == "mylifo" else ""), found)


def wrong_libraries():
    open("empty.so", "w", encoding="ascii").close()
    for library, words in (("./missing.so", "missing.so"), ("./empty.so", "empty.so"),
                           (NONE, "%s: undefined symbol: starpu_get_sched_lib_policy" % NONE)):
        for command in (SOLVE, (*SOLVE, "--sched", "mylifo"), (*BENCH, "--sched", "lws,mylifo"),
                        ("info", *PLACE), ("run", *WORK)):
            refused(*command, code=2, says=("STARPU_SCHED_LIB: ", words),
                    env=with_library(library))
    said = run("__complete", "solve", "--sched", "ea", env=with_library("./missing.so")).stdout
    check("eager" in said, "no completion without the library: %s" % said)
    words = " (starpu_get_sched_lib_policy() of %s returns none; its list: mylifo)" % LIBRARY
    frob = (*SOLVE, "--sched", "frob")
    refused(*frob, code=2, says=("policy 'frob'" + words, "there are: ", " lws "), env=OWN)
    refused(*SOLVE, code=2, says=("'frob' in STARPU_SCHED" + words,),
            env=with_library(LIBRARY, "frob"))
    refused(*SOLVE, "--sched", "mylif", code=2, says=("did you mean 'mylifo'?",), env=OWN)
    refused(*SOLVE, "--sched", "mylifo", code=2, says=("policy 'mylifo'; there are:",))


def wrong_policies():
    refused(*SOLVE, "--sched", "notgiven", code=2,
            says=("returns none; its list: crashes never notgiven prio",), env=WRONG)
    found = [(known["name"], known["description"]) for known in of_library(WRONG)]
    check(found == [("prio", "eager in the place of prio"), ("crashes", ""), ("never", "")], found)
    check(policy(*SOLVE, "--sched", "unlisted", env=WRONG) == "unlisted", "one that is not listed")
    found = rows(*BENCH, "--sched", "unlisted,crashes,never,lws", "--patience", "%d" % patience(3),
                 csv_file="wrong.csv", env=WRONG)
    status = {r["sched"]: r["status"] for r in found}
    check(status["lws"] == "ok" and status["unlisted"] == "ok", status)
    check(status["crashes"].startswith("crashed while "), status)
    check(status["never"] != "ok", status)
    check([bool(r["policy_library"]) for r in found] == [True, True, True, False], found)
    if SIMULATES:
        said = run(*SOLVE, "--sched", "never", code=2, env=WRONG).stderr
        check("all of it waited, for ever" in said, said)
    else:
        said = run(*SOLVE, "--sched", "never", "--time-limit", "1", code=1, env=WRONG).stderr
        check("waited 1 s (time_limit) for the end of a task" in said, said)
        check("perhaps policy never never gives them to any worker" in said, said)


def shown():
    """The page has the source that was compiled."""
    with open(os.path.join(HERE, "lifo.c"), encoding="utf-8") as file:
        source = file.read()
    with open(os.path.join(HERE, "..", "..", "docs", "policy.md"), encoding="utf-8") as file:
        check("\n```c\n" + source + "```\n" in file.read(), "docs/policy.md has another lifo.c")


shown()
everywhere()
identity()
wrong_libraries()
wrong_policies()
