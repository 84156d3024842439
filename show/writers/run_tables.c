/*
 * run_tables.c - the result of `weir run` for a terminal: flows by tag and size, queries, packets, where packets were
 * lost, how full buffers got, and flow control in a few lines. Of places and MMUs only the largest: files and JSON
 * have all.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/output.h"
#include "lab/store/unfinished.h"
#include "run/measures/run_path.h"
#include "show/writers/run.h"
#include "show/writers/run_frames.h"
#include "show/writers/run_violations.h"
#include "show/writers/write.h"

#define WAITING_SHOWN 5u /* ranks of a job */

int run_tables_make(struct run_tables *tables, const struct run_result *result)
{
    struct run_numbers numbers;
    *tables = (struct run_tables){.count = 0};
    int code = run_numbers_make(&numbers, result) ? CLI_OK : cli_error_memory();
    for (uint32_t view = 0; view < RUN_VIEWS && code == CLI_OK; view++)
        if (run_has_view(result, &numbers, (enum run_view)view))
            tables->frame[tables->count++] = run_frame_view(result, &numbers, (enum run_view)view);
    run_numbers_free(&numbers);
    if (code == CLI_OK && result->losses.total > 0)
        tables->frame[tables->count++] = run_frame_losses(result, false);
    if (code == CLI_OK)
        tables->frame[tables->count++] = run_frame_memories(result, false);
    for (uint32_t i = 0; i < tables->count && code == CLI_OK; i++)
        code = data_frame_check(tables->frame[i]);
    return code;
}

static void put_pfc(const struct run_result *result)
{
    const struct pfc_summary *pfc = &result->pfc;
    if (!pfc->lossless)
        return;
    char all[32], hosts[32], switches[32];
    printf("\npaused for %s over ports and classes (hosts %s, switches %s):\n%" PRIu64 " pauses, %" PRIu64
           " resumes, %" PRIu64 " refreshes in %" PRIu64 " frames; whole ports %" PRIu64 " times\n",
           output_time((double)(pfc->held_hosts_ps + pfc->held_switches_ps), all),
           output_time((double)pfc->held_hosts_ps, hosts), output_time((double)pfc->held_switches_ps, switches),
           pfc->pauses, pfc->resumes, pfc->refreshes, pfc->frames, pfc->port_pauses);
    char size[32], reserved[32], buffer[32];
    printf("headroom %s per queue, %s of %s reserved (%.1f %%); most in use by a queue %.1f %%\n",
           output_size((double)pfc->headroom_bytes, size), output_size((double)pfc->reserved_bytes, reserved),
           output_size((double)pfc->buffer_bytes, buffer),
           100 * (double)pfc->reserved_bytes / (double)pfc->buffer_bytes, 100 * pfc->peak);
    printf("lossless packets lost: %" PRIu64, pfc->lost);
    if (pfc->lost > 0)
        printf("; term of the headroom that the first one is in: %s", run_loss_term(&pfc->first));
    putchar('\n');
    if (pfc->storms > 0)
        printf("watchdog: %" PRIu64 " storms, %" PRIu64 " packets lost to it\n", pfc->storms, result->lost.by_watchdog);
    const struct measure_deadlock *deadlock = &sim_measure(result->sim)->deadlock;
    char onset[32], ended[32], text[RUN_CYCLE_MAX];
    if (deadlock->found == 0)
        return;
    printf("deadlock from %s on, class %u, %u queues: %s", output_time((double)deadlock->onset_ps, onset), deadlock->tc,
           deadlock->queues, run_cycle_text(result, text));
    if (deadlock->ended_ps != WEIR_NEVER)
        printf("; seen to move again at %s", output_time((double)deadlock->ended_ps, ended));
    printf("\n");
    if (deadlock->found > 1)
        printf("deadlocks after that: %u\n", deadlock->found - 1);
}

/* Ranks that are not through, and what they wait for: the first few. */
static void put_waiting(const struct run_result *result, uint32_t traffic)
{
    const struct job *job = sim_job(result->sim, traffic);
    const struct goal *goal = job_goal(job);
    uint32_t shown = 0;
    for (uint32_t r = 0; r < goal->ranks && shown < WAITING_SHOWN; r++) {
        const struct job_outcome *outcome = &job_outcomes(job)[r];
        char what[120], host[16];
        if (outcome->rounds == job_settings(job)->rounds)
            continue;
        scenario_node_name(&result->scenario->topology, sim_job_host(result->sim, traffic, r), host);
        printf("  rank %" PRIu32 " on %s: round %" PRIu32 ", %" PRIu64 " of %" PRIu32 " operations", r, host,
               outcome->rounds, outcome->ended, goal->rank[r].op_count);
        if (outcome->first != GOAL_ANY) {
            struct goal_op op = goal_op(&goal->rank[r], outcome->first);
            goal_describe(&op, what, sizeof what);
            printf("; operation %" PRIu32 " waits: %s", outcome->first, what);
        }
        putchar('\n');
        shown++;
    }
}

