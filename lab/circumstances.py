"""What all rows say of the machine and of how they were measured, and what others do on it
meanwhile."""

import math
import os
import resource
import time

SHORTEST = 0.5  # seconds; a tick of the system is 0.01 s on each core


class Circumstances:
    """The columns of versions, machine, load and date."""

    def __init__(self, request, warm_up, seed):
        self.machine, self.simulates = request["machine"], request["simulates"]
        self.cores = self.machine["cores"]
        average = math.nan if self.simulates else os.getloadavg()[0]
        self.cells = {
            **request["versions"], "host": self.machine["host"],
            "cpu_model": self.machine["cpu_model"], "cores": str(self.cores),
            "warm_up": str(warm_up), "seed": str(seed),
            "load_average": "" if math.isnan(average) else "%.12g" % average
        }

    def row(self):
        return {**self.cells, "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}


def busy_seconds(text, ticks_per_second):
    """Of all cores together since the machine started, by the first line of /proc/stat; 0: the
    system does not tell. Waiting and idle are not busy, and guests are in user already."""
    words = text.split("\n")[0].split()
    if words[:1] != ["cpu"] or len(words) < 9:
        return 0.0
    user, nice, system, _, _, interrupt, soft, steal = map(float, words[1:9])
    return (user + nice + system + interrupt + soft + steal) / ticks_per_second


class Moment:
    """busy: seconds of all processes; own: of this one, and of those that it started and that have
    ended."""

    def __init__(self, busy, own, clock):
        self.busy, self.own, self.clock = busy, own, clock

    @classmethod
    def now(cls, simulates):
        text = ""
        if not simulates and os.path.exists("/proc/stat"):
            with open("/proc/stat", encoding="ascii") as file:
                text = file.readline()
        own = sum(
            usage.ru_utime + usage.ru_stime
            for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))
        return cls(busy_seconds(text, os.sysconf("SC_CLK_TCK")), own, time.monotonic())


def load_between(before, after):
    """How many cores others kept busy, on average; NaN: it is not known."""
    seconds = after.clock - before.clock
    if not (before.busy > 0 and after.busy > 0) or seconds < SHORTEST:
        return math.nan
    return max(0.0, (after.busy - before.busy - (after.own - before.own)) / seconds)


def load_since(before, began, simulates):
    """Of a time that is too short to tell, what others did since the beginning."""
    now = Moment.now(simulates)
    load = load_between(before, now)
    return load_between(began, now) if math.isnan(load) else load


def is_high(load, cores):
    """Are times longer by it: more than a twentieth of the cores, or half a core where these are
    many?"""
    return load > min(0.5, 0.05 * cores)


def note_load(loads, cores, what, notes):
    """loads: of all that was measured, each of which is a `what`"""
    high = [load for load in loads if is_high(load, cores)]
    if high:
        notes.add("others kept up to %.2g of the %d core%s busy while %d of %d %s%s measured (column "
                  "load): the times may be too long"
                  % (max(high), cores, "s" if cores > 1 else "", len(high), len(loads), what,
                     "s were" if len(loads) > 1 else " was"))
