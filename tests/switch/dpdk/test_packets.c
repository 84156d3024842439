/*
 * test_packets.c - random and damaged frames through the software switch, batch by batch: runts, giants, tags, broken
 * IP headers, wrong lengths, group sources, PAUSE frames true and damaged, frames in pieces and frames that share their
 * bytes with others. Under every policy with lossy classes, and under every headroom scheme with lossless ones.
 *
 * After each batch what came in went out, was discarded for a counted reason, or was dropped by the MMU, and nothing is
 * held; a frame that comes out is as it went in, unless it may be marked, and does not come out where it went in. At
 * the end every mbuf is back. A failure prints the seed of its world; WEIR_SEED=... runs that world alone.
 */
#include <inttypes.h>
#include <rte_cycles.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_frames.h"
#include "tests/support/error_line.h"
#include "weir/oracle.h"
#include "wires.h"

#define PORTS 4u
#define CLASSES 8u
#define MBUFS 4095u
#define BATCHES 100u
#define FRAMES_MAX 48u /* of a batch, for one port */
#define PACKETS_SEED UINT64_C(0x7061636b657473)
#define RATE_BPS INT64_C(10000000000)
#define BUFFER_BYTES 16384u
#define CELL_BYTES 80u
#define MTU_BYTES 1500u
#define LOOKS 3000000u
#define LOOK_US 20u
#define GRACE_PS (100 * WEIR_PS_PER_MS)

/* What the test remembers of a frame, beside its bytes. */
struct tag {
    uint64_t hash;
    uint32_t input;
};

struct world {
    uint64_t seed;
    struct weir_random random;
    struct wires wires;
    const struct weir_policy *policy;
    struct weir_table_oracle oracle;
    struct weir_mmu_config mmu;
    struct dataplane_config config;
    struct dataplane_address addresses[PORTS];
    struct dataplane *dataplane;
    uint64_t sent, taken;
    bool marks;
    uint64_t *discarded; /* [DATAPLANE_DISCARDS], over all worlds */
    uint64_t pushed_out; /* likewise: packets that lost their place in the buffer */
};

static uint32_t below(struct world *w, uint32_t n)
{
    return weir_random_below(&w->random, n);
}

static void marking_draw(struct world *w)
{
    w->marks = below(w, 2);
    for (uint32_t tc = 0; w->marks && tc < CLASSES; tc++) {
        w->mmu.marking[tc].kind = WEIR_MARK_STEP;
        w->mmu.marking[tc].low_cells = 1 + below(w, 30);
    }
}

static void config_draw(struct world *w, const struct weir_policy *policy)
{
    wires_config(&w->config, below(w, 2));
    weir_table_oracle_init(&w->oracle, NULL, 0, WEIR_Q16_ONE / 100, w->seed);
    weir_mmu_config_init(&w->mmu, PORTS, CLASSES, BUFFER_BYTES / CELL_BYTES);
    w->mmu.cell_bytes = CELL_BYTES;
    w->mmu.rate_bps = RATE_BPS;
    w->mmu.scheduler.kind = (enum weir_scheduler_kind)below(w, WEIR_SCHED_COUNT);
    w->mmu.oracle = &w->oracle.base;
    marking_draw(w);
    wires_policy(&w->mmu, policy);
    w->config.sw = (struct weir_switch_config){.ports = PORTS, .ports_per_mmu = PORTS, .mmu = &w->mmu};
    w->config.ports = PORTS;
    w->config.devices = w->wires.names;
    w->config.mtu_bytes = MTU_BYTES;
    w->config.classify = (enum dataplane_classify)below(w, 3);
    w->config.learning = below(w, 2);
    w->config.flooding = below(w, 2);
    w->config.addresses = w->addresses;
    w->config.address_count = 1 + below(w, PORTS);
    for (uint32_t p = 0; p < PORTS; p++) {
        w->addresses[p].port = p;
        wires_address(w->addresses[p].mac, p);
    }
}

static uint64_t frame_hash(const struct rte_mbuf *mbuf)
{
    uint64_t hash = rte_pktmbuf_pkt_len(mbuf);
    for (; mbuf; mbuf = mbuf->next)
        for (uint32_t i = 0; i < rte_pktmbuf_data_len(mbuf); i++)
            hash = weir_hash(hash, rte_pktmbuf_mtod(mbuf, const uint8_t *)[i]);
    return hash;
}

