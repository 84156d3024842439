/*
 * fabric.c - one run over all ranks of an MPI job (ranks.h): each simulates a part of the network
 * (sim/parallel/ranks.h), and rank 0 stores and shows the results. Letters between them are batches of the cluster.
 *
 * First all say what they are going to run, and by which code: a rank that would make another run ends the job. A rank
 * that cannot go on tells rank 0 why, in a letter, and ends; rank 0 then reports that and ends, which ends the others.
 */
#define _GNU_SOURCE 1
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "lab/spread/guard.h"
#include "lab/spread/ranks.h"

struct fabric {
    struct run_ranks *ranks;
    struct sim_ranks sim;
    struct cluster_batch *out, *in; /* [size] */
};

/* What is found when a batch was expected. */
static bool explain(struct fabric *fabric, enum cluster_event event, struct cluster_news *news,
                    struct weir_error *error)
{
    switch (event) {
    case CLUSTER_MESSAGE:
        run_ranks_explain(news, error);
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
    enum cluster_event event = cluster_exchange(run_ranks_cluster(fabric->ranks), fabric->out, fabric->in, &news);
    if (event != CLUSTER_BATCH)
        return explain(fabric, event, &news, error);
    unwrap(fabric, in);
    return true;
}

static bool is_near(void *context)
{
    const struct fabric *fabric = context;
    return cluster_is_near(run_ranks_cluster(fabric->ranks));
}

static bool post(void *context, const struct sim_letter *out, struct weir_error *error)
{
    struct fabric *fabric = context;
    if (!wrap(fabric, out, error))
        return false;
    return cluster_post(run_ranks_cluster(fabric->ranks), fabric->out) || weir_fail_memory(error);
}

static bool fetch(void *context, struct sim_letter *in, struct weir_error *error)
{
    struct fabric *fabric = context;
    struct cluster_news news = {.bytes = NULL};
    enum cluster_event event = cluster_fetch(run_ranks_cluster(fabric->ranks), fabric->in, &news);
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

void run_fabric_free(struct fabric *fabric)
{
    if (fabric == NULL)
        return;
    free(fabric->out);
    free(fabric->in);
    free(fabric);
}

struct fabric *run_fabric_begin(struct run_ranks *ranks, const struct run_plan *plan, uint32_t run,
                                struct weir_error *error)
{
    struct fabric *fabric = calloc(1, sizeof *fabric);
    const struct cluster_job *job = &run_ranks_cluster(ranks)->job;
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
    if (fabric->out != NULL && fabric->in != NULL && compare(fabric, run_ranks_digest(plan, run), error))
        return fabric;
    run_fabric_free(fabric);
    return NULL;
}

const struct sim_ranks *run_fabric_ranks(const struct fabric *fabric)
{
    return &fabric->sim;
}

/* Nobody leaves before all have what they need: who leaves is lost. */
bool run_fabric_end(struct fabric *fabric, struct weir_error *error)
{
    struct sim_letter *in = calloc(fabric->sim.count, sizeof *in);
    bool good = in != NULL ? tell_all(fabric, "", 0, in, error) : weir_fail_memory(error);
    free(in);
    return good;
}

/* Rank 0 may still be waiting for the letter of another rank: who leaves before rank 0 has it would seem lost. */
static void await_end(struct run_ranks *ranks)
{
    struct cluster *cluster = run_ranks_cluster(ranks);
    struct cluster_news news = {.bytes = NULL};
    enum cluster_event event;
    while ((event = cluster_receive(cluster, &news)) != CLUSTER_CLOSED && event != CLUSTER_NO_MEMORY &&
           run_ranks_are_alive(ranks)) {
        struct pollfd link = {.fd = cluster->link, .events = POLLIN};
        if (event == CLUSTER_NOTHING)
            poll(&link, 1, 1000);
        else
            free(news.bytes);
        news.bytes = NULL;
    }
}

/* The part of a rank other than 0. */
static bool serve(struct fabric *fabric, const struct run_choice *choice, struct scenario *scenario,
                  struct weir_error *error)
{
    scenario->config.ranks = &fabric->sim;
    if (choice->profile)
        run_profile_ask(scenario);
    struct sim *sim = scenario_create(scenario, error);
    if (sim == NULL)
        return false;
    enum sim_status status = sim_run(sim, NULL, NULL);
    bool good = status == SIM_DONE || status == SIM_RUNNING; /* that: rank 0 has stopped it */
    if (status == SIM_OUT_OF_MEMORY)
        weir_fail_memory(error);
    else if (!good)
        *error = *sim_error(sim);
    sim_free(sim);
    if (!good || !run_fabric_end(fabric, error))
        return false;
    await_end(fabric->ranks);
    return true;
}

int run_fabric_serve(struct run_ranks *ranks, const struct run_choice *choice, const struct run_plan *plan)
{
    struct run_limits limits = plan->experiment.limits;
    uint32_t run = plan->todo[0];
    struct scenario scenario;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    bool interrupted = false;
    signal(SIGINT, SIG_IGN); /* rank 0 stops all */
    if (!run_plan_scenario(plan, run, &scenario, &error)) {
        cli_report(&error);
        run_ranks_tell_unfit(ranks);
        return CLI_OK;
    }
    limits.time_ps = 0; /* rank 0 looks at the clock, and has the words for it */
    guard_start(&limits, run_ranks_here(ranks), GUARD_STDERR);
    int code = scenario_is_foreseen(&scenario) ? run_foresee(&scenario, 0, true, &interrupted) : CLI_OK;
    struct fabric *fabric = code == CLI_OK ? run_fabric_begin(ranks, plan, run, &error) : NULL;
    if (code == CLI_OK && (fabric == NULL || !serve(fabric, choice, &scenario, &error)))
        code = cli_report(&error);
    guard_stop();
    if (code != CLI_OK)
        run_ranks_tell_unfit(ranks);
    run_fabric_free(fabric);
    scenario_free(&scenario);
    return CLI_OK; /* rank 0 says whether the job has failed */
}
