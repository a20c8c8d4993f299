"""The commands of the table in docs/theses.md run, at small sizes."""

import os
import re
import shlex

from command import check, run

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "theses.md")
SMALL = (("20000", "300"), ("4243", "100"), ("6000", "140"), ("4096", "256"), ("128:15", "64:90"), ("1024", "16"), ("ep:C", "ep:S"),
         ("cg:C", "cg:S"), ("blocks:8", "blocks:2"), ("--gpus 2", "--gpus 0"), ("--ranks 1,2", "--ranks 1"))

with open(PAGE, encoding="utf-8") as page:
    table = page.read().split("## What runs here")[1].split("\n## ")[0]
commands = re.findall(r"`([^`]*psg (?:run|solve|bench) [^`]*)`", table)
lapack = not re.search(r"^LAPACK +not built in$", run("--version").stdout, re.M)
check(len(commands) >= 20, commands)
for command in commands:
    if "--machine" in command or "crossover" in command or ("run qr" in command and not lapack):
        continue  # simulate_dock and command_workloads run the first two
    for large, small in SMALL:
        command = command.replace(large, small)
    words = shlex.split(command.split("psg ", 1)[1])  # by one process: mpi_workloads_N and so on have several
    if words[0] == "bench":
        words += ["--repeat", "1", "--passes", "1", "--ranks", "1"] + (["--grid", "16"] if "--study" in words else [])
    refused = "NWORKER_PER_CUDA" in command
    run(*words, code=2 if refused else 0, env={**os.environ, "STARPU_NWORKER_PER_CUDA": "2"} if refused else None)