static struct rte_mbuf *mbuf_take(struct world *w)
{
    struct rte_mbuf *mbuf = mbuf_alloc(w->wires.pool);
    assert_non_null(mbuf);
    return mbuf;
}

/* The bytes in one mbuf, or cut into several at random places, where they must not fit into one. */
static struct rte_mbuf *frame_pack(struct world *w, const uint8_t *bytes, uint32_t length)
{
    struct rte_mbuf *first = NULL;
    bool pieces = below(w, 8) == 0;
    for (uint32_t at = 0; at < length;) {
        uint32_t most = RTE_MIN(length - at, WIRES_SEGMENT_BYTES);
        uint32_t count = pieces ? 1 + below(w, most) : most;
        struct rte_mbuf *mbuf = mbuf_take(w);
        memcpy(rte_pktmbuf_append(mbuf, (uint16_t)count), bytes + at, count);
        if (!first)
            first = mbuf;
        else
            assert_int_equal(rte_pktmbuf_chain(first, mbuf), 0);
        at += count;
    }
    return first;
}

/* Another mbuf with the same bytes, as a sender has that keeps what it sent: it must not be written to. */
static struct rte_mbuf *frame_share(struct world *w, struct rte_mbuf *mbuf)
{
    struct rte_mbuf *clone = rte_pktmbuf_clone(mbuf, w->wires.pool);
    assert_non_null(clone);
    mbuf_free(mbuf);
    return clone;
}

static struct rte_mbuf *frame_draw(struct world *w, uint32_t input)
{
    static uint8_t bytes[RANDOM_FRAME_MAX];
    struct rte_mbuf *mbuf = frame_pack(w, bytes, random_frame(&w->random, PORTS, bytes));
    if (below(w, 16) == 0)
        mbuf = frame_share(w, mbuf);
    struct tag *tag = rte_mbuf_to_priv(mbuf);
    *tag = (struct tag){.hash = frame_hash(mbuf), .input = input};
    if (below(w, 16) == 0) { /* with a tag that a device took off */
        mbuf->ol_flags |= RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
        mbuf->vlan_tci = (uint16_t)weir_random_bits(&w->random);
        tag->hash = 0;
    }
    return mbuf;
}

static void frame_check(const struct world *w, const struct rte_mbuf *mbuf, uint32_t output)
{
    if (mbuf->pool != w->wires.pool)
        return; /* a copy that the switch made, or a PAUSE of its own */
    const struct tag *tag = rte_mbuf_to_priv((struct rte_mbuf *)(uintptr_t)mbuf);
    if (tag->input == output)
        fail_msg("a frame came out where it went in, at port %u. Replay with WEIR_SEED=0x%" PRIx64, output, w->seed);
    if (tag->hash != 0 && !w->marks && tag->hash != frame_hash(mbuf))
        fail_msg("a frame was changed on its way. Replay with WEIR_SEED=0x%" PRIx64, w->seed);
}

static void out_take(struct world *w)
{
    struct rte_mbuf *mbufs[WIRES_BURST];
    for (uint32_t p = 0; p < PORTS; p++)
        for (uint32_t count; (count = wires_take(&w->wires, p, mbufs, WIRES_BURST)) > 0; w->taken += count) {
            for (uint32_t i = 0; i < count; i++)
                frame_check(w, mbufs[i], p);
            mbufs_free(mbufs, count);
        }
}

static void batch_send(struct world *w)
{
    for (uint32_t p = 0; p < PORTS; p++)
        for (uint32_t left = below(w, FRAMES_MAX + 1); left > 0; left--) {
            struct rte_mbuf *mbuf = frame_draw(w, p);
            assert_int_equal(wires_send(&w->wires, p, &mbuf, 1), 1);
            w->sent++;
        }
}

static void batch_settle(struct world *w)
{
    struct wires_sums sums;
    for (uint32_t look = 0; look < LOOKS; look++) {
        out_take(w);
        wires_count(w->dataplane, &w->config, &sums);
        if (sums.in == w->sent && sums.out == w->taken && wires_balanced(&sums))
            return;
        rte_delay_us_sleep(LOOK_US);
    }
    wires_print(&sums);
    fail_msg("%s: sent %" PRIu64 ", taken %" PRIu64 ": packets are missing. Replay with WEIR_SEED=0x%" PRIx64,
             w->policy->name, w->sent, w->taken, w->seed);
}

