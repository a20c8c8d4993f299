"""psg completion: what bash, zsh and fish offer for a command line is what the help texts and psg info name. The shells
run on a terminal of their own, and a key Tab is pressed in them; a shell that is not installed is left out, with words.

    completion.py PSG
"""

import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import time

from command import PSG, check, refused, run
from patience import patience

BIN = os.path.dirname(PSG)
COMMANDS = re.findall(r"^  ([a-z]+)\s", run("--help").stdout.split("Commands:")[1].split("Options:")[0], re.MULTILINE)
ENVIRONMENT = {**os.environ, "PATH": BIN + ":" + os.environ["PATH"], "TERM": "dumb", "HOME": os.getcwd(), "LC_ALL": "C.UTF-8",
               "XDG_CONFIG_HOME": os.getcwd(), "XDG_DATA_HOME": os.getcwd()}
os.mkdir("data")
os.mkdir("data/inner")
for name in ("rho one.h5", "data/phi.h5"):
    open(name, "w", encoding="ascii").close()


def options_of(command):
    return re.findall(r"^  (--[a-z0-9-]+)", run(command, "--help", "all").stdout, re.MULTILINE)


def values_of(command, option):
    """What the help shows as the option's values."""
    return re.search(r"^  %s (\S+)" % option, run(command, "--help", "all").stdout, re.MULTILINE).group(1).split("|")


POLICIES = [policy["name"] for policy in json.loads(run("info", "--json", "-").stdout)["policies"]]
MACHINES = [machine["name"] for machine in json.loads(run("info", "--machines", "--json", "-").stdout)["machines"]]
STUDIES = re.findall(r"^  ([a-z]+)\n {9}\S", run("bench", "--help").stdout.split("Studies.")[1].split("Examples:")[0], re.MULTILINE)
check(len(COMMANDS) > 6 and len(POLICIES) > 5 and len(MACHINES) > 1 and len(STUDIES) > 5, (COMMANDS, POLICIES, MACHINES, STUDIES))

# A line up to the cursor, and all that may stand in place of its last word.
CASES = [
    (["psg", ""], COMMANDS),
    (["psg", "se"], ["selftest"]),
    (["psg", "solve", "--graph", ""], values_of("solve", "--graph")),
    (["psg", "solve", "--graph", "st"], ["staged"]),
    (["psg", "solve", "--problem", ""],
     ["madelung", "modes", "cavity", "lid", "isolated", "beam", "slab"]),
    (["psg", "solve", "--sched", ""], POLICIES + ["auto"]),
    (["psg", "solve", "--in", "rh"], ["rho one.h5"]),
    (["psg", "solve", "--lambda", ""], []),
    (["psg", "solve", "--cpus", ""], ["all"]),
    (["psg", "solve", "--points", ""], ["cells", "nodes"]),
    (["psg", "solve", "--grid", "8", "--seg"], ["--segment-planes"]),
    (["psg", "solve", "--machine", "h2"], ["h200"]),
    (["psg", "bench", "--study", ""], STUDIES),
    (["psg", "bench", "--graph", "staged,fu"], ["staged,fused"]),
    (["psg", "completion", ""], ["bash", "zsh", "fish"]),
    (["psg", "example", "rh"], ["rho one.h5"]),
    (["psg", "view", "rh"], ["rho one.h5"]),
] + [(["psg", command, "--"], options_of(command)) for command in COMMANDS]


class Terminal:
    """A shell on a terminal."""

    def __init__(self, *command):
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.execvpe(command[0], command, ENVIRONMENT)

    def type(self, text, until):
        """Type, and read until the pattern was shown."""
        os.write(self.terminal, text.encode())
        said, end = "", time.monotonic() + patience(20)
        while not re.search(until, said):
            check(time.monotonic() < end, "after %r the shell shows %r, without %r" % (text, said, until))
            if select.select([self.terminal], [], [], 0.1)[0]:
                said += os.read(self.terminal, 4096).decode("utf-8", "replace").replace("\a", "")
        return said

    def close(self):
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.terminal)


