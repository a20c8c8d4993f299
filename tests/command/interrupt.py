"""SIGINT and SIGTERM end psg within a second of an idle machine, in the midst of a solve or of planning, with 130 and
143, and take its temporary files along; SIGKILL leaves nothing under the final name."""

import os
import signal
import subprocess
import time

import h5py

from command import PSG, check, default_signals, files, run, without_progress
from patience import patience

run("solve", "--problem", "modes", "--grid", "6", "--out", "phi.h5", "--json", "phi.json", "--effort", "estimate")
old = files()
check(len(old) == 3, "files: %s" % sorted(old))


def start(*arguments, before=default_signals):
    """psg at work on phi.h5; returns once its three temporary files are there."""
    process = subprocess.Popen([PSG, "solve", *arguments, "--out", "phi.h5", "--json", "phi.json"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=before)
    until = time.monotonic() + patience(30)
    while len(files()) < 6:
        check(process.poll() is None and time.monotonic() < until, "psg did not come to its work")
        time.sleep(0.01)
    return process


def files_settled():
    return {name: digest for name, digest in files().items() if ".psg-" not in name}


LONG = ("--problem", "modes", "--grid", "160", "--repeat", "100000")
PLANNING = ("--problem", "modes", "--grid", "509x503x499", "--effort", "patient")
for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
    for arguments, wait in ((LONG + ("--effort", "estimate"), 2.0), (PLANNING, 1.0), (LONG, 0.0)):
        process = start(*arguments)
        time.sleep(wait)
        check(process.poll() is None, "psg ended before the signal")
        sent = time.monotonic()
        process.send_signal(number)
        out, error = process.communicate(timeout=patience(20))
        took = time.monotonic() - sent
        what = "%s %s: code %d, %.2f s, %r" % (number, arguments, process.returncode, took, error)
        check(process.returncode == code, what)
        check(took <= patience(1), what)
        check(without_progress(error) == "psg: interrupted\n" and out == "", what)
        check(files() == old, "%s; files %s" % (what, sorted(files())))

process = start(*LONG, "--effort", "estimate")
time.sleep(1.0)
process.kill()
process.communicate()
check(files_settled() == old, "SIGKILL: files %s" % sorted(files()))
with h5py.File("phi.h5", "r") as file:
    check(file["potential"].shape == (6, 6, 6), "SIGKILL: the old file is damaged")
for name in files():
    if ".psg-" in name:
        os.remove(name)


def ignore():
    signal.signal(signal.SIGINT, signal.SIG_IGN)


# Who started psg with SIGINT ignored (nohup, a job in the background) wants it to go on.
process = start(*LONG, "--effort", "estimate", before=ignore)
process.send_signal(signal.SIGINT)
time.sleep(0.5)
check(process.poll() is None, "psg ended by a signal that was to be ignored")
process.terminate()
process.communicate()
check(process.returncode == 143 and files() == old, "SIGTERM: %d, files %s" % (process.returncode, sorted(files())))

# A reader that goes away (psg ... | head) is no reason to leave anything behind.
read_end, write_end = os.pipe()
os.close(read_end)
process = subprocess.run([PSG, "solve", "--problem", "modes", "--grid", "5"], stdout=write_end,
                         stderr=subprocess.PIPE, text=True, preexec_fn=default_signals)
check(process.returncode == 141 and process.stderr == "", "a closed pipe: %s" % process)
check(files() == old, "a closed pipe: files %s" % sorted(files()))
