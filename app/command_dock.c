/* psg dock: how two molecules fit each other, from their PDB files to a list of poses. */
#include "app/app.h"
#include "app/commands.h"
#include "app/processes.h"
#include "app/work_job.h"
#include "base/file.h"
#include "workloads/dock/dock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct dock_arguments {
    app_work_arguments work;
    const char *file[2], *out; /* of the static molecule and of the mobile one */
    unsigned angle, poses;
    double spacing;
    bool electrostatics;
} dock_arguments;

#define FIELD(member) offsetof(app_work_arguments, member) /* which is the first member */
#define OWN(member) offsetof(dock_arguments, member)

static const app_option_row rows[] = {
    {"Molecules", "static", "FILE", app_value_text, OWN(file[0]), NULL, "FILE",
     "the molecule that stays where it is: the records ATOM of a PDB file, its first model", true},
    {NULL, "mobile", "FILE", app_value_text, OWN(file[1]), NULL, "FILE",
     "the molecule that is turned and shifted", true},
    {"Search", "angle", "DEGREES", app_value_unsigned, OWN(angle), NULL, "a whole number from 1",
     "between rotations; divides 180; default: 15", true},
    {NULL, "spacing", "LENGTH", app_value_lambda, OWN(spacing), NULL, "a length in angstrom",
     "of the cells of the grid, in angstrom, below 1.3. The grid has room for all shifts at which "
     "the molecules touch; default: 0.7",
     true},
    {NULL, "electrostatics", NULL, NULL, OWN(electrostatics), NULL, NULL,
     "count only poses in which the charges of both molecules attract each other: those of the "
     "backbone, and of ARG, ASP, GLU and LYS, by the names in the files. Takes twice as long",
     false},
    {NULL, "poses", "N", app_value_unsigned, OWN(poses), NULL, "a whole number from 1",
     "the best poses to keep, at most 3 of each rotation; default: 10", false},
    {NULL, "out", "FILE", app_value_text, OWN(out), NULL, "FILE",
     "write the poses as CSV: rank, angles of the rotation, shift in cells and in angstrom, score, "
     "and with --electrostatics the energy",
     true},
    {"Task graph", "tile", "T", app_value_unsigned, FIELD(tile), NULL, "a whole number from 1",
     "rotations a batch; default: 8", false},
    APP_PRIORITY_ROW,
    APP_WORK_ROWS,
    {.name = NULL}};

static const app_command_text dock_text = {
    .name = "dock",
    .rows = rows,
    .intro =
        "Usage: psg dock --static FILE --mobile FILE [OPTION]...\n"
        "\n"
        "Find how two molecules fit each other, both rigid. The mobile one is turned into all\n"
        "rotations, and a correlation by FFT scores all shifts of each: cells of it on the\n"
        "surface of the static molecule count 1, and those in its core -15. The scores of the\n"
        "poses, and their energies, are always checked by sums over cells and atoms.\n"
        "Several processes, started by mpirun, share the rotations.\n",
    .end = "Examples:\n"
           "  psg dock --static trypsin.pdb --mobile inhibitor.pdb --out poses.csv\n"
           "         4656 rotations, 15 degrees apart, and the 10 best poses\n"
           "  psg dock --static A.pdb --mobile B.pdb --angle 30 --spacing 1 --cpus 2\n"
           "         a quick look\n"
           "\n"
           "Exit status:\n"
           "  0      done, and the scores were right\n"
           "  1      failed, or a score was wrong\n"
           "  2      the command line, or a file that it names, has to be changed\n"};

/* --------------------------------------------------------------------------- the molecules */

/* The atoms of a file of the Protein Data Bank. */
typedef struct molecule {
    double *at;     /* [atoms][3], in angstrom */
    double *charge; /* [atoms], in elementary charges, by the names of atoms and residues */
    size_t atoms;
    double mean[3]; /* of them */
} molecule;

enum { FIRST = 30, WIDTH = 8, POINT = 4, END = FIRST + 3 * WIDTH }; /* bytes of x, y and z */
enum { NAME = 12, ALTERNATE = 16, RESIDUE = 17, CHAIN = 21 };       /* where others begin */

/* Charges of a protein's atoms in water. The name NH* is that of all which begin with NH. The first
 * row that fits counts. */
