"""psg dock: from two PDB files to poses. The molecules are those of `psg run dock`, made here by the definition of the page and
rounded by the format of the files. All scores of a small problem are computed here, cell by cell and without any FFT, and so are the
energies of its poses, of charges that are written here beside the names of atoms."""

import csv
import itertools
import json
import math
import os
import re
import sys

import numpy

sys.path.insert(0, sys.argv[2])

from command import check, files, in_log, refused, run  # noqa: E402

ON = ("--gpus", "0", "--cpus", "2")
HEAD = "rank,twist,theta,phi,cells_x,cells_y,cells_z,x,y,z,score".split(",")


def turn(angle, a, b):
    matrix = numpy.eye(3)
    matrix[a, a] = matrix[b, b] = math.cos(math.radians(angle))
    matrix[b, a] = math.sin(math.radians(angle))
    matrix[a, b] = -matrix[b, a]
    return matrix


def rotation(twist, theta, phi):
    return turn(phi, 0, 1) @ turn(theta, 2, 0) @ turn(twist, 0, 1)


def ball(radius):
    """A shaken lattice in a ball, cut in two by a wavy surface."""
    n, seed, parts = int(radius / 2) + 1, 271828183, ([], [])
    for k in range(-n, n + 1):
        for j in range(-n, n + 1):
            for i in range(-n, n + 1):
                at = []
                for site in (i, j, k):
                    seed = 1220703125 * seed % 2 ** 46
                    at.append(2 * site + .2 * (2 * (seed / 2 ** 46) - 1))
                x, y, z = at
                above = z - 3 * math.sin(2 * math.pi * x / 11 + 1) - 2 * math.cos(2 * math.pi * y / 14) - .15 * x
                if x * x + y * y + z * z < radius ** 2 and abs(above) > 1.3:
                    parts[above > 0].append(at)
    return [numpy.array(part) - numpy.mean(part, 0) for part in parts]


def write_pdb(name, atoms, moved=(0, 0, 0)):
    with open(name, "w", encoding="ascii") as file:
        file.write("HEADER    a test\n")
        for m, at in enumerate(atoms + moved):
            file.write("ATOM  %5d  CA  GLY A%4d    %8.3f%8.3f%8.3f  1.00  0.00           C\n" % (m % 99999 + 1, m % 9999 + 1, *at))
        file.write("HETATM    1  O   HOH A   1       0.000   0.000   0.000  1.00  0.00           O\nEND\n")


# Name, alternate place, residue and chain of atoms, and the charge that follows from them. None is a record TER.
ATOMS = (("N", " ", "PRO", "A", 1), ("CA", " ", "PRO", "A", 0), ("O", " ", "PRO", "A", -.55), ("N", " ", "PRO", "A", -.1), ("N", " ", "ARG", "A", .55),
         ("NH1", " ", "ARG", "A", .5), ("NH2", " ", "ARG", "A", .5), ("NE", " ", "ARG", "A", 0), ("NH1", " ", "LYS", "A", 0), ("OD1", "A", "ASP", "A", -.5),
         ("OD1", "B", "ASP", "A", 0), ("OE2", " ", "GLU", "A", -.5), ("OD1", " ", "ASN", "A", 0), ("NZ", " ", "LYS", "A", 1), ("O", " ", "LYS", "A", -1),
         ("OXT", " ", "LYS", "A", 0), None, ("N", " ", "GLY", "A", 1), ("O", " ", "GLY", "A", -1), ("N", " ", "ALA", "B", 1), ("OE1", " ", "GLU", "B", -.5),
         ("O", "A", "ALA", "B", -1), ("O", "B", "ALA", "B", 0))
LIGAND = (("OD2", " ", "ASP", " ", -.5), ("NZ", " ", "LYS", " ", 1), ("OE1", " ", "GLU", " ", -.5), ("CB", " ", "ALA", " ", 0), ("NH2", " ", "ARG", " ", .5))


