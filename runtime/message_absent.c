/* The library without MPI: no run has messages. */
#include "runtime/message.h"

struct psg_travel *psg_travels_create(size_t messages) {
    (void)messages;
    return NULL;
}

struct psg_gathering *psg_gatherings_create(void) {
    return NULL;
}

size_t psg_message_give_up(psg_run *run) {
    (void)run;
    return 0;
}

void psg_message_expect(psg_run *run, int rank, psg_way way, size_t sends) {
    (void)run;
    (void)rank;
    (void)way;
    (void)sends;
}

void psg_message_send(psg_run *run, starpu_data_handle_t block, const psg_message *message) {
    (void)run;
    (void)block;
    (void)message;
}

void psg_message_receive(psg_run *run, starpu_data_handle_t block, const psg_message *message) {
    psg_message_send(run, block, message);
}

void psg_message_alltoall(psg_run *run, const psg_alltoall *alltoall, const psg_label *label,
                          psg_way way, const psg_alltoall_data *from, const psg_alltoall_data *to) {
    (void)run;
    (void)alltoall;
    (void)label;
    (void)way;
    (void)from;
    (void)to;
}