static const struct charge_row {
    const char *residue, *name; /* NULL: of any residue */
    double charge;
} charges[] = {{"PRO", "N", -.1},   {NULL, "N", .55},    {NULL, "O", -.55}, {"ARG", "NH*", .5},
               {"ASP", "OD*", -.5}, {"GLU", "OE*", -.5}, {"LYS", "NZ", 1}};
/* Its first N and its last O are ions. */
static const double first_of_chain = 1, last_of_chain = -1;

/* A chain while it is read. */
typedef struct chain {
    char name;
    bool begun;  /* it has an N */
    bool ends;   /* it has an O */
    size_t last; /* the latest O */
} chain;

static bool begins(const char *line, const char *record) {
    return strncmp(line, record, strlen(record)) == 0;
}

/* Three numbers with three decimals, as columns that are shifted would not have. */
static bool read_place(const char *line, double at[3]) {
    bool good = strlen(line) >= END;
    for (size_t d = 0; d < 3 && good; d++) {
        char text[WIDTH + 1] = "", *end = text;
        memcpy(text, line + FIRST + d * WIDTH, WIDTH);
        at[d] = strtod(text, &end);
        good = strspn(text, " +-.0123456789") == WIDTH && text[POINT] == '.' && *end == '\0';
    }
    return good;
}

/* Is this the text in some columns, without blanks around it? */
static bool named(const char *columns, size_t width, const char *name) {
    while (width > 0 && columns[0] == ' ') {
        columns++;
        width--;
    }
    while (width > 0 && columns[width - 1] == ' ') {
        width--;
    }
    const size_t length = strcspn(name, "*");
    return (name[length] == '*' ? width >= length : width == length) &&
           strncmp(columns, name, length) == 0;
}

static double charge_of(const char *line) {
    for (size_t m = 0; m < sizeof charges / sizeof *charges; m++) {
        const struct charge_row *row = &charges[m];
        if ((row->residue == NULL || named(line + RESIDUE, 3, row->residue)) &&
            named(line + NAME, 4, row->name)) {
            return row->charge;
        }
    }
    return 0;
}

static void end_chain(molecule *to, chain *c) {
    if (c->ends) {
        to->charge[c->last] = last_of_chain;
    }
    *c = (chain){.name = c->name};
}

/* The charge of the atom that comes next. */
static void read_charge(molecule *to, const char *line, chain *c) {
    if (line[CHAIN] != c->name) {
        end_chain(to, c);
        c->name = line[CHAIN];
    }
    const bool counts = line[ALTERNATE] == ' ' || line[ALTERNATE] == 'A';
    double charge = counts ? charge_of(line) : 0;
    if (counts && named(line + NAME, 4, "N")) {
        charge = c->begun ? charge : first_of_chain;
        c->begun = true;
    }
    if (counts && named(line + NAME, 4, "O")) {
        c->ends = true;
        c->last = to->atoms;
    }
    to->charge[to->atoms] = charge;
}

/* Room for one more, twice as much at every power of two. */
static bool grow(molecule *to) {
    if ((to->atoms & (to->atoms - 1)) == 0) {
        const size_t room = to->atoms > 0 ? 2 * to->atoms : 1;
        double *at = realloc(to->at, room * 3 * sizeof *at);
        if (at == NULL) {
            return false;
        }
        to->at = at;
        double *charge = realloc(to->charge, room * sizeof *charge);
        if (charge == NULL) {
            return false;
        }
        to->charge = charge;
    }
    return true;
}

/* @param[in,out] line  the buffer of getline() */
static int read_records(molecule *to, FILE *file, const char *path, char **line, bool *more) {
    size_t size = 0, number = 0;
    bool ended = false;
    chain now = {0};
    while (!*more && getline(line, &size, file) >= 0) {
        number++;
        *more = ended && begins(*line, "ATOM");
        ended = ended || begins(*line, "ENDMDL");
        if (begins(*line, "TER")) {
            end_chain(to, &now);
        }
        if (ended || !begins(*line, "ATOM")) {
            continue;
        }
        if (!grow(to)) {
            return app_error(APP_FAILED, "out of memory: %s", path);
        }
        if (!read_place(*line, &to->at[3 * to->atoms])) {
            return app_error(
                APP_USAGE,
                "%s:%zu: columns 31 to 54 of a record ATOM have to be x, y and z, eight "
                "columns each, with three decimals",
                path, number);
        }
        read_charge(to, *line, &now);
        to->atoms++;
    }
    end_chain(to, &now);
    return ferror(file) ? app_error(APP_USAGE, "%s: %s", path, strerror(errno)) : APP_DONE;
}

