/*
 * run_path.h - the critical path of a job (sim/jobs/history.h) with what the network says of its messages: how long
 * they would have taken alone, what they lost, and which flow control held them.
 */
#ifndef RUN_MEASURES_RUN_PATH_H
#define RUN_MEASURES_RUN_PATH_H

#include "run/measures/run_result.h"
#include "sim/waits.h"

#define RUN_PATH_WORST 5u
#define RUN_PATH_TEXT_MAX 320u

/* A message of the path that took longer than it would have alone. */
struct run_path_message {
    const struct path_step *step;
    const struct flow_record *flow; /* null: it stayed within its host */
    uint32_t to;                    /* rank */
    uint64_t bytes;
    weir_ps alone_ps, longer_ps;
    struct sim_pause pause; /* longest_ps 0: nothing on its way was paused */
};

struct run_path {
    const struct job *job;
    uint32_t traffic;
    struct history_path steps;
    weir_ps compute_ps, alone_ps, longer_ps, wait_ps; /* of which the path consists */
    struct run_path_message worst[RUN_PATH_WORST];    /* by what they took longer */
    uint32_t worst_count;
};

/* Of a job whose history was kept (sim_keep_jobs). False: out of memory. */
bool run_path_make(struct run_path *path, const struct run_result *result, uint32_t traffic);
void run_path_free(struct run_path *path);

/* "rank 12 (h3) waits for 1 MB of rank 11 (h2) ...", and the shares of the whole, a sentence each. */
void run_path_text(const struct run_path *path, const struct run_result *result, uint32_t worst,
                   char text[RUN_PATH_TEXT_MAX]);
void run_path_shares(const struct run_path *path, char text[RUN_PATH_TEXT_MAX]);

#endif