def write_charged(name, atoms, rows):
    """@return the charges"""
    with open(name, "w", encoding="ascii") as file:
        left = iter(atoms)
        for m, row in enumerate(rows):
            if row is None:
                file.write("TER\n")
            else:
                file.write("ATOM  %5d  %-3s%s%s %s%4d    %8.3f%8.3f%8.3f\n" % (m + 1, *row[:4], m + 1, *next(left)))
        file.write("TER\nHETATM    1  O   HOH A   1       0.000   0.000   0.000  1.00  0.00           O\nEND\n")
    return numpy.array([row[4] for row in rows if row])


def read_pdb(name):
    with open(name, encoding="ascii") as file:
        atoms = numpy.array([[float(line[at:at + 8]) for at in (30, 38, 46)] for line in file if line.startswith("ATOM  ")])
    return atoms - atoms.mean(0)


def read_poses(name):
    with open(name, encoding="ascii", newline="") as file:
        rows = list(csv.reader(file))
    check(rows[0] == HEAD, rows[0])
    poses = [[int(value) for value in row[:7] + row[10:]] for row in rows[1:]]
    check([pose[0] for pose in poses] == list(range(1, len(poses) + 1)), "ranks %s" % poses)
    return poses, [[float(value) for value in row[7:10]] for row in rows[1:]]


def cells(atoms, n, spacing):
    middle = (numpy.arange(n) + .5 - n / 2) * spacing
    grid = numpy.zeros((n, n, n), bool)
    for x, y, z in atoms:
        grid |= (middle - z)[:, None, None] ** 2 + (middle - y)[None, :, None] ** 2 + (middle - x)[None, None, :] ** 2 < 1.8 ** 2
    return grid


def static_scores(atoms, n, spacing):
    """1 on the surface, -15 in the core."""
    grid, reach = cells(atoms, n, spacing), math.ceil(1.3 / spacing)
    padded, core = numpy.pad(grid, reach), grid.copy()
    for k in range(-reach, reach + 1):
        for j in range(-reach, reach + 1):
            for i in range(-reach, reach + 1):
                if (i * i + j * j + k * k) * spacing ** 2 < 1.3 ** 2:
                    core &= padded[reach + k:][:n, reach + j:][:, :n, reach + i:][:, :, :n]
    return numpy.where(core, -15, grid.astype(int))


def potential(atoms, charges, n, spacing):
    """Of the static molecule: 0 in its core."""
    middle, field = (numpy.arange(n) + .5 - n / 2) * spacing, numpy.zeros((n, n, n))
    for (x, y, z), charge in zip(atoms, charges):
        r = numpy.maximum(2, numpy.sqrt((middle - z)[:, None, None] ** 2 + (middle - y)[None, :, None] ** 2 + (middle - x)[None, None, :] ** 2))
        field += charge / (numpy.where(r <= 6, 4, numpy.where(r < 8, 38 * r - 224, 80)) * r)
    return numpy.where(static_scores(atoms, n, spacing) == -15, 0, field)


def energy(field, atoms, charges, shift, spacing):
    """Of one pose: the charges between eight cells each, on a grid that is periodic."""
    n, sum_ = len(field), 0
    for at, charge in zip(atoms[:, ::-1] / spacing + n / 2 - .5 + shift, charges):
        low = numpy.floor(at).astype(int)
        for corner in numpy.ndindex(2, 2, 2):
            sum_ += charge * numpy.prod(numpy.where(corner, at - low, 1 - at + low)) * field[tuple((low + corner) % n)]
    return sum_


def best_poses(static, mobile, n, spacing, rotations, charges=None):
    """The three best shifts of each rotation, by sums over pairs of cells, in a space without sides. Ties are in the order of the
    cell of the shift, which is from 0 to n - 1 along each axis. With charges, each pose has its energy, and only negative ones count."""
    scores, found = static_scores(static, n, spacing), []
    field = potential(static, charges[0], n, spacing) if charges else None
    occupied = numpy.argwhere(scores != 0)
    for number, (twist, theta, phi) in enumerate(rotations):
        sums = numpy.zeros((2 * n, 2 * n, 2 * n), int)
        for cell in numpy.argwhere(cells(mobile @ rotation(twist, theta, phi).T, n, spacing)):
            numpy.add.at(sums, tuple((occupied - cell + n).T), scores[tuple(occupied.T)])
        shifts = [(-sums[tuple(at)], number, tuple((at - n) % n), tuple(at - n)) for at in numpy.argwhere(sums > 0)]
        if charges:
            turned = mobile @ rotation(twist, theta, phi).T
            energies = ((*pose, energy(field, turned, charges[1], pose[3], spacing)) for pose in sorted(shifts))
            shifts = list(itertools.islice((pose for pose in energies if pose[4] < 0), 3))
        found += sorted(shifts)[:3]
    return [[rank + 1, *rotations[pose[1]], *pose[3][::-1], -pose[0], *pose[4:]] for rank, pose in enumerate(sorted(found))]


