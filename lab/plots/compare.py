"""Sets the rows of a simulation beside those that were measured, as a table in Markdown.

    compare.py MEASURED.csv SIMULATED.csv

Rows of the same configuration belong together; only those that are in both files, and good in both, are shown. Below
the table: how far off the simulation is, and in how many of all pairs of rows of one grid it has the faster one right, of
those pairs whose intervals of the median are apart (in older files: their quartiles).
"""

import itertools
import sys

from rows import LISTS, fail, has, lists, read

TIMES = ("seconds", "seconds_q1", "seconds_q3")


def good_rows(path):
    good = [row for row in read(path, lambda row: has(row, *TIMES)) if row["status"] == "ok"]
    for row in good:
        for column in TIMES:
            try:
                float(row[column])
            except ValueError:
                fail("%s: '%s' in column %s is no number" % (path, row[column], column))
    return good


def clearly_differ(one, other):
    """By the intervals of the medians; by the quartiles in files that have none."""
    known = one.get("seconds_low") and other.get("seconds_low")
    low, high = ("seconds_low", "seconds_high") if known else ("seconds_q1", "seconds_q3")
    return float(one[high]) < float(other[low]) or float(other[high]) < float(one[low])


def main(measured_path, simulated_path):
    measured, simulated = good_rows(measured_path), good_rows(simulated_path)
    columns = [name for name in lists(measured[0]) if name in lists(simulated[0])] if measured and simulated else LISTS
    measured, simulated = ({tuple(row[name] for name in columns): row for row in rows} for rows in (measured, simulated))
    both = [key for key in measured if key in simulated]
    if not both:
        fail("the files have no configuration in common")
    varying = [c for c in range(len(columns)) if len({key[c] for key in both}) > 1]
    print("| %s | measured ms | simulated ms | off by |" % " | ".join(columns[c] for c in varying))
    print("|%s" % ("---|" * (len(varying) + 3)))
    errors = []
    for key in both:
        real, guess = (float(rows[key]["seconds"]) for rows in (measured, simulated))
        errors.append(abs(guess / real - 1))
        print("| %s | %.4g | %.4g | %+.0f %% |" % (" | ".join(key[c] for c in varying), 1e3 * real, 1e3 * guess,
                                                 100 * (guess / real - 1)))
    errors.sort()
    right = total = 0
    for one, other in itertools.combinations(both, 2):
        if one[0] == other[0] and clearly_differ(measured[one], measured[other]):
            total += 1
            right += ((float(measured[one]["seconds"]) < float(measured[other]["seconds"]))
                      == (float(simulated[one]["seconds"]) < float(simulated[other]["seconds"])))
    print("\n%d rows: off by %.0f %% in the median, %.0f %% at most; %d of them by more than 15 %%." % (
        len(both), 100 * errors[len(errors) // 2], 100 * errors[-1], sum(error > 0.15 for error in errors)))
    if total:
        print("Of %d pairs that clearly differ, the simulation has the faster one right in %d." % (total, right))


if len(sys.argv) != 3:
    sys.exit(__doc__)
main(*sys.argv[1:])
