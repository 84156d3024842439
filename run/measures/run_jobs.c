/*
 * run_jobs.c - what became of jobs, tag by tag: their times, round by round, and how much of it ranks spent without
 * computing.
 */
#include <stdlib.h>

#include "run/measures/run_result.h"

/* When the last rank ended a round, WEIR_NEVER: not all did. */
static weir_ps round_end(const struct job *job, uint32_t round)
{
    const uint32_t ranks = job_goal(job)->ranks;
    const weir_ps *ends = job_round_ends(job) + (size_t)round * ranks;
    weir_ps last = 0;
    for (uint32_t r = 0; r < ranks; r++)
        last = ends[r] > last ? ends[r] : last;
    return last;
}

static void add_ranks(struct run_jobs *out, const struct job *job, weir_ps now)
{
    const struct job_outcome *outcome = job_outcomes(job);
    const uint32_t ranks = job_goal(job)->ranks, rounds = job_settings(job)->rounds;
    for (uint32_t r = 0; r < ranks; r++) {
        bool ended = outcome[r].rounds == rounds;
        weir_ps took = (ended ? outcome[r].last_ps : now) - outcome[r].begun_ps;
        out->unfinished += !ended;
        out->operations +=
            (uint64_t)outcome[r].rounds * job_goal(job)->rank[r].op_count + (ended ? 0 : outcome[r].ended);
        out->exposed_ps += (double)(took - outcome[r].busy_ps);
        out->busy_ps += (double)outcome[r].busy_ps;
        out->bytes += outcome[r].received_bytes;
    }
    out->ranks += ranks;
}

bool run_result_add_jobs(struct run_result *result)
{
    const struct sim_config *config = &result->scenario->config;
    for (uint32_t tag = 0; tag < config->tag_count; tag++) {
        struct run_jobs *out = &result->tags[tag].jobs;
        uint64_t rounds = 0;
        for (uint32_t i = 0; i < config->traffic_count; i++)
            rounds += config->traffic[i].job != NULL && config->traffic[i].tag == tag ? config->traffic[i].rounds : 0;
        double *times = rounds > 0 ? malloc(rounds * sizeof *times) : NULL;
        uint64_t count = 0;
        weir_ps begun = WEIR_NEVER, ended = 0;
        if (rounds > 0 && times == NULL)
            return false;
        for (uint32_t i = 0; rounds > 0 && i < config->traffic_count; i++) {
            const struct job *job = config->traffic[i].tag == tag ? sim_job(result->sim, i) : NULL;
            weir_ps before = config->traffic[i].from_ps;
            if (job == NULL)
                continue;
            begun = before < begun ? before : begun;
            add_ranks(out, job, result->totals.now);
            out->collective_bytes = config->traffic[i].job->collective_bytes;
            out->bus_factor = config->traffic[i].job->bus_factor;
            for (uint32_t round = 0; round < job_settings(job)->rounds; round++) {
                weir_ps end = round_end(job, round);
                ended = end > ended ? end : ended;
                if (end == WEIR_NEVER)
                    break;
                times[count++] = (double)(end - before);
                before = end;
            }
        }
        out->time_ps = ended != WEIR_NEVER ? ended - begun : WEIR_NEVER;
        if (rounds > 0)
            statistics_of(times, count, &out->iteration_ps);
        free(times);
    }
    return true;
}