def small():
    """All poses of a small problem, which has ties. Neither molecule is near the origin."""
    static, mobile = ball(5)
    write_pdb("small.pdb", static, (9, 8, -7))
    write_pdb("other.pdb", mobile[:7], (1, 2, 3))
    command = ("dock", "--static", "small.pdb", "--mobile", "other.pdb", "--angle", "90", "--spacing", "0.9", "--out", "small.csv", *ON)
    said = run(*command, "--poses", "72", "--tile", "5", "--sched", "eager").stdout
    n = int(re.search(r"^workload  dock: 24 rotations by 90 degrees on (\d+)\^3 cells, in batches of 5$", said, re.M).group(1))
    poses, places = read_poses("small.csv")
    wanted = best_poses(read_pdb("small.pdb"), read_pdb("other.pdb"), n, .9, ROTATIONS)
    check(poses == wanted, "poses\n%s\nof the command and\n%s\nby sums" % (poses, wanted))
    check(all(abs(x - .9 * cell) < 1e-4 for pose, place in zip(poses, places) for cell, x in zip(pose[4:7], place)), places)
    check(run(*command, "--quiet", "--poses", "1", "--repeat", "2").stdout == "" and read_poses("small.csv")[0] == poses[:1], "not replaced")


def charged():
    """All poses of negative energy of two small molecules, with their energies."""
    static, mobile = ball(5)
    charges = [write_charged("charged.pdb", static[:22], ATOMS), write_charged("ligand.pdb", mobile[:5], LIGAND)]
    command = ("dock", "--static", "charged.pdb", "--mobile", "ligand.pdb", "--angle", "90", "--spacing", "0.9", "--electrostatics", "--out", "charged.csv",
               "--json", "charged.json", *ON)
    said = run(*command, "--poses", "72", "--tile", "5", "--sched", "eager").stdout
    n = int(re.search(r"^workload  dock: 24 rotations by 90 degrees on (\d+)\^3 cells with electrostatics, in batches of 5$", said, re.M).group(1))
    with open("charged.csv", encoding="ascii", newline="") as file:
        rows = list(csv.reader(file))
    check(rows[0] == [*HEAD, "energy"], rows[0])
    wanted = best_poses(read_pdb("charged.pdb"), read_pdb("ligand.pdb"), n, .9, ROTATIONS, charges)
    check([[int(value) for value in row[:7] + row[10:11]] for row in rows[1:]] == [pose[:8] for pose in wanted], "%s\nand by sums\n%s" % (rows, wanted))
    check(all(math.isclose(float(row[11]), pose[8], rel_tol=1e-5, abs_tol=1e-7) for row, pose in zip(rows[1:], wanted)), "%s\nand by sums\n%s" % (rows, wanted))
    without = best_poses(read_pdb("charged.pdb"), read_pdb("ligand.pdb"), n, .9, ROTATIONS)
    check([pose[1:8] for pose in wanted] != [pose[1:8] for pose in without], "all energies are negative")
    with open("charged.json", encoding="utf-8") as file:
        report = json.load(file)
    check(report["electrostatics"] is True and len(report["poses"]) == len(wanted) and math.isclose(report["poses"][0]["energy"], wanted[0][8], rel_tol=1e-5), report)
    check(re.search(r"score +energy\n +1 .* %d +-\d\.\d+(e-\d+)?$" % wanted[0][7], said, re.M), said)


