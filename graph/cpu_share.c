/* What CPU cores take of a solve beside GPUs: the last of the planes, and of the rows. The blocks
 * of their rows are at home in main memory, and StarPU copies those that both need.
 *
 *                  GPUs' planes            cores' planes
 *   GPUs' rows     stay on the GPUs        to a GPU, and back
 *   cores' rows    from a GPU, and back    stay in main memory
 */
#include "graph/cpu_share.h"
#include "graph/options.h"
#include "graph/plan_struct.h"
#include "graph/status.h"

psg_status psg_cpu_share_make(psg_workers *w, const psg_plan *plan, size_t cpus) {
    const psg_options *o = &plan->problem.options;
    const bool both = w->gpu_count > 0 && cpus > 0;
    if (psg_options_want_cpu_share(o) && !both) {
        return psg_fail(PSG_ERR_NODEV,
                        "CPU cores and GPUs are to share the work, and there are %zu CPU workers "
                        "and %zu GPUs",
                        cpus, w->gpu_count);
    }
    w->anywhere = o->cpu_share == PSG_CPU_SHARE_FREE;
    if (w->gpu_count == 0 || w->anywhere) {
        w->cpu_share = 1; /* cut as for cores, which are the more */
    } else if (o->cpu_share > 0) {
        w->cpu_share = o->cpu_share;
    }
    w->cpu_count = w->cpu_share > 0 ? cpus : 0;
    return PSG_OK;
}
