/*
 * profile.c - where the time of a run went (`weir run --profile`). Two looks at the clock per window and thread are all
 * it costs. No result depends on it.
 */
#include <inttypes.h>

#include "cli/clock.h"
#include "experiment/pool.h"
#include "experiment/run.h"

static uint64_t clock_ns(void)
{
    return (uint64_t)(clock_seconds() * 1e9);
}

void run_profile_ask(struct scenario *scenario)
{
    scenario->config.clock_ns = clock_ns;
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

/* Times in words; those of the profile are in ns. */
static const char *duration(uint64_t ns, char text[32])
{
    return run_duration((double)ns * (double)WEIR_PS_PER_NS, text);
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
                run_size((double)rank.sent_bytes, size));
        crossed += rank.crossed;
        bytes += rank.sent_bytes;
        cut += rank.cut_links;
    }
    fprintf(stderr,
            "profile: %" PRIu64 " links between ranks, %" PRIu64 " packets crossed (%.1f %% of packet-hops), %s of "
            "letters\n",
            cut / 2, crossed, percent(crossed, hops), run_size((double)bytes, size));
    fprintf(stderr, "profile: what follows is of rank 0\n");
}

void run_profile_put(const struct sim *sim)
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
    if (all.threads > pool_processors())
        fprintf(stderr, "profile: %u threads had %u processor%s, and waited for one another\n", all.threads,
                pool_processors(), pool_processors() == 1 ? "" : "s");
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
                all.cut_links, all.crossed, percent(all.crossed, hops), run_size((double)all.crossed_bytes, size));
}
