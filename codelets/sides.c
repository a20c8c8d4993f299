#include "codelets/sides.h"

psg_cpu_sides psg_sides_of_plane(const psg_run *run, size_t segment, size_t k) {
    const psg_context *c = psg_context_of(run);
    const psg_sides *s = &psg_terms_of(run)->sides;
    const size_t *n = c->layout.n;
    const size_t z = c->layout.segments.part[segment].box.lo[2] + k;
    const size_t bytes = c->cpu->real_bytes;
    psg_cpu_sides plane = {
        .z = {z == 0 ? s->table[2][0] : NULL, z + 1 == n[2] ? s->table[2][1] : NULL}};
    for (int side = 0; side < 2; side++) {
        const char *x = s->table[0][side];
        const char *y = s->table[1][side];
        plane.x[side] = x != NULL ? x + (z - s->z0) * n[1] * bytes : NULL;
        plane.y[side] = y != NULL ? y + (z - s->z0) * n[0] * bytes : NULL;
    }
    return plane;
}

const void *psg_sides_plane(const psg_task_args *args, size_t k, const void *f, size_t *row_pitch) {
    const psg_context *c = psg_context_of(args->run);
    if (!psg_sides_any(&psg_terms_of(args->run)->sides)) {
        return f;
    }
    const psg_cpu_sides plane = psg_sides_of_plane(args->run, psg_segment_of(args), k);
    void *copy = (char *)psg_task_scratch(args) + c->sides_scratch;
    c->cpu->add_sides(f, *row_pitch, c->layout.n, &plane, copy);
    *row_pitch = c->layout.n[0];
    return copy;
}
