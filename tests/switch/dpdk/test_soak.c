/*
 * test_soak.c - the software switch under load for long, with everything that may happen to it at run time.
 *
 * Frames come faster than the ports send, half of them for one port, under every policy in turn, run to completion or
 * as a pipeline. Meanwhile links go down and up, peers take nothing for a while, parameters change, traces begin and
 * end, copies of dropped frames are wanted and not, counters are read. At the end of each policy every packet is
 * accounted for and every mbuf is back; half of the policies are stopped in a lull, the others under load. 10^7
 * packets, with WEIR_TEST_ROUNDS=10 10^8. A failure prints the seed; WEIR_SEED=... replays the same actions and
 * frames, though not the same times.
 */
#include <inttypes.h>
#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/error_line.h"
#include "weir/oracle.h"
#include "weir/random.h"
#include "wires.h"

#define PORTS 8u
#define CLASSES 4u
#define PACKETS UINT64_C(10000000)
#define ROUNDS_FULL 10u /* rounds beyond this many add nothing: 10^8 packets */
#define SOAK_SEED UINT64_C(0x736f616b)
#define BUFFER_BYTES 262144u
#define CELL_BYTES 200u
#define RATE_BPS INT64_C(200000000)
#define MBUFS 32767u /* more than rings and buffer hold: a stalled peer does not stop the test */
#define HEADER_BYTES 42u
#define PACKETS_PER_ACTION 8192u
#define DROPS_KEPT 256u
#define GRACE_PS (100 * WEIR_PS_PER_MS)
#define LULL_LOOKS 1000000u
#define LOOK_US 100u
#define PILE_BURSTS 100000u
#define PILE_US 1000u

struct soak {
    uint64_t seed;
    struct weir_random random;
    struct wires wires;
    const struct weir_policy *policy;
    struct weir_table_oracle oracle;
    struct weir_values values;
    struct weir_mmu_config mmu;
    struct dataplane_config config;
    struct dataplane_address addresses[PORTS];
    struct dataplane *dataplane;
    uint8_t header[PORTS][CLASSES][HEADER_BYTES];
    uint64_t sent, taken;
    uint32_t down; /* mask of links */
    bool stalled;  /* nobody takes what the switch sends */
    struct weir_trace trace;
    uint8_t trace_buffer[WEIR_TRACE_BUFFER_MIN];
    uint64_t trace_bytes;
    bool traced;
    uint32_t traces; /* that were begun and ended */
    uint64_t drops_seen, link_changes, changes;
};

static uint32_t below(struct soak *s, uint32_t n)
{
    return weir_random_below(&s->random, n);
}

/* UDP over IPv4 from the next port's host; the checksum is left 0, which no switch looks at. */
static void headers_write(struct soak *s)
{
    for (uint32_t port = 0; port < PORTS; port++)
        for (uint32_t tc = 0; tc < CLASSES; tc++) {
            uint8_t *header = s->header[port][tc];
            const uint8_t rest[] = {0x08, 0x00, 0x45, (uint8_t)(tc << 5), 0, 28, 0, 0, 0, 0, 64, 17};
            memset(header, 0, HEADER_BYTES);
            wires_address(header, port);
            wires_address(header + 6, (port + 1) % PORTS);
            memcpy(header + 12, rest, sizeof(rest));
        }
}

