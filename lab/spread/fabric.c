/*
 * fabric.c - one run over all ranks of an MPI job (ranks.h): each simulates a part of the network
 * (sim/parallel/ranks.h), and rank 0 stores and shows the results. Letters between them are batches of the cluster.
 *
 * First all say what they are going to run, and by which code: a rank that would make another run ends the job. A rank
 * that cannot go on tells rank 0 why, in a letter, and ends; rank 0 then reports that and ends, which ends the others.
 */
#define _GNU_SOURCE 1
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "lab/plan/guard.h"
#include "lab/spread/ranks.h"

struct fabric {
    struct spread_ranks *ranks;
    struct sim_ranks sim;
    struct cluster_batch *out, *in; /* [size] */
};

/* What is found when a batch was expected. */
static bool explain(struct fabric *fabric, enum cluster_event event, struct cluster_news *news,
                    struct weir_error *error)
{
    switch (event) {
    case CLUSTER_MESSAGE:
        spread_ranks_explain(news, error);
        free(news->bytes);
        break;
    case CLUSTER_LOST:
        weir_fail(error, WEIR_ERROR_SYSTEM,
                  "rank %u is lost, and with it its part of the network (the same command makes the run again)",
                  news->rank);
        break;
    case CLUSTER_NO_MEMORY:
        weir_fail_memory(error);
        break;
    case CLUSTER_NOTHING:
    case CLUSTER_BATCH:
    case CLUSTER_CLOSED:
        weir_fail(error, WEIR_ERROR_SYSTEM, "%s", fabric->sim.own > 0 ? "rank 0 has ended" : "MPI has ended");
        break;
    }
    return false;
}

/* Letters as batches. */
static bool wrap(struct fabric *fabric, const struct sim_letter *out, struct weir_error *error)
{
    for (uint32_t r = 0; r < fabric->sim.count; r++) {
        if (out[r].size > CLUSTER_BATCH_MAX)
            return weir_fail(error, WEIR_ERROR_SYSTEM, "more than 2 GB to send to rank %u at once", r);
        fabric->out[r] = (struct cluster_batch){.bytes = out[r].bytes, .size = out[r].size};
    }
    return true;
}

static void unwrap(const struct fabric *fabric, struct sim_letter *in)
{
    for (uint32_t r = 0; r < fabric->sim.count; r++)
        in[r] = (struct sim_letter){fabric->in[r].bytes, fabric->in[r].size};
}

static bool exchange(void *context, const struct sim_letter *out, struct sim_letter *in, struct weir_error *error)
{
    struct fabric *fabric = context;
    struct cluster_news news = {.bytes = NULL};
    if (!wrap(fabric, out, error))
        return false;
    enum cluster_event event = cluster_exchange(&fabric->ranks->cluster, fabric->out, fabric->in, &news);
    if (event != CLUSTER_BATCH)
        return explain(fabric, event, &news, error);
    unwrap(fabric, in);
    return true;
}

static bool is_near(void *context)
{
    const struct fabric *fabric = context;
    return cluster_is_near(&fabric->ranks->cluster);
}

static bool post(void *context, const struct sim_letter *out, struct weir_error *error)
{
    struct fabric *fabric = context;
    if (!wrap(fabric, out, error))
        return false;
    return cluster_post(&fabric->ranks->cluster, fabric->out) || weir_fail_memory(error);
}

static bool fetch(void *context, struct sim_letter *in, struct weir_error *error)
{
    struct fabric *fabric = context;
    struct cluster_news news = {.bytes = NULL};
    enum cluster_event event = cluster_fetch(&fabric->ranks->cluster, fabric->in, &news);
    if (event != CLUSTER_BATCH)
        return explain(fabric, event, &news, error);
    unwrap(fabric, in);
    return true;
}

/* The same bytes to all. */
static bool tell_all(struct fabric *fabric, const void *bytes, size_t size, struct sim_letter *in,
                     struct weir_error *error)
{
    struct sim_letter *out = calloc(fabric->sim.count, sizeof *out);
    if (out == NULL)
        return weir_fail_memory(error);
    for (uint32_t r = 0; r < fabric->sim.count; r++)
        out[r] = (struct sim_letter){bytes, size};
    bool good = exchange(fabric, out, in, error);
    free(out);
    return good;
}

