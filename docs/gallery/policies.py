"""Who does what, and when: the same solve under two scheduling policies of StarPU.

The staged graph has a task for each operation and part. A bar is a task, a row is a core.
"""

import os

import numpy as np
import psg
from picture import figure, finish, save

os.environ.setdefault("STARPU_SILENT", "1")
N, POLICIES = 64, ("eager", "ws")
f = np.random.default_rng(1).standard_normal((N, N, N))

answers = []
page, panels = figure(len(POLICIES), height=2.6, sharex=True, sharey=True)
for axes, policy in zip(panels, POLICIES):
    with psg.Plan(f.shape, policy=policy, graph="staged", segment_planes=8, sheets=8, gpus=0) as plan:
        runs = []
        for _ in range(9):
            answers.append(plan.solve(f))
            runs.append([event for event in plan.events() if event["end"] > event["start"]])
    tasks = min(runs, key=lambda run: max(task["end"] for task in run) - min(task["start"] for task in run))  # the fastest
    begin = min(task["start"] for task in tasks)
    workers = sorted({task["worker"] for task in tasks})
    stages = sorted({task["stage"] for task in tasks})
    for task in tasks:
        axes.barh(workers.index(task["worker"]), height=0.7, width=1e3 * (task["end"] - task["start"]), left=1e3 * (task["start"] - begin),
                  color="C%d" % stages.index(task["stage"]), edgecolor="white", linewidth=0.3,
                  label=task["stage"])
    seconds = max(task["end"] for task in tasks) - begin
    busy = sum(task["end"] - task["start"] for task in tasks) / len(workers) / seconds
    print("%-6s %d tasks on %d cores, %.2f ms, busy %.0f %%" % (policy, len(tasks), len(workers), 1e3 * seconds, 100 * busy))
    finish(page, axes, "policy %s: %.2f ms, cores busy for %.0f %%" % (policy, 1e3 * seconds, 100 * busy), "time, ms", None)
    axes.set_yticks(range(len(workers)), ["core %d" % worker for worker in workers])
by_stage = dict(zip(*reversed(panels[-1].get_legend_handles_labels())))
page.legend(by_stage.values(), by_stage.keys(), loc="lower center", ncols=len(by_stage), frameon=False)
page.get_layout_engine().set(rect=(0, 0.1, 1, 0.9))
assert all(np.array_equal(u, answers[0]) for u in answers), "a policy changes who works, and never the answer"
save(page, __file__)