static void config_make(struct soak *s, const struct weir_policy *policy)
{
    wires_config(&s->config, below(s, 4) == 0);
    weir_table_oracle_init(&s->oracle, NULL, 0, WEIR_Q16_ONE / 100, s->seed);
    weir_mmu_config_init(&s->mmu, PORTS, CLASSES, BUFFER_BYTES / CELL_BYTES);
    s->mmu.cell_bytes = CELL_BYTES;
    s->mmu.rate_bps = RATE_BPS;
    s->mmu.scheduler.kind = WEIR_SCHED_DRR;
    s->mmu.memory_bps = 2 * PORTS * RATE_BPS;
    s->mmu.oracle = &s->oracle.base;
    for (uint32_t tc = 0; tc + 1 < CLASSES && below(s, 2); tc++)
        s->mmu.trim[tc] = (struct weir_trim){.bytes = 64 + below(s, 128),
                                             .to = {CLASSES - 1},
                                             .causes = 1u << WEIR_CAUSE_REFUSED | (below(s, 16) & WEIR_TRIM_CAUSES),
                                             .ecn = (enum weir_trim_ecn)below(s, WEIR_TRIM_ECN_COUNT)};
    wires_policy(&s->mmu, policy);
    for (uint32_t tc = 0; tc < CLASSES; tc++) /* the policy's classes may be lossless */
        if (s->mmu.lossless_mask >> tc & 1 || s->mmu.lossless_mask >> (CLASSES - 1) & 1)
            s->mmu.trim[tc].bytes = 0;
    s->config.sw = (struct weir_switch_config){.ports = PORTS, .ports_per_mmu = PORTS, .mmu = &s->mmu};
    s->config.ports = PORTS;
    s->config.devices = s->wires.names;
    s->config.addresses = s->addresses;
    s->config.address_count = PORTS;
    for (uint32_t p = 0; p < PORTS; p++) {
        s->addresses[p].port = p;
        wires_address(s->addresses[p].mac, p);
    }
}

static void out_take(struct soak *s)
{
    struct rte_mbuf *mbufs[WIRES_BURST];
    if (s->stalled)
        return;
    for (uint32_t p = 0; p < PORTS; p++)
        for (uint32_t count; (count = wires_take(&s->wires, p, mbufs, WIRES_BURST)) > 0; s->taken += count)
            mbufs_free(mbufs, count);
}

static void frame_fill(struct soak *s, struct rte_mbuf *mbuf, uint32_t input)
{
    static const uint16_t sizes[] = {60, 60, 60, 200, 1514};
    uint64_t bits = weir_random_bits(&s->random);
    uint32_t output = bits & 1 ? 0 : (bits >> 1) % PORTS, tc = (bits >> 8) % CLASSES;
    if (output == input)
        output = (output + 1) % PORTS;
    uint16_t length = sizes[(bits >> 16) % RTE_DIM(sizes)];
    memcpy(rte_pktmbuf_mtod(mbuf, uint8_t *), s->header[output][tc], HEADER_BYTES);
    mbuf->data_len = length;
    mbuf->pkt_len = length;
}

/* One burst to one port, as soon as there are mbufs and room for it. */
static void burst_send(struct soak *s)
{
    struct rte_mbuf *mbufs[WIRES_BURST];
    uint32_t input = below(s, PORTS), done = 0;
    while (rte_mempool_get_bulk(s->wires.pool, (void **)mbufs, WIRES_BURST) != 0)
        out_take(s);
    mbufs_take(mbufs, WIRES_BURST);
    for (uint32_t i = 0; i < WIRES_BURST; i++) {
        rte_pktmbuf_reset(mbufs[i]);
        frame_fill(s, mbufs[i], input);
    }
    while ((done += wires_send(&s->wires, input, mbufs + done, WIRES_BURST - done)) < WIRES_BURST)
        out_take(s);
    s->sent += WIRES_BURST;
    out_take(s);
}

static void link_set(struct soak *s, uint32_t port, bool up)
{
    uint16_t device = s->wires.device[port];
    assert_int_equal(up ? rte_eth_dev_set_link_up(device) : rte_eth_dev_set_link_down(device), 0);
    s->down = up ? s->down & ~(1u << port) : s->down | 1u << port;
}

static void links_up(struct soak *s)
{
    for (uint32_t p = 0; p < PORTS; p++)
        if (s->down & 1u << p)
            link_set(s, p, true);
}