def progress():
    """A run that takes its time says in a log how many batches are done."""
    static, mobile = ball(11)
    write_pdb("large_static.pdb", static)
    write_pdb("large_mobile.pdb", mobile)
    said = in_log("dock", "--static", "large_static.pdb", "--mobile", "large_mobile.pdb", "--angle", "20", "--spacing", ".6", "--tile", "9", *ON)
    rotations = int(re.search(r"(\d+) rotations", run("dock", "--static", "large_static.pdb", "--mobile", "large_mobile.pdb", "--angle", "20",
                                                       "--spacing", "1.2", "--tile", "9", *ON).stdout).group(1))
    told = re.search(r"^psg: running 1/1: (\d+) of (\d+) batches, \d+ s(, about \d+ s left)?$", said, re.M)
    check(told and 0 < int(told.group(1)) < int(told.group(2)) == -(-rotations // 9), "%s, of %d rotations" % (said, rotations))


def planted():
    """The mobile part was turned back, and comes home. Files move atoms by up to 0.0005 A, so its score is computed from them."""
    static, mobile = ball(9.5)
    check((len(static), len(mobile)) == (172, 203), "%d and %d atoms" % (len(static), len(mobile)))
    write_pdb("static.pdb", static, (50, -20, 7.5))
    write_pdb("mobile.pdb", mobile @ rotation(300, 90, 330), (-3, 0, 1))
    said = run(*PLANTED, "--out", "poses.csv", "--json", "dock.json").stdout
    for words in (r"^workload  dock: 600 rotations by 30 degrees on 80\^3 cells, in batches of 8$", r"^static    static.pdb: 172 atoms around 50.000 -20.000 7.500$",
                  r"^mobile    mobile.pdb: 203 atoms around -3.000 ", r"^ +1    300     90    330    -0.630    0.000    6.930 +\d+$"):
        check(re.search(words, said, re.M), "no %s in\n%s" % (words, said))
    poses, _ = read_poses("poses.csv")
    fixed, turned = read_pdb("static.pdb"), read_pdb("mobile.pdb") @ rotation(300, 90, 330).T
    sums = static_scores(fixed, 80, .63)
    score = sum(sums[tuple(cell + (11, 0, -1))] for cell in numpy.argwhere(cells(turned, 80, .63)))
    check(len(poses) == 10 and poses[0] == [1, 300, 90, 330, -1, 0, 11, score], "%s, and its sum is %d" % (poses, score))
    check(all(pose[-1] < .6 * score for pose in poses if pose[1:4] != [300, 90, 330]), poses)
    with open("dock.json", encoding="utf-8") as file:
        report = json.load(file)
    check((report["command"], report["status"], report["repeat"], report["angle"], report["spacing"]) == ("dock", 0, 1, 30, .63), report)
    check(report["poses"][0] == {"twist": 300, "theta": 90, "phi": 330, "cells": [-1, 0, 11], "shift": [-.63, 0, 11 * .63], "score": score}, report)
    check(report["answers"]["differing"]["value"] == 0 and report["tasks"]["dock_correlate"]["cores"]["tasks"] == 75, report)
    check(report["static"]["atoms"] == 172 and report["mobile"]["file"] == "mobile.pdb", report)


def change(name, line, text):
    """A copy of small.pdb with another text in a line, from 1."""
    with open("small.pdb", encoding="ascii") as file:
        lines = file.readlines()
    lines[line - 1] = text
    with open(name, "w", encoding="ascii") as file:
        file.writelines(lines)


def models():
    """The first of several models counts, with words."""
    with open("small.pdb", encoding="ascii") as file:
        atoms = file.read()
    with open("models.pdb", "w", encoding="ascii") as file:
        file.write("MODEL        1\n%sENDMDL\nMODEL        2\n%sENDMDL\n" % (atoms.replace("END\n", ""), atoms))
    few = ("--mobile", "other.pdb", "--angle", "180", "--spacing", "1", "--poses", "3", *ON)
    said = run("dock", "--static", "models.pdb", *few, "--json", "-")
    check("note: models.pdb: the first of several models is used" in said.stderr, said.stderr)
    report = json.loads(said.stdout)
    check(report["poses"] == json.loads(run("dock", "--static", "small.pdb", *few, "--json", "-").stdout)["poses"], report)
    check(any("several models" in note for note in report["notes"]), report["notes"])


def bad():
    atom = "ATOM      1  CA  GLY A   1    "
    for name, text in (("short.pdb", atom + "   1.000   2.000\n"), ("empty.pdb", "ATOM\n"), ("words.pdb", atom + "   1.000   2.0x0   3.000\n"),
                       ("nan.pdb", atom + "     nan   2.000   3.000\n"), ("moved.pdb", atom + " 1.000   2.000   3.000  \n"),
                       ("blank.pdb", atom + "   1.000           3.000\n")):
        change(name, 3, text)
    change("far.pdb", 3, atom + "9999.000   0.000   0.000\n")
    with open("none.pdb", "w", encoding="ascii") as file:
        file.write("HEADER\nHETATM    1  O   HOH A   1       0.000   0.000   0.000\n")
    with open("mine.csv", "w", encoding="ascii") as file:
        file.write("mine\n")
    os.mkfifo("waits.pdb")
    old = files()
    both = ("--static", "small.pdb", "--mobile", "other.pdb")
    for given, says in (((), ("psg dock --static FILE --mobile FILE",)), (("--static", "small.pdb"), ("--static FILE --mobile FILE",)),
                        (("--static", "gone.pdb", "--mobile", "other.pdb"), ("gone.pdb: No such file",)),
                        *((("--static", name, "--mobile", "other.pdb"), (name + ": not a regular file",)) for name in (".", "waits.pdb", "/dev/zero")),
                        (("--static", "small.pdb", "--mobile", "none.pdb"), ("none.pdb: there are no atoms",)),
                        *((("--static", name, "--mobile", "other.pdb"), (name + ":3: columns 31 to 54",))
                          for name in ("short.pdb", "empty.pdb", "words.pdb", "nan.pdb", "moved.pdb", "blank.pdb")),
                        (("--static", "far.pdb", "--mobile", "other.pdb"), ("cells along each axis", "1024 is the most")),
                        ((*both, "--angle", "7"), ("angle = 7 degrees", "divide 180")), ((*both, "--angle", "270"), ("angle = 270",)),
                        ((*both, "--angle", "0"), ("--angle '0'",)), ((*both, "--spacing", "0"), ("spacing = 0 angstrom", "below 1.3")),
                        ((*both, "--spacing", "-1"), ("--spacing '-1'", "a length")), ((*both, "--spacing", "1.3"), ("spacing = 1.3 angstrom",)),
                        ((*both, "--spacing", "nan"), ("--spacing 'nan'",)), ((*both, "--spacing", ".02"), ("spacing = 0.02", "f32 has no exact scores")),
                        ((*both, "--angle", "180", "--poses", "13"), ("poses = 13: from 1 to 12", "4 rotations")),
                        ((*both, "--angle", "2", "--spacing", ".1", "--tile", "500000"), ("tile = 500000", "T from 1 to 310")),
                        ((*both, "--angle", "180", "--tile", "5"), ("tile = 5", "T from 1 to 4")),
                        ((*both, "--out", "small.pdb"), ("--out and --static", "the same file")),
                        ((*both, "--out", "p.csv", "--json", "p.csv"), ("--json and --out", "the same file")),
                        ((*both, "--out", "mine.csv"), ("mine.csv: is there already and is not a list of poses of psg",)),
                        ((*both, "--electrostatics"), ("no atom of the static molecule has a charge",)),
                        (("--static", "charged.pdb", "--mobile", "other.pdb", "--electrostatics"), ("no atom of the mobile molecule has a charge",)),
                        ((*both, "--cpus", "0", "--gpus", "0"), ("nothing is left",))):
        refused("dock", *given, code=2, says=says)
    check(files() == old, "files were left behind")


PLANTED = ("dock", "--static", "static.pdb", "--mobile", "mobile.pdb", "--angle", "30", "--spacing", ".63", *ON)
ROTATIONS = [(twist, theta, phi) for theta, phis in ((0, (0,)), (90, (0, 90, 180, 270)), (180, (0,))) for phi in phis for twist in (0, 90, 180, 270)]
small()
charged()
models()
bad()
planted()
progress()