/* What decided when the job ended. */
static void put_path(const struct run_result *result, uint32_t traffic)
{
    struct run_path path;
    char text[RUN_PATH_TEXT_MAX];
    if (!run_path_make(&path, result, traffic)) {
        printf("  critical path: no memory for it\n");
        return;
    }
    run_path_shares(&path, text);
    printf("  critical path: %s\n", text);
    for (uint32_t i = 0; i < path.worst_count; i++) {
        run_path_text(&path, result, i, text);
        printf("  %s\n", text);
    }
    run_path_free(&path);
}

/* The rank that ended most rounds last, of those that all ended; of equal ones the first. */
static void put_slowest(const struct run_result *result, uint32_t traffic)
{
    const struct job *job = sim_job(result->sim, traffic);
    const uint32_t ranks = job_goal(job)->ranks, rounds = job_settings(job)->rounds;
    const weir_ps *ends = job_round_ends(job);
    uint32_t *last = calloc(ranks, sizeof *last), slowest = 0, ended = 0;
    for (uint32_t round = 0; last != NULL && round < rounds; round++, ends += ranks) {
        uint32_t rank = 0;
        for (uint32_t r = 1; r < ranks; r++)
            rank = ends[r] > ends[rank] ? r : rank;
        if (ends[rank] == WEIR_NEVER)
            break;
        last[rank]++;
        ended++;
    }
    for (uint32_t r = 1; last != NULL && r < ranks; r++)
        slowest = last[r] > last[slowest] ? r : slowest;
    if (ended > 0 && ranks > 1) {
        char host[16];
        scenario_node_name(&result->scenario->topology, sim_job_host(result->sim, traffic, slowest), host);
        printf("  the slowest is rank %" PRIu32 " on %s: last in %" PRIu32 " of %" PRIu32 " rounds\n", slowest, host,
               last[slowest], ended);
    }
    free(last);
}

/* Job by job. */
static void put_jobs(const struct run_result *result)
{
    const struct sim_config *config = &result->scenario->config;
    for (uint32_t i = 0; i < config->traffic_count; i++) {
        const struct job *job = sim_job(result->sim, i);
        const struct run_jobs *jobs = &result->tags[config->traffic[i].tag].jobs;
        char time[32], iteration[32];
        if (job == NULL)
            continue;
        printf("\njob %s: %" PRIu32 " ranks, %" PRIu64 " operations, %" PRIu32 " rounds",
               config->tag_names[config->traffic[i].tag], job_goal(job)->ranks, job_goal(job)->ops,
               job_settings(job)->rounds);
        if (jobs->time_ps != WEIR_NEVER)
            printf(" in %s, a round in %s; ranks computed for %.1f %% of it", output_time((double)jobs->time_ps, time),
                   output_time(jobs->iteration_ps.mean, iteration),
                   100 * jobs->busy_ps / (jobs->busy_ps + jobs->exposed_ps));
        else
            printf(": %" PRIu64 " of its ranks did not end", jobs->unfinished);
        putchar('\n');
        put_slowest(result, i);
        put_waiting(result, i);
        if (sim_job_history(result->sim, i) != NULL)
            put_path(result, i);
    }
}

/* "web 3, mice 2" of `of`: flows or queries tag by tag. */
static void put_tags_of(const struct run_result *result, bool queries)
{
    const char *before = " (";
    for (uint32_t i = 0; i < result->scenario->config.tag_count; i++) {
        const struct run_tag *tag = &result->tags[i];
        uint64_t count = queries ? tag->groups.unfinished : tag->flows.unfinished;
        if (count == 0)
            continue;
        printf("%s%s %" PRIu64, before, tag->name, count);
        before = ", ";
    }
    printf(")");
}