static void parameters_change(struct soak *s)
{
    weir_values_init(&s->values, s->policy);
    for (uint32_t p = 0; p < s->policy->param_count; p++) {
        const struct weir_param *param = &s->policy->params[p];
        if (param->unit != WEIR_UNIT_RATIO || param->initial == WEIR_AUTO)
            continue;
        int64_t value = param->initial * (1 + below(s, 8)) / 4;
        value = value < param->min ? param->min : value > param->max ? param->max : value;
        for (uint32_t tc = 0; tc < WEIR_CLASSES_MAX; tc++)
            s->values.of[p][tc] = value;
    }
    dataplane_change(s->dataplane, s->mmu.ingress != NULL, &s->values);
    s->changes++;
}

static bool trace_count(void *context, const uint8_t *bytes, size_t count)
{
    struct soak *s = context;
    (void)bytes;
    s->trace_bytes += count;
    return true;
}

/* Under load the buffer is hardly ever empty, so a trace may not begin; in a lull it must. */
static void trace_toggle(struct soak *s, bool lull)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (s->traced) {
        assert_true(dataplane_trace_end(s->dataplane, 0));
        s->traced = false;
        s->traces++;
        return;
    }
    s->trace = (struct weir_trace){
        .buffer = s->trace_buffer, .size = sizeof(s->trace_buffer), .flush = trace_count, .context = s};
    s->traced = dataplane_trace_begin(s->dataplane, 0, &s->trace, lull ? GRACE_PS : WEIR_PS_PER_US, &error);
    if (lull && !s->traced)
        fail_msg("%s. Replay with WEIR_SEED=0x%" PRIx64, ERROR_LINE(&error), s->seed);
}

static void drops_toggle(struct soak *s)
{
    static struct dataplane_drop drops[DROPS_KEPT];
    uint32_t count = dataplane_drops_take(s->dataplane, drops, DROPS_KEPT);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(drops[i].input < PORTS);
        assert_true(drops[i].kept_bytes <= drops[i].frame_bytes);
    }
    s->drops_seen += count;
    assert_true(dataplane_drops_keep(s->dataplane, below(s, 2) ? DROPS_KEPT : 0));
}

/* No more frames, all links up: whatever waits must leave. */
static void lull(struct soak *s)
{
    struct wires_sums sums;
    links_up(s);
    s->stalled = false;
    for (uint32_t look = 0; look < LULL_LOOKS; look++) {
        out_take(s);
        wires_count(s->dataplane, &s->config, &sums);
        if (sums.in == s->sent && s->taken == sums.out && wires_balanced(&sums))
            return;
        rte_delay_us_sleep(LOOK_US);
    }
    wires_print(&sums);
    fail_msg("%s: sent %" PRIu64 ", taken %" PRIu64 ": packets are missing. Replay with WEIR_SEED=0x%" PRIx64,
             s->policy->name, s->sent, s->taken, s->seed);
}

static void act(struct soak *s)
{
    uint32_t port = below(s, PORTS);
    switch (below(s, 7)) {
    case 0:
        link_set(s, port, (s->down & 1u << port) != 0);
        s->link_changes++;
        break;
    case 1:
        parameters_change(s);
        break;
    case 2:
        trace_toggle(s, false);
        break;
    case 3:
        drops_toggle(s);
        break;
    case 4:
        dataplane_clear_watermarks(s->dataplane, WEIR_WM_USER);
        break;
    case 5:
        s->stalled = !s->stalled;
        break;
    default:
        if (below(s, 16) == 0) {
            lull(s);
            trace_toggle(s, true);
        }
    }
}

/* The frames that the switch did not take in any more. */
static void in_take_back(struct soak *s)
{
    void *mbuf;
    for (uint32_t p = 0; p < PORTS; p++)
        for (; rte_ring_sc_dequeue(s->wires.in[p], &mbuf) == 0; s->sent--)
            mbuf_free(mbuf);
}

/* The peer of the busiest port takes nothing any more, so that what has left the MMU piles up before the device. */
static void pile_up(struct soak *s)
{
    links_up(s);
    s->stalled = true;
    for (uint32_t i = 0; i < PILE_BURSTS && !rte_ring_full(s->wires.out[0]); i++)
        burst_send(s);
    rte_delay_us_sleep(PILE_US);
}