/* The atoms of all records ATOM of the first model: names in columns 13 to 22, places in columns 31
 * to 54. A note says where there are more models. Where an atom has alternate places, the first of
 * them, A, has its charge.
 * @return APP_DONE; an exit code after a message: no such file, no atoms, a line that is wrong */
static int read_pdb(molecule *to, const char *path, app_notes *notes) {
    char *line = NULL;
    bool more = false;
    const char *why = NULL;
    FILE *file = base_fopen_regular(path, &why);
    if (file == NULL) {
        return app_error(APP_USAGE, "%s: %s", path, why);
    }
    int code = read_records(to, file, path, &line, &more);
    free(line);
    (void)fclose(file);
    if (!code && to->atoms == 0) {
        code = app_error(APP_USAGE, "%s: there are no atoms: no line begins with ATOM", path);
    }
    if (!code && more) {
        app_note(notes, "%s: the first of several models is used", path);
    }
    for (size_t m = 0; m < 3 * to->atoms; m++) {
        to->mean[m % 3] += to->at[m] / (double)to->atoms;
    }
    return code;
}

static void free_pdb(molecule *to) {
    free(to->at);
    free(to->charge);
}

/* ------------------------------------------------------------------------------------- the run */

typedef struct dock_job {
    app_work_job job;
    dock_arguments arguments;
    molecule molecule[2];
    dock_pose *pose; /* [arguments.poses] */
} dock_job;

static int create(app_work_job *r, const workload_options *how, const psg_options *options) {
    dock_job *d = r->own;
    const dock_arguments *a = &d->arguments;
    const bool charged = a->electrostatics;
    const dock_molecules molecules = {.fixed = d->molecule[0].at,
                                      .mobile = d->molecule[1].at,
                                      .fixed_charges = charged ? d->molecule[0].charge : NULL,
                                      .mobile_charges = charged ? d->molecule[1].charge : NULL,
                                      .fixed_atoms = d->molecule[0].atoms,
                                      .mobile_atoms = d->molecule[1].atoms,
                                      .angle = a->angle,
                                      .spacing = a->spacing,
                                      .poses = a->poses};
    const int code = app_work_status(dock_create(&r->work, &molecules, how, options));
    d->pose = code ? NULL : app_allocate(a->poses, sizeof *d->pose, "the poses");
    return code || d->pose != NULL ? code : APP_FAILED;
}

/* @return how many there are */
static size_t get_poses(const app_work_job *r) {
    const dock_job *d = r->own;
    size_t count = 0;
    (void)dock_poses(r->work, d->pose, d->arguments.poses, &count);
    return count;
}

/* Of a pose: with its energy, if there is one. */
static void end_line(const dock_job *d, FILE *file, const char *separator, int digits,
                     double energy) {
    if (d->arguments.electrostatics) {
        fprintf(file, "%s%.*g", separator, digits, energy);
    }
    fputs("\n", file);
}

static void print(const app_work_job *r) {
    static const char *const roles[] = {"static", "mobile"};
    const dock_job *d = r->own;
    const size_t count = get_poses(r);
    for (int m = 0; m < 2; m++) {
        const molecule *p = &d->molecule[m];
        app_say("%s    %s: %zu atoms around %.3f %.3f %.3f\n", roles[m], d->arguments.file[m],
                p->atoms, p->mean[0], p->mean[1], p->mean[2]);
    }
    printf("poses     rank  twist  theta    phi  shift in angstrom           score%s\n",
           d->arguments.electrostatics ? "  energy" : "");
    for (size_t m = 0; m < count; m++) {
        const dock_pose *p = &d->pose[m];
        printf("         %5zu  %5u  %5u  %5u  %8.3f %8.3f %8.3f %6ld", m + 1, p->twist, p->theta,
               p->phi, p->at[0], p->at[1], p->at[2], p->score);
        end_line(d, stdout, "  ", 4, p->energy);
    }
}

