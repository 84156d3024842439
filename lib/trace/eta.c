/*
 * eta.c - see eta.h. Both policies are the virtual one of weir/training.h, so that they drain alike.
 */
#include "lib/trace/eta.h"

#include <stdlib.h>

#include "lib/trace/file.h"
#include "weir/training.h"

#define ROWS_MAX (UINT32_C(1) << 22) /* that wait for one before them */
#define MEMORY_MAX ((size_t)1 << 29) /* of one MMU: a header that asks for more is damaged or hostile */

/* A policy that serves arrivals. */
struct server {
    void *memory;
    struct weir_training *training;
    uint64_t sent;
};

struct servers {
    struct trace_input input;
    struct weir_record record;
    void *memory;         /* of the MMU */
    struct weir_mmu *mmu; /* shows how large everything is, and nothing else */
    struct server lqd, follow;
};

static void take_all(struct server *server)
{
    struct weir_training_row row;
    while (weir_training_take(server->training, &row))
        server->sent += !row.lost;
}

static void finish(struct server *server)
{
    weir_training_finish(server->training);
    take_all(server);
}

static bool serve(struct servers *servers, struct server *server, struct weir_error *error)
{
    weir_training_arrive(server->training, weir_mmu_view(servers->mmu), &servers->record.packet, servers->record.now);
    take_all(server);
    return weir_training_missed(server->training) == 0 ||
           weir_fail(error, WEIR_ERROR_RANGE, "too many packets wait at once");
}

static bool start(struct server *server, const struct weir_training_config *config, struct weir_error *error)
{
    size_t size = weir_training_size(config);
    server->memory = size <= MEMORY_MAX ? aligned_alloc(64, size) : NULL;
    if (server->memory == NULL)
        return size <= MEMORY_MAX ? weir_fail_memory(error)
                                  : weir_fail(error, WEIR_ERROR_RANGE, "its MMU is too large to serve it again");
    server->training = weir_training_init(server->memory, config);
    return true;
}

/* How many rows may wait for one before them, and whether the host sends before the arrivals of the same moment, as
 * replay finds out. */
static bool survey(struct servers *servers, struct weir_training_config *config, struct weir_error *error)
{
    enum weir_trace_status status;
    weir_ps last_sent = WEIR_NEVER;
    uint64_t arrivals = 0;
    while ((status = trace_input_next(&servers->input, &servers->record, error)) == WEIR_TRACE_RECORD) {
        if (servers->record.kind == WEIR_REC_DEPART)
            last_sent = servers->record.now;
        if (servers->record.kind != WEIR_REC_ARRIVE)
            continue;
        config->departures_first = config->departures_first || servers->record.now == last_sent;
        arrivals++;
    }
    config->rows_max = arrivals < ROWS_MAX ? (uint32_t)arrivals : ROWS_MAX;
    if (config->rows_max < config->mmu->packets_max)
        config->rows_max = config->mmu->packets_max;
    return status != WEIR_TRACE_BROKEN && trace_input_rewind(&servers->input, error);
}

static bool prepare(struct servers *servers, const struct trace_predictions *predictions, struct weir_error *error)
{
    const struct weir_mmu_config *mmu = &servers->input.reader.config;
    struct weir_mmu_config shown = *mmu;
    struct weir_training_config config = {.mmu = mmu, .tail = true, .gap_bytes = predictions->gap_bytes};
    shown.egress = weir_policy_find("cs"); /* it needs neither oracle nor values */
    shown.egress_values = NULL;
    shown.oracle = NULL;
    config.average_ps = 1; /* the features are not read */
    if (!survey(servers, &config, error))
        return false;
    if (weir_mmu_size(&shown) > MEMORY_MAX)
        return weir_fail(error, WEIR_ERROR_RANGE, "its MMU is too large to serve it again");
    servers->memory = aligned_alloc(64, weir_mmu_size(&shown));
    if (servers->memory == NULL)
        return weir_fail_memory(error);
    servers->mmu = weir_mmu_init(servers->memory, &shown);
    if (!start(&servers->lqd, &config, error))
        return false;
    config.policy = weir_policy_find("followlqd");
    return start(&servers->follow, &config, error);
}

static bool serve_all(struct servers *servers, const struct trace_predictions *predictions, struct weir_error *error)
{
    enum weir_trace_status status;
    uint64_t row = 0;
    while ((status = trace_input_next(&servers->input, &servers->record, error)) == WEIR_TRACE_RECORD) {
        /* Only lossy arrivals at ports and classes that there are have rows. */
        const struct weir_mmu_config *config = &servers->input.reader.config;
        const struct weir_packet *packet = &servers->record.packet;
        if (!(servers->record.kind == WEIR_REC_ARRIVE && packet->output.i < config->ports &&
              packet->tc.i < config->classes && !(config->lossless_mask >> packet->tc.i & 1)))
            continue;
        if (row == predictions->rows)
            return weir_fail(error, WEIR_ERROR_INPUT, "some of its arrivals have no row");
        bool lost = predictions->lost(predictions->context, row++);
        if (!serve(servers, &servers->lqd, error) || (!lost && !serve(servers, &servers->follow, error)))
            return false;
    }
    return status != WEIR_TRACE_BROKEN;
}

bool trace_eta_add(const char *path, const struct trace_predictions *predictions, struct trace_eta *eta,
                   struct weir_error *error)
{
    struct servers *servers = calloc(1, sizeof *servers);
    if (servers == NULL)
        return weir_fail_memory(error);
    bool opened = trace_input_open(&servers->input, path, error);
    bool served = opened && prepare(servers, predictions, error) && serve_all(servers, predictions, error);
    if (served) {
        finish(&servers->lqd);
        finish(&servers->follow);
        eta->lqd += servers->lqd.sent;
        eta->follow += servers->follow.sent;
    }
    if (opened)
        trace_input_close(&servers->input);
    free(servers->lqd.memory);
    free(servers->follow.memory);
    free(servers->memory);
    free(servers);
    return served || weir_fail_at(error, path, 0, 0);
}