static void world_end(struct world *w, uint32_t mbufs_in_use)
{
    struct dataplane_status status;
    struct dataplane_port_counters counters;
    struct weir_account_counters account;
    dataplane_stop(w->dataplane, GRACE_PS);
    out_take(w); /* a last PAUSE */
    dataplane_status(w->dataplane, &status);
    if (status.mbufs_in_use != mbufs_in_use)
        fail_msg("%u mbufs in use, %u before. Replay with WEIR_SEED=0x%" PRIx64, status.mbufs_in_use, mbufs_in_use,
                 w->seed);
    for (uint32_t p = 0; p < PORTS; p++) {
        dataplane_port_counters(w->dataplane, p, &counters);
        for (uint32_t d = 0; d < DATAPLANE_DISCARDS; d++)
            w->discarded[d] += counters.discarded[d];
        for (uint32_t tc = 0; tc < CLASSES; tc++) {
            dataplane_account_counters(w->dataplane, p, tc, &account);
            w->pushed_out += account.dropped_by_cause[WEIR_CAUSE_PUSHOUT];
        }
    }
    dataplane_free(w->dataplane);
    wires_free(&w->wires);
}

static void world_run(struct world *w, uint64_t seed, const struct weir_policy *policy)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct dataplane_status status;
    w->seed = seed;
    w->policy = policy;
    w->random = weir_random_stream(seed, "packets");
    w->sent = w->taken = 0;
    wires_make(&w->wires, PORTS, MBUFS, sizeof(struct tag));
    config_draw(w, policy);
    w->dataplane = dataplane_create(&w->config, &error);
    if (w->dataplane == NULL)
        fail_msg("%s", ERROR_LINE(&error));
    dataplane_status(w->dataplane, &status);
    if (!dataplane_start(w->dataplane, &error))
        fail_msg("%s", ERROR_LINE(&error));
    for (uint32_t batch = 0; batch < BATCHES; batch++) {
        batch_send(w);
        batch_settle(w);
    }
    world_end(w, status.mbufs_in_use);
}

/* The lowest byte of a seed is the number of the policy. */
static void packets__nothing_breaks_and_all_is_counted(void **state)
{
    static const enum dataplane_discard met[] = {DATAPLANE_RUNT,     DATAPLANE_GIANT,      DATAPLANE_BAD_SOURCE,
                                                 DATAPLANE_UNKNOWN,  DATAPLANE_LINK_LOCAL, DATAPLANE_DAMAGED,
                                                 DATAPLANE_SAME_PORT};
    static uint64_t discarded[DATAPLANE_DISCARDS];
    static struct world world;
    const char *wanted = getenv("WEIR_SEED"), *rounds = getenv("WEIR_TEST_ROUNDS");
    (void)state;
    world.discarded = discarded;
    wires_environment("packets");
    if (wanted != NULL) {
        uint64_t seed = strtoull(wanted, NULL, 0);
        world_run(&world, seed, weir_policies[(seed & 0xff) % weir_policy_count]);
        dataplane_environment_end();
        return;
    }
    for (uint32_t round = 0; round < (rounds != NULL ? strtoul(rounds, NULL, 10) : 1); round++)
        for (uint32_t i = 0; i < weir_policy_count; i++)
            world_run(&world, weir_hash(PACKETS_SEED, round * weir_policy_count + i) << 8 | i, weir_policies[i]);
    for (uint32_t d = 0; d < DATAPLANE_DISCARDS; d++)
        print_message("%-12s %" PRIu64 "\n", dataplane_discard_name((enum dataplane_discard)d), discarded[d]);
    for (uint32_t i = 0; i < RTE_DIM(met); i++)
        assert_true(discarded[met[i]] > 0); /* else the frames are not as odd as they should be */
    print_message("pushed out   %" PRIu64 "\n", world.pushed_out);
    assert_true(world.pushed_out > 0);
    uint64_t refused = 0;
    for (uint32_t d = 0; d < DATAPLANE_DISCARDS; d++)
        refused += discarded[d];
    print_message("attack: odd frames that the switch discarded: %" PRIu64 "\n", refused);
    dataplane_environment_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(packets__nothing_breaks_and_all_is_counted)};
    return cmocka_run_group_tests_name("packets", tests, NULL, NULL);
}