static void report(const app_work_job *r, json_t *root) {
    static const char *const roles[] = {"static", "mobile"};
    const dock_job *d = r->own;
    const size_t count = get_poses(r);
    json_t *poses = json_array();
    for (int m = 0; m < 2; m++) {
        const molecule *p = &d->molecule[m];
        app_json_put(root, roles[m],
                     json_pack("{ss sI s[fff]}", "file", d->arguments.file[m], "atoms",
                               (json_int_t)p->atoms, "mean", p->mean[0], p->mean[1], p->mean[2]));
    }
    app_json_put_size(root, "angle", d->arguments.angle);
    app_json_put_real(root, "spacing", d->arguments.spacing);
    app_json_put(root, "electrostatics", json_boolean(d->arguments.electrostatics));
    for (size_t m = 0; m < count; m++) {
        const dock_pose *p = &d->pose[m];
        json_t *pose = json_pack("{si si si s[iii] s[fff] sI}", "twist", (int)p->twist, "theta",
                                 (int)p->theta, "phi", (int)p->phi, "cells", (int)p->shift[0],
                                 (int)p->shift[1], (int)p->shift[2], "shift", p->at[0], p->at[1],
                                 p->at[2], "score", (json_int_t)p->score);
        if (d->arguments.electrostatics) {
            app_json_put_real(pose, "energy", p->energy);
        }
        (void)json_array_append_new(poses, pose);
    }
    app_json_put(root, "poses", poses);
}

/* app_output_kind knows how it begins. */
static int write_poses(const app_work_job *r, const char *path, const char *shown) {
    const dock_job *d = r->own;
    const size_t count = get_poses(r);
    FILE *file = fopen(path, "w");
    if (file != NULL) {
        fprintf(file, "rank,twist,theta,phi,cells_x,cells_y,cells_z,x,y,z,score%s\n",
                d->arguments.electrostatics ? ",energy" : "");
        for (size_t m = 0; m < count; m++) {
            const dock_pose *p = &d->pose[m];
            fprintf(file, "%zu,%u,%u,%u,%ld,%ld,%ld,%.6g,%.6g,%.6g,%ld", m + 1, p->twist, p->theta,
                    p->phi, p->shift[0], p->shift[1], p->shift[2], p->at[0], p->at[1], p->at[2],
                    p->score);
            end_line(d, file, ",", 6, p->energy);
        }
    }
    return app_output_close(file, shown);
}

static const app_work_command dock_command = {.name = "dock",
                                              .create = create,
                                              .print = print,
                                              .report = report,
                                              .write = write_poses,
                                              .kind = APP_OUTPUT_POSES,
                                              .parts = "batches",
                                              .part_tasks = 4};

static int read_arguments(int argc, char **argv, dock_arguments *a) {
    app_work_arguments_init(&a->work);
    a->angle = 15;
    a->spacing = 0.7;
    a->poses = 10;
    const int code = app_arguments_parse(&dock_text, argc, argv, a);
    if (code) {
        return code;
    }
    if (a->file[0] == NULL || a->file[1] == NULL) {
        return app_error(APP_USAGE, "say what to dock: psg dock --static FILE --mobile FILE");
    }
    return app_work_arguments_check(&a->work);
}

static int read_molecules(dock_job *d) {
    int code = APP_DONE;
    for (int m = 0; m < 2 && !code; m++) {
        code = read_pdb(&d->molecule[m], d->arguments.file[m], &d->job.notes);
    }
    return code;
}

int app_dock(int argc, char **argv) {
    dock_job d = {.job = {.command = &dock_command, .workload = "dock"}};
    const dock_arguments *a = &d.arguments;
    d.job.arguments = &a->work;
    d.job.own = &d;
    int code = app_ranks_agree(read_arguments(argc, argv, &d.arguments));
    if (!code) {
        d.job.out = a->out;
        d.job.in[0] = (app_named_file){"--static", a->file[0], true, NULL};
        d.job.in[1] = (app_named_file){"--mobile", a->file[1], true, NULL};
        d.job.notes.quiet = a->work.quiet || app_rank() > 0;
        code = app_ranks_agree(read_molecules(&d));
    }
    if (!code) {
        code = app_work_perform(&d.job);
    }
    free_pdb(&d.molecule[0]);
    free_pdb(&d.molecule[1]);
    free(d.pose);
    return code == APP_HELPED ? APP_DONE : code;
}