/* Says what this rank is about to run. */
static bool compare(struct fabric *fabric, uint64_t digest, struct weir_error *error)
{
    struct sim_letter *in = calloc(fabric->sim.count, sizeof *in);
    bool good = in != NULL ? tell_all(fabric, &digest, sizeof digest, in, error) : weir_fail_memory(error);
    for (uint32_t r = 0; good && r < fabric->sim.count; r++)
        if (r != fabric->sim.own && (in[r].size != sizeof digest || memcmp(in[r].bytes, &digest, sizeof digest) != 0))
            good = weir_fail(error, WEIR_ERROR_SYSTEM,
                             "rank %u would make another run than rank %u, or is another weir (expected the same files "
                             "and the same program everywhere)",
                             r, fabric->sim.own);
    free(in);
    return good;
}

void spread_fabric_free(struct fabric *fabric)
{
    if (fabric == NULL)
        return;
    free(fabric->out);
    free(fabric->in);
    free(fabric);
}

struct fabric *spread_fabric_begin(struct spread_ranks *ranks, const struct plan *plan, uint32_t run,
                                   struct weir_error *error)
{
    struct fabric *fabric = calloc(1, sizeof *fabric);
    const struct cluster_job *job = &ranks->cluster.job;
    weir_fail_memory(error);
    if (fabric == NULL)
        return NULL;
    *fabric = (struct fabric){.ranks = ranks,
                              .sim = {.count = job->size,
                                      .own = job->rank,
                                      .context = fabric,
                                      .exchange = exchange,
                                      .is_near = is_near,
                                      .post = post,
                                      .fetch = fetch},
                              .out = calloc(job->size, sizeof *fabric->out),
                              .in = calloc(job->size, sizeof *fabric->in)};
    if (fabric->out != NULL && fabric->in != NULL && compare(fabric, spread_ranks_digest(plan, run), error))
        return fabric;
    spread_fabric_free(fabric);
    return NULL;
}

const struct sim_ranks *spread_fabric_ranks(const struct fabric *fabric)
{
    return &fabric->sim;
}

/* Nobody leaves before all have what they need: who leaves is lost. */
bool spread_fabric_end(struct fabric *fabric, struct weir_error *error)
{
    struct sim_letter *in = calloc(fabric->sim.count, sizeof *in);
    bool good = in != NULL ? tell_all(fabric, "", 0, in, error) : weir_fail_memory(error);
    free(in);
    return good;
}

/* The part of a rank other than 0. */
static bool serve(struct fabric *fabric, const struct spread_choice *choice, struct run *run)
{
    const struct run_options options = {.ranks = &fabric->sim,
                                        .profile_ns = choice->profile ? spread_profile_ns : NULL};
    run_ask(run, &options);
    enum run_end end = run_go(run, WEIR_NEVER);
    if ((end != RUN_DONE && end != RUN_PAUSED) /* that: rank 0 has stopped it */ ||
        !spread_fabric_end(fabric, &run->error))
        return false;
    /* Rank 0 may still be waiting for the letter of another rank: who leaves before rank 0 has it would seem lost. */
    struct cluster *cluster = &fabric->ranks->cluster;
    struct cluster_news news = {.bytes = NULL};
    enum cluster_event event;
    while ((event = cluster_receive(cluster, &news)) != CLUSTER_CLOSED && event != CLUSTER_NO_MEMORY &&
           cluster_is_alive(cluster)) {
        struct pollfd link = {.fd = cluster->link, .events = POLLIN};
        if (event == CLUSTER_NOTHING)
            poll(&link, 1, 1000);
        else
            free(news.bytes);
        news.bytes = NULL;
    }
    return true;
}

int spread_fabric_serve(struct spread_ranks *ranks, const struct spread_choice *choice, const struct plan *plan)
{
    const struct run_source source = plan_source(plan, plan->todo[0]);
    struct run_limits limits = plan->experiment.limits;
    struct run run;
    signal(SIGINT, SIG_IGN); /* rank 0 stops all */
    limits.time_ps = 0;      /* rank 0 looks at the clock, and has the words for it */
    guard_start(&limits, spread_ranks_here(ranks), GUARD_STDERR);
    bool good = run_open(&run, &source, NULL);
    struct fabric *fabric = good ? spread_fabric_begin(ranks, plan, plan->todo[0], &run.error) : NULL;
    if (fabric == NULL || !serve(fabric, choice, &run)) {
        cli_report(&run.error);
        spread_ranks_tell_unfit(ranks);
    }
    guard_stop();
    spread_fabric_free(fabric);
    run_close(&run);
    return CLI_OK; /* rank 0 says whether the job has failed */
}