def offered(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                          env=ENVIRONMENT, timeout=patience(60))
    check(done.returncode == 0 and done.stderr == "", "%s: %s" % (command, done.stderr))
    return done.stdout.splitlines()


def with_bash(words):
    """What the function leaves in COMPREPLY."""
    return offered(["bash", "--norc", "-c", 'source <(psg completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
                    '_psg_completion; [[ ${#COMPREPLY[@]} == 0 ]] || printf "%s\\n" "${COMPREPLY[@]}"', "bash", *words])


def with_fish(words):
    found = offered(["fish", "--no-config", "-c", "psg completion fish | source; complete -C $argv[1]", " ".join(words)])
    return [line.split("\t")[0].replace("\\ ", " ") for line in found]


def try_lines(shell, complete):
    for words, expected in CASES:
        found = complete(words)
        check(sorted(found) == sorted(expected), "%s: after %s there is %s, not %s" % (shell, words, found, expected))


def try_terminal(terminal, prompt):
    """Tab completes a word, and a file whose name has a blank; the command that comes about is run."""
    terminal.type("psg inf\t", r"info ")
    terminal.type("--machi\ts", r"--machines")
    terminal.type("\n", r"epyc-2core[^$]*" + prompt)
    for line, complete in (("psg solve --problem mad\t", "madelung"), ("psg solve --grap\tsta\t", "staged"),
                           ("psg solve --in rho\t", r"rho\\ one.h5"), ("psg solve --in data/ph\t", "data/phi.h5"),
                           ("psg solve --graph=st\t", "staged")):
        terminal.type(line, complete)
        terminal.type("\x15", "")  # empties the line
    terminal.close()


# bash is on every machine that has this program's build.
try_lines("bash", with_bash)
for words, expected in ((["psg", "solve", "--graph", "=", "fu"], ["fused"]), (["psg", "solve", "--graph", "="], values_of("solve", "--graph")),
                        (["psg", "solve", "--in", "a.h5", ":", "da"], [])):
    check(with_bash(words) == expected, "bash: after %s there is %s" % (words, with_bash(words)))
bash = Terminal("bash", "--norc", "--noprofile", "-i")
bash.type("PS1='READY''> '; bind 'set enable-bracketed-paste off'; source <(psg completion bash)\n", "READY> ")
try_terminal(bash, "READY> ")

if shutil.which("fish"):
    try_lines("fish", with_fish)
else:
    print("fish is not installed: its script was not tried")

if shutil.which("zsh"):
    zsh = Terminal("zsh", "-f", "-i")
    zsh.type("PROMPT='READY''> '; unsetopt zle_bracketed_paste; autoload -U compinit; compinit -u -D; source <(psg completion zsh)\n", "READY> ")
    try_terminal(zsh, "READY> ")
    # as it is installed: a file that zsh loads by its name
    with open("data/_psg", "w", encoding="utf-8") as file:
        file.write(run("completion", "zsh").stdout)
    zsh = Terminal("zsh", "-f", "-i")
    zsh.type("PROMPT='READY''> '; unsetopt zle_bracketed_paste; fpath=($PWD/data $fpath); autoload -U compinit; compinit -u -D\n", "READY> ")
    try_terminal(zsh, "READY> ")
else:
    print("zsh is not installed: its script was not tried")

# Bad input.
refused("completion", code=2, says=("psg completion bash|zsh|fish",))
refused("completion", "tcsh", code=2, says=("completion 'tcsh'", "expected bash|zsh|fish"))
refused("completion", "", code=2, says=("completion ''", "expected bash|zsh|fish"))
refused("completion", "bash", "zsh", code=2, says=("unexpected argument 'zsh'",))
refused("completion", "--shell", code=2, says=("unknown option '--shell'",))
refused("completoin", code=2, says=("did you mean 'completion'?",))