static void stop(struct soak *s, bool under_load, uint32_t mbufs_in_use)
{
    struct wires_sums sums;
    struct dataplane_status status;
    if (under_load)
        pile_up(s);
    else
        lull(s);
    if (s->traced)
        trace_toggle(s, false);
    dataplane_stop(s->dataplane, under_load ? 0 : GRACE_PS);
    in_take_back(s);
    s->stalled = false;
    out_take(s);
    wires_count(s->dataplane, &s->config, &sums);
    dataplane_status(s->dataplane, &status);
    if (!wires_balanced(&sums) || sums.in != s->sent || sums.out != s->taken || status.mbufs_in_use != mbufs_in_use) {
        wires_print(&sums);
        fail_msg("%s: sent %" PRIu64 ", taken %" PRIu64
                 ", %u mbufs in use, %u before. Replay with WEIR_SEED=0x%" PRIx64,
                 s->policy->name, s->sent, s->taken, status.mbufs_in_use, mbufs_in_use, s->seed);
    }
    print_message("%-10s %9" PRIu64 " in, %9" PRIu64 " sent, %9" PRIu64 " dropped, %8" PRIu64
                  " discarded; %u traces, %" PRIu64 " link changes, %" PRIu64 " of parameters, %" PRIu64 " copies\n",
                  s->policy->name, sums.in, sums.sent, sums.dropped, sums.discarded, s->traces, s->link_changes,
                  s->changes, s->drops_seen);
    assert_true(sums.dropped > 0); /* else it was no overload */
    assert_true(!under_load || sums.lost > 0);
}

static uint64_t packets_wanted(void)
{
    const char *text = getenv("WEIR_TEST_ROUNDS");
    uint64_t rounds = text != NULL ? strtoull(text, NULL, 10) : 1;
    return PACKETS * (rounds < 1 ? 1 : rounds > ROUNDS_FULL ? ROUNDS_FULL : rounds);
}

static void soak_policy(struct soak *s, const struct weir_policy *policy, bool under_load)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct dataplane_status status;
    s->sent = s->taken = s->down = s->traces = 0;
    s->stalled = false;
    s->drops_seen = s->link_changes = s->changes = 0;
    s->policy = policy;
    wires_make(&s->wires, PORTS, MBUFS, 0);
    config_make(s, policy);
    s->dataplane = dataplane_create(&s->config, &error);
    if (s->dataplane == NULL)
        fail_msg("%s", ERROR_LINE(&error));
    dataplane_status(s->dataplane, &status);
    if (!dataplane_start(s->dataplane, &error))
        fail_msg("%s", ERROR_LINE(&error));
    uint64_t wanted = packets_wanted() / weir_policy_count, next = PACKETS_PER_ACTION;
    while (s->sent < wanted) {
        burst_send(s);
        if (s->sent < next)
            continue;
        act(s);
        next = s->sent + 1 + below(s, 2 * PACKETS_PER_ACTION);
    }
    stop(s, under_load, status.mbufs_in_use);
    print_message("attack: frames of the soak in memory: %" PRIu64 "\n", s->sent);
    dataplane_free(s->dataplane);
    wires_free(&s->wires);
}

static void soak__every_packet_and_mbuf_is_accounted_for(void **state)
{
    static struct soak soak;
    const char *wanted = getenv("WEIR_SEED");
    (void)state;
    wires_environment("soak");
    soak.seed = wanted != NULL ? strtoull(wanted, NULL, 0) : SOAK_SEED;
    soak.random = weir_random_stream(soak.seed, "soak");
    headers_write(&soak);
    for (uint32_t i = 0; i < weir_policy_count; i++)
        soak_policy(&soak, weir_policies[i], i % 2 == 1);
    dataplane_environment_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(soak__every_packet_and_mbuf_is_accounted_for)};
    return cmocka_run_group_tests_name("soak", tests, NULL, NULL);
}
