"""psg tune: a search by stages. Each measures candidates beside the default, which is in all of
them: what is compared between stages are times over the default's. The last one measures the best
anew, and decides."""

import json
import math
import os
import subprocess
import sys
import time

from circumstances import Circumstances
from groups import Groups
from outputs import JSON, Output, try_output
from results import Results, quartiles
from sweep import Sweep, extents
from tables import json_rows
from words import FAILED, USAGE, Failure, Progress, clean

ROUNDS_MOST = 100  # of a pass
FINAL_PASSES = 3
REPEAT_LEAST = 5  # of the final: fewer have no quartiles to speak of
FINALISTS = 3  # beside the default and what was stored
TRIED_MOST = 512
# Of the time that is left after the first solves: when each stage ends. The rest is the final's.
END_OF_CUTS, END_OF_VARIANTS, END_OF_POLICIES = 0.25, 0.45, 0.6
STANDARD = 0  # the number of the default


class Tune:
    def __init__(self, request):
        self.request, self.a = request, request["arguments"]
        self.given = {
            column: values[0]
            for column, values in request["given"].items() if column != "sched"
        }
        self.sweep = Sweep(request)
        self.at = Circumstances(request, 1, self.a["seed"])
        self.rows = Results(request, self.sweep, self.at)
        self.progress = Progress(not self.a["quiet"])
        self.groups = Groups(request,
                             self.sweep,
                             self.progress,
                             warm_up=1,
                             calibrate=12,
                             patience=self.a["patience"],
                             seed=self.a["seed"],
                             heard=self.heard)
        self.groups.gpu_list = self.a["gpu_list"]
        self.doing, self.best, self.score, self.finalists = "", STANDARD, {}, []
        self.since = self.searching = self.until = time.monotonic()

    def heard(self, _):
        self.progress.step("tuning, up to %d s: %s" % (self.a["seconds"], self.doing))

    # ----------------------------------------------------------------------------------- candidates

    def pick(self, picks, around, **changes):
        """`around` with other values, once."""
        number = self.sweep.put({
            **self.sweep.configs[around],
            **{column: str(value)
               for column, value in changes.items()}
        })
        if number not in picks:
            picks.append(number)

    def pick_cut(self, picks, around, facts, segments, sheets):
        """In so many segments and sheets; not if that is what it comes to already."""
        _, ny, nz = extents(self.sweep.configs[around]["grid"])
        planes, sheets = -(-nz // min(max(1, segments), nz)), min(max(1, sheets), ny)
        if (planes, sheets) != (facts["planes"], facts["sheets_used"]):
            self.pick(picks, around, segment_planes=planes, sheets=sheets)

    def pick_cuts(self, picks, around, facts):
        """More and fewer segments, with as many more or fewer sheets. The likely ones come
        first."""
        segments, sheets = facts["segments"], facts["sheets_used"]
        for times, over in ((2, 1), (1, 2), (4, 1), (3, 2), (1, 4), (8, 1)):
            self.pick_cut(picks, around, facts, segments * times // over, sheets * times // over)
        self.pick_cut(picks, around, facts, 1, 1)

    def pick_variants(self, picks, around, facts):
        """Segments and sheets on their own, the other exchange, and the other variants of the
        graph."""
        s, p = facts["segments"], facts["sheets_used"]
        for cut in ((2 * s, p), (s, 2 * p), (s // 2, p), (s, p // 2)):
            self.pick_cut(picks, around, facts, *cut)
        if facts["workers_gpu"] > 1 and facts["exchange_used"] == "direct":
            self.pick(picks, around, exchange="managed")
        for layout in ("contiguous", "strided"):
            self.pick(picks, around, graph="staged", z=layout)
        if self.sweep.configs[around]["graph"] == "staged":
            self.pick(picks, around, graph="fused")

    def pick_policies(self, picks, around):
        """All but the one in force."""
        for policy in self.request["given"]["sched"]:
            if policy not in ("default", self.facts(STANDARD)["policy"]):
                self.pick(picks, around, sched=policy)

    def pick_stored(self, picks, stored):
        """What was stored for this grid: it may still be the best."""
        config, facts = self.sweep.configs[STANDARD], self.facts(STANDARD)
        for entry in stored:
            if entry["state"] == "damaged" or entry["host"] != self.request["machine"]["host"]:
                continue
            of = entry["precision"], entry["cpus"], entry["gpus"], tuple(entry["grid"])
            workers = facts["workers_cpu"], facts["workers_gpu"]
            if of != (config["precision"], *workers, extents(config["grid"])):
                continue
            choice = {name: value for name, value in entry["choice"].items() if value is not None}
            self.pick(picks, STANDARD, **choice)
            self.finalists.append(picks[-1])

    # --------------------------------------------------------------------------------------- stages

    def facts(self, number):
        return self.groups.results[number].facts

    def median(self, number):
        result = self.groups.results[number]
        return quartiles(result)[1] if result.is_good() else math.inf

    def seconds_to(self, share):
        """Until so much of the search's time is over."""
        return self.searching + share * (self.until - self.searching) - time.monotonic()

    def measure(self, picks, seconds):
        """These and no others."""
        for number, result in enumerate(self.groups.results):
            result.skip = number not in picks
        self.groups.run_pass(ROUNDS_MOST, seconds=max(1e-3, seconds))

    def take(self):
        self.groups.take()
        if len(self.groups.results) > TRIED_MOST:
            raise Failure(FAILED, "more than %d candidates" % TRIED_MOST)

    def reset(self, picks):
        for number in picks:
            self.groups.results[number].reset()

    def faster_half(self, picks):
        """With the default."""
        others = sorted(
            (number for number in picks if number != STANDARD and self.median(number) < math.inf),
            key=self.median)
        return [STANDARD] + others[:max(0, (len(picks) + 1) // 2 - 1)]

    def stage(self, doing, picks, end):
        self.doing = doing
        self.take()
        # each is solved three times at least
        picks = picks[:int(max(1, self.seconds_to(end) / (3 * self.median(STANDARD))))]
        if len(picks) < 2:
            return
        self.reset(picks)
        self.measure(picks, 0.5 * self.seconds_to(end))
        half = self.faster_half(picks)
        if len(half) > 1 and self.seconds_to(end) > 0:
            self.measure(half, self.seconds_to(end))
        for number in picks:
            self.score[number] = self.median(number) / self.median(STANDARD)
        self.best = STANDARD
        for number in half:
            if self.score[number] < self.score[self.best]:
                self.best = number

    def probe(self):
        """The default alone: whether it can be solved at all, and how long it takes. What is stored
        comes back."""
        self.doing = "the default"
        self.take()
        result = self.groups.results[STANDARD]
        if result.failed:
            raise Failure(USAGE, "--grid: the default %s" % result.failed)
        stored = self.groups.find_machine()["tuned"]
        self.measure([STANDARD], 0.1 * self.a["seconds"])
        if not result.is_good():
            raise Failure(
                FAILED,
                "the default cannot be measured: %s" % (result.failed or "its answer is wrong"))
        self.searching = time.monotonic()
        self.until = max(self.searching, self.since + self.a["seconds"])
        return stored

    def search(self, stored):
        """Whoever measures candidates measures the default and the best so far with them."""
        picks = [STANDARD]
        self.pick_stored(picks, stored)
        self.pick_cuts(picks, STANDARD, self.facts(STANDARD))
        self.stage("cuts", picks, END_OF_CUTS)
        picks = list(dict.fromkeys((STANDARD, self.best)))
        self.pick_variants(picks, self.best, self.facts(self.best))
        self.stage("variants", picks, END_OF_VARIANTS)
        if "STARPU_SCHED" not in os.environ:
            picks = list(dict.fromkeys((STANDARD, self.best)))
            self.pick_policies(picks, self.best)
            self.stage("policies", picks, END_OF_POLICIES)

    def final(self):
        self.doing = "the best again"
        self.take()
        likely = sorted(
            (number
             for number in self.score if number != STANDARD and self.score[number] < math.inf),
            key=self.score.get)
        self.finalists = list(dict.fromkeys([STANDARD, *likely[:FINALISTS], *self.finalists]))
        self.reset(self.finalists)
        for number in range(FINAL_PASSES):
            self.measure(self.finalists, self.seconds_to(1) / (FINAL_PASSES - number))
        self.best = min(self.finalists, key=self.median)

    # ----------------------------------------------------------------------------------- the answer

    def choice(self, number):
        """Of an entry: the default leaves all open."""
        config, standard = self.sweep.configs[number], self.sweep.configs[STANDARD]
        said = {
            "graph": config["graph"], "z": config["z"] or None,
            "exchange": None if config["exchange"] == "default" else config["exchange"],
            "segment_planes": int(config["segment_planes"]) or None,
            "sheets": int(config["sheets"]) or None,
            "sched": config["sched"] if config["sched"] != standard["sched"] else None
        }
        return dict.fromkeys(said) if number == STANDARD else said

    def decide(self):
        results = self.groups.results
        self.times, self.best_times = quartiles(results[STANDARD]), quartiles(results[self.best])
        self.decided = len(self.finalists) > 1 and min(
            len(results[number].samples) for number in (STANDARD, self.best)) >= REPEAT_LEAST
        self.stays = not self.best_times[2] < self.times[0]
        self.stored = STANDARD if self.stays else self.best

    def store(self):
        """psg writes the entry, which psg solve will read."""
        facts, config = self.facts(STANDARD), self.sweep.configs[STANDARD]
        entry = {
            name: str(value)
            for name, value in self.choice(self.stored).items() if value is not None
        }
        entry.update(grid=config["grid"],
                     precision=config["precision"],
                     cpus=facts["workers_cpu"],
                     gpus=facts["workers_gpu"],
                     gpu_list=self.a["gpu_list"],
                     seconds=self.median(self.stored),
                     default_seconds=self.times[1])
        done = subprocess.run(
            [self.request["psg"], "keep", json.dumps(entry)],
            stderr=subprocess.PIPE,
            text=True,
            check=False)
        if done.returncode:
            raise Failure(done.returncode, done.stderr.strip().replace("psg: ", "", 1))

    def put_rows(self, finalists):
        for number, result in enumerate(self.groups.results):
            if (number in self.finalists) == finalists and (result.failed or result.samples):
                models = "calibrated" if self.sweep.needs_models(
                    self.sweep.configs[number]) else "unused"
                self.rows.put(number, self.groups.results, models)

    def lines(self):
        def times_line(what, choice, times):
            low, middle, high = (1e3 * value for value in times)
            return "%-9s %s: %.4g ms, quartiles %.4g to %.4g" % (what, choice, middle, low, high)

        measured = sum(bool(result.samples or result.failed) for result in self.groups.results)
        yield ""
        yield "measured  %d candidates in %.0f s; above are those of the final" % (
            measured, time.monotonic() - self.since)
        yield times_line("default", "as it is", self.times)
        if self.best != STANDARD:
            yield times_line("best", choice_text(self.choice(self.best)), self.best_times)
            yield (
                "ratio     %.3f of the default's time to the best's, between quartiles %.3f to %.3f"
                % (self.times[1] / self.best_times[1], self.times[0] / self.best_times[2],
                   self.times[2] / self.best_times[0]))
        if not self.decided:
            yield ("the default stays: %d s are too short to compare it, and nothing was stored"
                   % self.a["seconds"])
        elif self.stays:
            yield "the default stays: %s" % ("nothing was faster" if self.best == STANDARD
                                             else "the best is not better than the spread of times")

    def json(self):
        config, facts = self.sweep.configs[STANDARD], self.facts(STANDARD)
        low, high = self.best_times, self.times

        def times(values):
            return dict(zip(("q1", "seconds", "q3"), values))

        return {
            "command": "tune", "rows": json_rows(self.rows.table),
            "grid": list(extents(config["grid"])), "precision": config["precision"],
            "cpus": facts["workers_cpu"], "gpus": facts["workers_gpu"],
            "seconds": time.monotonic() - self.since, "default": times(self.times),
            "best": times(self.best_times), "best_choice": self.choice(self.best), "ratio": {
                "low": high[0] / low[2], "median": high[1] / low[1], "high": high[2] / low[0]
            }, "default_stays": self.stays or not self.decided,
            "stored": self.choice(self.stored) if self.decided else None,
            "folder": self.request["folder"]
        }

    def tell(self):
        speaks = not self.a["quiet"] and self.a["json"] != "-"
        self.put_rows(True)
        if speaks:
            self.rows.print(self.groups.results)
            sys.stdout.write(clean("\n".join(self.lines()) + "\n", "\n"))
        failure = None
        try:
            if self.decided:
                self.store()
                if speaks:
                    sys.stdout.write(clean("stored    in %s\n" % self.request["folder"], "\n"))
        except Failure as failed:
            failure = failed
        self.put_rows(False)
        if self.a["json"] is not None:
            text = json.dumps(self.json(), indent=2) + "\n"
            if self.a["json"] == "-":
                sys.stdout.write(text)
            else:
                Output(self.a["json"]).write(text)
        if failure is not None:
            raise failure

    def run(self):
        self.sweep.put({column: self.given.get(column, "")
                        for column in self.sweep.columns} | {"cpu_share": "0"})
        if self.a["json"] not in (None, "-"):
            try_output(self.a["json"], None if self.a["force"] else JSON)
        stored = self.probe()
        self.search(stored)
        self.final()
        self.progress.stop()
        self.decide()
        self.tell()


def choice_text(choice):
    """What was chosen, in words."""
    def many(count, one):
        return "%d %s%s" % (count, one, "s" if count > 1 else "")

    words = [choice["graph"]]
    words += ["z " + choice["z"]] if choice["z"] else []
    words += [many(choice["segment_planes"], "plane") +
              " a segment"] if choice["segment_planes"] else []
    words += [many(choice["sheets"], "sheet")] if choice["sheets"] else []
    words += [choice["exchange"] + " exchange"] if choice["exchange"] else []
    words += ["policy " + choice["sched"]] if choice["sched"] else []
    return ", ".join(filter(None, words)) or "the default"


def main(request):
    Tune(request).run()
