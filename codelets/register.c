/* All kinds of task that the library has, registered in the order of their numbers. */
#include "codelets/kinds.h"

/* Before anything else of the library can run, so that they are the first. */
__attribute__((constructor)) static void register_kinds(void) {
#define TASK(number, name, ...) (void)psg_kind_register(&psg_##name##_kind);
#define OTHER(number, name) (void)psg_kind_register(&psg_##name##_kind);
#include "codelets/kinds.def"
}
