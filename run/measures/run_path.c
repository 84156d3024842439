/*
 * run_path.c - see run_path.h.
 */
#include "run/measures/run_path.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Records are in the order of their ids once the run has ended. */
static const struct flow_record *find_flow(const struct records *records, uint32_t id)
{
    uint32_t low = 0, high = records->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (records->at[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return id != 0 && low < records->count && records->at[low].id == id ? &records->at[low] : NULL;
}

static void add_message(struct run_path *path, const struct run_result *result, const struct path_step *step)
{
    const struct goal *goal = job_goal(path->job);
    const struct goal_op send =
        goal_op(&goal->rank[step->rank], (uint32_t)(step->place - goal->rank[step->rank].first_place));
    struct run_path_message message = {.step = step, .to = send.peer, .bytes = send.size};
    weir_ps took = step->to_ps - step->from_ps;
    message.flow = find_flow(sim_records(result->sim), step->flow);
    message.alone_ps = message.flow != NULL && message.flow->ideal_ps < took ? message.flow->ideal_ps : took;
    message.longer_ps = took - message.alone_ps;
    path->alone_ps += message.alone_ps;
    path->longer_ps += message.longer_ps;
    if (message.longer_ps == 0)
        return;
    uint32_t at = path->worst_count < RUN_PATH_WORST ? path->worst_count++ : RUN_PATH_WORST;
    for (; at > 0 && path->worst[at - 1].longer_ps < message.longer_ps; at--)
        if (at < RUN_PATH_WORST)
            path->worst[at] = path->worst[at - 1];
    if (at < RUN_PATH_WORST)
        path->worst[at] = message;
}

bool run_path_make(struct run_path *path, const struct run_result *result, uint32_t traffic)
{
    *path = (struct run_path){.job = sim_job(result->sim, traffic), .traffic = traffic};
    const struct job_history *history = job_history(path->job);
    if (!history_path_of(history, job_settings(path->job), result->scenario->config.traffic[traffic].from_ps,
                         &path->steps))
        return false;
    for (uint64_t i = 0; i < path->steps.count; i++) {
        const struct path_step *step = &path->steps.at[i];
        if (step->what == PATH_MESSAGE)
            add_message(path, result, step);
        else
            *(step->what == PATH_COMPUTE ? &path->compute_ps : &path->wait_ps) += step->to_ps - step->from_ps;
    }
    for (uint32_t i = 0; i < path->worst_count; i++) {
        struct run_path_message *message = &path->worst[i];
        message->pause = (struct sim_pause){.from_ps = message->step->from_ps, .to_ps = message->step->to_ps};
        if (message->flow != NULL)
            sim_paused(result->sim, message->flow, &message->pause);
    }
    return true;
}

void run_path_free(struct run_path *path)
{
    free(path->steps.at);
    path->steps.at = NULL;
}

static double us(weir_ps time)
{
    return (double)time / (double)WEIR_PS_PER_US;
}

void run_path_text(const struct run_path *path, const struct run_result *result, uint32_t worst,
                   char text[RUN_PATH_TEXT_MAX])
{
    const struct run_path_message *message = &path->worst[worst];
    const struct topology *t = &result->scenario->topology;
    char to[16], from[16], sw[16], link[16];
    scenario_node_name(t, sim_job_host(result->sim, path->traffic, message->to), to);
    scenario_node_name(t, sim_job_host(result->sim, path->traffic, message->step->rank), from);
    int used =
        snprintf(text, RUN_PATH_TEXT_MAX,
                 "rank %" PRIu32 " (%s) waits for %" PRIu64 " bytes of rank %" PRIu32 " (%s): %.4g us, alone %.4g us",
                 message->to, to, message->bytes, message->step->rank, from, us(message->alone_ps + message->longer_ps),
                 us(message->alone_ps));
    if (message->pause.longest_ps > 0) {
        scenario_node_name(t, t->hosts + message->pause.sw, sw);
        scenario_node_name(t, message->pause.from, link);
        used += snprintf(text + used, RUN_PATH_TEXT_MAX - (size_t)used,
                         "; %.4g us behind PFC of %s on the link from %s", us(message->pause.longest_ps), sw, link);
    }
    if (message->flow != NULL && message->flow->lost + message->flow->timeouts > 0)
        snprintf(text + used, RUN_PATH_TEXT_MAX - (size_t)used, "; %" PRIu32 " packets lost, %" PRIu32 " timeouts",
                 message->flow->lost, message->flow->timeouts);
}

void run_path_shares(const struct run_path *path, char text[RUN_PATH_TEXT_MAX])
{
    weir_ps all = path->compute_ps + path->alone_ps + path->longer_ps + path->wait_ps;
    double per_cent = all > 0 ? 100 / (double)all : 0;
    snprintf(text, RUN_PATH_TEXT_MAX,
             "%" PRIu64 " steps, %.4g us: %.1f %% computing, %.1f %% messages as if alone, %.1f %% what these took "
             "longer, %.1f %% waiting for a cpu or a nic",
             path->steps.count, us(all), per_cent * (double)path->compute_ps, per_cent * (double)path->alone_ps,
             per_cent * (double)path->longer_ps, per_cent * (double)path->wait_ps);
}
