#include "codelets/sides.h"

psg_cpu_sides psg_sides_at(const psg_context *c, const psg_sides *s, size_t z, size_t planes) {
    const size_t *n = c->layout.n;
    const size_t bytes = c->cpu->real_bytes;
    psg_cpu_sides at = {
        .z = {z == 0 ? s->table[2][0] : NULL, z + planes == n[2] ? s->table[2][1] : NULL}};
    for (int side = 0; side < 2; side++) {
        const char *x = s->table[0][side];
        const char *y = s->table[1][side];
        at.x[side] = x != NULL ? x + (z - s->z0) * n[1] * bytes : NULL;
        at.y[side] = y != NULL ? y + (z - s->z0) * n[0] * bytes : NULL;
    }
    return at;
}

const void *psg_sides_plane(const psg_task_args *args, size_t k, const void *f, size_t *row_pitch) {
    const psg_context *c = psg_context_of(args->run);
    const psg_sides *s = &psg_terms_of(args->run)->sides;
    if (!psg_sides_any(s)) {
        return f;
    }
    const size_t z = c->layout.segments.part[psg_segment_of(args)].box.lo[2] + k;
    const psg_cpu_sides plane = psg_sides_at(c, s, z, 1);
    void *copy = (char *)psg_task_scratch(args) + c->sides_scratch;
    c->cpu->add_sides(f, *row_pitch, c->layout.n, &plane, copy);
    *row_pitch = c->layout.n[0];
    return copy;
}
