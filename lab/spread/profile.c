/*
 * profile.c - where the time of a run or a sweep went (`weir run --profile`). Two looks at the clock per window and
 * thread are all that it costs a run, and nothing a sweep. No result depends on it.
 */
#include <inttypes.h>

#include "cli/clock.h"
#include "lab/spread/makers.h"
#include "lab/spread/spread.h"
#include "sim/engine/processors.h"

uint64_t spread_profile_ns(void)
{
    return (uint64_t)(clock_seconds() * 1e9);
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

/* Times in words; those of the profile are in ns. */
static const char *duration(uint64_t ns, char text[32])
{
    return output_time((double)ns * (double)WEIR_PS_PER_NS, text);
}

static void put_processors(uint32_t threads)
{
    uint32_t processors = processors_count();
    if (threads > processors)
        fprintf(stderr, "profile: %u threads had %u processor%s, and waited for one another\n", threads, processors,
                processors == 1 ? "" : "s");
}

static void put_ranks(const struct sim *sim, uint32_t ranks, uint64_t hops)
{
    uint64_t crossed = 0, bytes = 0, cut = 0;
    char size[32];
    for (uint32_t i = 0; i < ranks; i++) {
        const struct sim_rank_profile rank = sim_rank_profile(sim, i);
        char threads[64] = "";
        if (rank.threads > 1)
            snprintf(threads, sizeof threads, " (%u threads, %.1f to %.1f %%)", rank.threads,
                     percent(rank.least_ns, rank.run_ns), percent(rank.most_ns, rank.run_ns));
        fprintf(stderr,
                "profile: rank %u: %u hosts, %u switches, ran them %.1f %%%s, waited for letters %.1f %%, wrote and "
                "read them %.1f %%, %" PRIu64 " packets and %s to others\n",
                i, rank.hosts, rank.switches, percent(rank.busy_ns, rank.run_ns), threads,
                percent(rank.waiting_ns, rank.run_ns), percent(rank.letters_ns, rank.run_ns), rank.crossed,
                output_size((double)rank.sent_bytes, size));
        crossed += rank.crossed;
        bytes += rank.sent_bytes;
        cut += rank.cut_links;
    }
    fprintf(stderr,
            "profile: %" PRIu64 " links between ranks, %" PRIu64 " packets crossed (%.1f %% of packet-hops), %s of "
            "letters\n",
            cut / 2, crossed, percent(crossed, hops), output_size((double)bytes, size));
    fprintf(stderr, "profile: what follows is of rank 0\n");
}

void spread_profile_put(const struct sim *sim)
{
    const struct sim_profile all = sim_profile(sim);
    const uint64_t hops = sim_totals(sim).packet_hops;
    char run[32], window[32], size[32], ranks[32] = "";
    if (all.ranks > 1)
        snprintf(ranks, sizeof ranks, "%u ranks with ", all.ranks);
    fprintf(stderr, "profile: %s on %s%u thread%s, %" PRIu64 " windows of %s on average, %.1f ns per packet-hop\n",
            duration(all.run_ns, run), ranks, all.threads, all.threads == 1 ? "" : "s", all.windows,
            duration(all.windows > 0 ? all.run_ns / all.windows : 0, window),
            hops > 0 ? (double)all.run_ns / (double)hops : 0);
    put_processors(all.threads);
    if (all.ranks > 1)
        put_ranks(sim, all.ranks, hops);
    for (uint32_t i = 0; i < all.threads; i++) {
        const struct sim_thread_profile thread = sim_thread_profile(sim, i);
        fprintf(stderr,
                "profile: thread %u: ran %u switches %.1f %%, %u hosts %.1f %%, waited %.1f %%, %" PRIu64
                " packets to others\n",
                i, thread.switches, percent(thread.switches_ns, all.run_ns), thread.hosts,
                percent(thread.busy_ns - thread.switches_ns, all.run_ns), percent(thread.waiting_ns, all.run_ns),
                thread.crossed);
    }
    fprintf(stderr,
            "profile: %" PRIu64
            " stretch%s of windows, between them %.1f %%; the busiest thread of each window %.1f %%\n",
            all.stretches, all.stretches == 1 ? "" : "es", percent(all.between_ns, all.run_ns),
            percent(all.longest_ns, all.run_ns));
    if (all.threads > 1 && all.ranks == 1)
        fprintf(stderr, "profile: %u cut links, %" PRIu64 " packets crossed (%.1f %% of packet-hops, %s)\n",
                all.cut_links, all.crossed, percent(all.crossed, hops), output_size((double)all.crossed_bytes, size));
}

/* Busy: the share of the time of its processes that runs took. */
static void put_maker(const struct plan *plan, const struct maker *maker, double wall_s)
{
    char busy[32], longest[32];
    double share = maker->jobs > 0 && wall_s > 0 ? maker->busy_s / (wall_s * maker->jobs) : 0;
    if (maker->runs > 0)
        fprintf(stderr, ", %u at a time, busy %.1f %% (%s in runs), the longest %s (%s)", maker->jobs, 100 * share,
                output_time(maker->busy_s * (double)WEIR_PS_PER_S, busy),
                output_time(maker->longest_s * (double)WEIR_PS_PER_S, longest), plan->ids[maker->longest]);
    if (maker->again > 0)
        fprintf(stderr, ", lost: %u of its runs made again", maker->again);
    fputc('\n', stderr);
}

void spread_profile_put_sweep(const struct plan *plan, const struct maker *by, uint32_t count, double started)
{
    struct maker all = {.runs = 0};
    for (uint32_t i = 0; i < count; i++) {
        all.jobs += by[i].jobs;
        all.runs += by[i].runs;
        all.busy_s += by[i].busy_s;
        if (by[i].longest_s < all.longest_s)
            continue;
        all.longest_s = by[i].longest_s;
        all.longest = by[i].longest;
    }
    double wall_s = clock_seconds() - started;
    char wall[32], ranks[32] = "";
    if (count > 1)
        snprintf(ranks, sizeof ranks, " on %u ranks", count);
    fprintf(stderr, "profile: %s: %u run%s in %s%s", plan->file, all.runs, all.runs == 1 ? "" : "s",
            output_time(wall_s * (double)WEIR_PS_PER_S, wall), ranks);
    put_maker(plan, &all, wall_s);
    put_processors(by->jobs * plan->threads); /* of this process, or rank 0 */
    for (uint32_t i = 0; i < count && count > 1; i++) {
        fprintf(stderr, "profile: rank %u: %u run%s", i, by[i].runs, by[i].runs == 1 ? "" : "s");
        put_maker(plan, &by[i], wall_s);
    }
}