/* What did not finish, and what the signs mean that it leaves. */
static void put_unfinished(const struct run_result *result)
{
    uint64_t flows = result->unfinished_flows, queries = result->unfinished_queries;
    bool times = false;
    for (uint32_t i = 0; i < result->scenario->config.tag_count; i++) {
        const struct run_tag *tag = &result->tags[i];
        times |= tag->flows.unfinished > 0 && tag->flows.finished > 0;
        times |= tag->groups.unfinished > 0 && tag->groups.finished > 0;
    }
    if (flows == 0 && queries == 0)
        return;
    printf("\nunfinished: %" PRIu64 " flow%s", flows, flows == 1 ? "" : "s");
    if (flows > 0)
        put_tags_of(result, false);
    if (queries > 0) {
        printf(", %" PRIu64 " quer%s", queries, queries == 1 ? "y" : "ies");
        put_tags_of(result, true);
    }
    putchar('\n');
    for (uint32_t i = CENSORING_NONE + 1; times && i <= CENSORING_PARTIAL; i++)
        cli_print("%s", censoring_legend((enum censoring)i));
}

static void put_footing(const struct run_result *result)
{
    put_unfinished(result);
    if (result->sampled_losses > 0)
        printf(
            "\nat losses: buffer in use p1 %.1f %%, p50 %.1f %%, p99 %.1f %%; read bandwidth in use p50 %.1f %%, p99 "
            "%.1f %%\n",
            100 * statistics_percentile(result->buffer_at_loss, 1),
            100 * statistics_percentile(result->buffer_at_loss, 50),
            100 * statistics_percentile(result->buffer_at_loss, 99),
            100 * statistics_percentile(result->bandwidth_at_loss, 50),
            100 * statistics_percentile(result->bandwidth_at_loss, 99));
    const struct run_lost *lost = &result->lost;
    char watchdog[48] = "", hosts[48] = "";
    if (lost->by_watchdog > 0)
        snprintf(watchdog, sizeof watchdog, ", by the watchdog %" PRIu64, lost->by_watchdog);
    if (lost->at_hosts > 0)
        snprintf(hosts, sizeof hosts, ", at hosts %" PRIu64, lost->at_hosts);
    if (result->lossy_places > RUN_PLACES_SHOWN)
        printf("\n%" PRIu32 " more queues with losses: see --losses or --json\n",
               result->lossy_places - RUN_PLACES_SHOWN);
    if (lost->total > 0)
        printf("\nlost %" PRIu64 ": refused %" PRIu64 ", after acceptance %" PRIu64 ", unroutable %" PRIu64
               ", on links %" PRIu64 "%s%s\n",
               lost->total, lost->refused, lost->after_acceptance, lost->unroutable, lost->on_failed_links, hosts,
               watchdog);
    put_jobs(result);
    put_pfc(result);
    const struct measure *measure = sim_measure(result->sim);
    for (uint32_t i = 0; i < measure->probe_count; i++) {
        char place[40];
        run_probe_place(result, i, place);
        if (measure->probe[i].full)
            printf("\nseries of %s: full at %" PRIu32 " points\n", place, measure->probe[i].count);
    }
    printf("\npacket-hops %" PRIu64 ", lost %" PRIu64 ", marked %" PRIu64 ", digest %016" PRIx64 "\n",
           result->totals.packet_hops, result->lost.total, result->losses.marked, result->digest);
}

void run_tables_put(struct run_tables *tables, const struct run_result *result)
{
    const struct scenario *scenario = result->scenario;
    bool early = !result->interrupted && result->totals.now < scenario->config.until_ps;
    char now[32], until[32];
    output_time((double)result->totals.now, now);
    output_time((double)scenario->config.until_ps, until);
    printf("%s", scenario->name != NULL ? scenario->name : scenario->origin);
    if (scenario->title != NULL)
        printf(": %s", scenario->title);
    bool stopped = scenario->config.pfc.deadlock_stops && sim_measure(result->sim)->deadlock.found > 0;
    printf("\nseed %" PRIu64 ", %s of %s%s\n", scenario->config.seed, now, until,
           stopped ? ": stopped at a deadlock"
           : early ? ": all flows have ended"
                   : "");
    if (result->interrupted)
        printf("INTERRUPTED at %s of %s: results are partial, only flows that had ended are counted\n", now, until);
    putchar('\n');
    for (uint32_t i = 0; i < tables->count; i++) {
        if (i > 0)
            putchar('\n');
        write_text(tables->frame[i]);
    }
    put_footing(result);
}

void run_tables_free(struct run_tables *tables)
{
    for (uint32_t i = 0; i < tables->count; i++)
        data_frame_free(tables->frame[i]);
    tables->count = 0;
}
