/*
 * naive_followlqd.c - FollowLQD for the naive model: LQD's lengths (naive_virtual.h) as thresholds.
 */
#include "naive_virtual.h"

static enum weir_reason followlqd_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    naive_virtual_arrive(n, arrival);
    return naive_over(naive_virtual_over(n, arrival));
}

const struct naive_policy naive_followlqd = {
    .name = "followlqd",
    .state_size = naive_virtual_size,
    .on_time = naive_virtual_on_time,
    .admit = followlqd_admit,
    .on_dequeue = naive_virtual_on_dequeue,
    .on_drop = naive_virtual_on_drop,
    .on_idle = naive_virtual_on_idle,
};
