/* A library that has no scheduling policy. */
int psg_no_policy(void);

int psg_no_policy(void) {
    return 0;
}
