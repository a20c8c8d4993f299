#include "codelets/sides.h"

static const void *behind(const void *table, size_t bytes) {
    return table != NULL ? (const char *)table + bytes : NULL;
}

psg_cpu_sides psg_sides_at(const psg_context *c, const psg_sides *s, size_t m, size_t z,
                           size_t planes) {
    const size_t *n = c->layout.n;
    const size_t bytes = c->cpu->real_bytes;
    psg_cpu_sides at = {.z = {NULL, NULL}};
    for (int side = 0; side < 2; side++) {
        const bool next = side == 0 ? z == 0 : z + planes == n[2];
        at.x[side] = behind(s->table[0][side], m * s->step + (z - s->z0) * n[1] * bytes);
        at.y[side] = behind(s->table[1][side], m * s->step + (z - s->z0) * n[0] * bytes);
        at.z[side] = next ? behind(s->table[2][side], m * s->step) : NULL;
    }
    return at;
}

const void *psg_sides_plane(const psg_task_args *args, size_t m, size_t z, const void *f,
                            size_t *row_pitch) {
    const psg_context *c = psg_context_of(args->run);
    const psg_sides *s = &psg_terms_of(args->run)->sides;
    if (!psg_sides_any(s)) {
        return f;
    }
    const psg_cpu_sides plane = psg_sides_at(c, s, m, z, 1);
    void *copy = psg_task_plane(args, 0);
    c->cpu->add_sides(f, *row_pitch, c->layout.n, &plane, copy);
    *row_pitch = c->layout.n[0];
    return copy;
}
