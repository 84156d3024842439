/*
 * dataplane_rig.c - see dataplane_rig.h. The rings and their devices are made once, as DPDK is started once per
 * process.
 */
#define _GNU_SOURCE 1
#include "tests/support/dataplane_rig.h"
#include "tests/support/error_line.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_errno.h>
#include <rte_eth_ring.h>
#include <rte_ethdev.h>
#include <rte_mempool.h>
#include <rte_ring.h>

#define RIG_RING_FRAMES 16384u
#define RIG_MBUFS 32767u
#define RIG_SKIPPED 77 /* meson's word for it */
#define RIG_NUMBER_AT 42u

static struct {
    struct rte_mempool *pool;
    struct rte_ring *in[RIG_PORTS], *out[RIG_PORTS];
    uint16_t device[RIG_PORTS];
    char name[RIG_PORTS][32];
    const char *devices[RIG_PORTS];
    uint32_t cpus[2], cpu_count;
    uint64_t put; /* frames for the switch that runs */
} world;

static void rig_find_cpus(void)
{
    cpu_set_t allowed;
    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    for (uint32_t cpu = 0; cpu < CPU_SETSIZE && world.cpu_count < 2; cpu++)
        if (CPU_ISSET(cpu, &allowed))
            world.cpus[world.cpu_count++] = cpu;
}

bool rig_pipeline(struct rig *rig)
{
    if (world.cpu_count < 2)
        return false;
    for (uint32_t module = 0; module < DATAPLANE_MODULES; module++) {
        uint32_t second = module == DATAPLANE_FORWARD || module == DATAPLANE_TX;
        rig->config.cpus[module] = (struct dataplane_cpus){.cpu = {world.cpus[second]}, .count = 1};
    }
    return true;
}

void rig_begin(void)
{
    struct weir_error error;
    char name[32];
    struct rig rig;
    rig_find_cpus();
    for (uint32_t p = 0; p < RIG_PORTS; p++) {
        snprintf(world.name[p], sizeof world.name[p], "net_ring_rig%u", p);
        world.devices[p] = world.name[p];
    }
    rig_config(&rig, RIG_PORTS, 8, 1 << 20);
    rig.mmu.egress = weir_policy_find("cs");
    rig_pipeline(&rig);
    rig.config.no_huge = true;
    rig.config.memory_mib = 256;
    if (!dataplane_environment(&rig.config, "test", &error)) {
        printf("skipped: %s\n", error.text);
        exit(RIG_SKIPPED);
    }
    world.pool = rte_pktmbuf_pool_create("rig", RIG_MBUFS, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
    assert_non_null(world.pool);
    for (uint32_t p = 0; p < RIG_PORTS; p++) {
        snprintf(name, sizeof name, "in%u", p);
        world.in[p] = rte_ring_create(name, RIG_RING_FRAMES, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
        snprintf(name, sizeof name, "out%u", p);
        world.out[p] = rte_ring_create(name, RIG_RING_FRAMES, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
        assert_true(world.in[p] && world.out[p]);
        int device = rte_eth_from_rings(strrchr(world.name[p], '_') + 1, &world.in[p], 1, &world.out[p], 1, 0);
        assert_true(device >= 0);
        world.device[p] = (uint16_t)device;
    }
}

int rig_finish(int failed)
{
    for (uint32_t p = 0; failed == 0 && p < RIG_PORTS; p++) {
        rte_eth_dev_stop(world.device[p]);
        rte_eth_dev_close(world.device[p]);
        rte_ring_free(world.in[p]);
        rte_ring_free(world.out[p]);
    }
    if (failed == 0) {
        rte_mempool_free(world.pool);
        dataplane_environment_end();
    }
    return failed;
}

uint16_t rig_device(uint32_t port)
{
    return world.device[port];
}

void rig_config(struct rig *rig, uint32_t ports, uint32_t classes, weir_cells buffer_cells)
{
    assert_true(ports <= RIG_PORTS);
    memset(rig, 0, sizeof *rig);
    weir_mmu_config_init(&rig->mmu, ports, classes, buffer_cells);
    rig->mmu.gives = WEIR_GIVES_FLOWS;
    rig->mmu.evictions_max = 64;
    dataplane_config_init(&rig->config);
    rig->config.devices = world.devices;
    rig->config.ports = ports;
    rig->config.mbufs = 8191;
    rig->config.device_rx_frames = 256;
    rig->config.sleeps = true; /* tests run beside each other */
    rig->config.sw = (struct weir_switch_config){.ports = ports, .ports_per_mmu = ports, .mmu = &rig->mmu};
}

static void rig_values(struct weir_values *values, const struct weir_policy *policy, const char *settings)
{
    char text[256], *rest = text;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    weir_values_init(values, policy);
    snprintf(text, sizeof text, "%s", settings ? settings : "");
    for (char *one; (one = strsep(&rest, ":")) && *one;) {
        char *value = strchr(one, '=');
        assert_non_null(value);
        *value++ = '\0';
        if (!weir_values_set(values, policy, one, value, &error))
            fail_msg("%s", ERROR_LINE(&error));
    }
}

void rig_build(struct rig *rig, const char *policy, const char *settings)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct dataplane_status status;
    rig->mmu.egress = weir_policy_find(policy);
    assert_non_null(rig->mmu.egress);
    rig_values(&rig->values, rig->mmu.egress, settings);
    rig->mmu.egress_values = &rig->values;
    rig->dp = dataplane_create(&rig->config, &error);
    if (!rig->dp)
        fail_msg("%s", ERROR_LINE(&error));
    dataplane_status(rig->dp, &status);
    rig->mbufs_in_use = status.mbufs_in_use;
}

void rig_start(struct rig *rig, const char *policy, const char *settings)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    rig_build(rig, policy, settings);
    if (!dataplane_start(rig->dp, &error))
        fail_msg("%s", ERROR_LINE(&error));
}

struct rte_mbuf *rig_mbuf(const uint8_t *bytes, uint32_t length)
{
    struct rte_mbuf *mbuf = mbuf_alloc(world.pool);
    assert_non_null(mbuf);
    char *to = rte_pktmbuf_append(mbuf, (uint16_t)length);
    assert_non_null(to);
    memcpy(to, bytes, length);
    return mbuf;
}

void rig_put(uint32_t input, struct rte_mbuf *mbuf)
{
    hand_over(mbuf);
    assert_int_equal(rte_ring_sp_enqueue(world.in[input], mbuf), 0);
    world.put++;
}

static void rig_address(uint8_t to[6], uint32_t host)
{
    memset(to, host == RIG_BROADCAST ? 0xff : 0, 6);
    if (host == RIG_BROADCAST)
        return;
    to[0] = 2;
    to[5] = (uint8_t)host;
}

void rig_send(const struct rig_frame *frame)
{
    uint8_t bytes[2000] = {0};
    uint32_t length = frame->bytes ? frame->bytes : 60, total = length - 14, sum = 0;
    assert_true(length >= 60 && length <= sizeof bytes);
    rig_address(bytes, frame->to);
    rig_address(bytes + 6, frame->from ? frame->from : frame->input + 1);
    bytes[12] = 0x08;
    const uint8_t ip[12] = {0x45, frame->tos, (uint8_t)(total >> 8), (uint8_t)total, 0, 0, 0, 0, 64, 17, 0, 0};
    memcpy(bytes + 14, ip, sizeof ip);
    for (uint32_t i = 14; i < 34; i += 2)
        sum += (uint32_t)(bytes[i] << 8 | bytes[i + 1]);
    sum = ~((sum & 0xffff) + (sum >> 16));
    bytes[24] = (uint8_t)(sum >> 8);
    bytes[25] = (uint8_t)sum;
    memcpy(bytes + RIG_NUMBER_AT, &frame->number, sizeof frame->number);
    rig_put(frame->input, rig_mbuf(bytes, length));
}

uint32_t rig_number(const struct rte_mbuf *mbuf)
{
    uint32_t number;
    memcpy(&number, rte_pktmbuf_mtod_offset(mbuf, const uint8_t *, RIG_NUMBER_AT), sizeof number);
    return number;
}

uint32_t rig_waiting(uint32_t output)
{
    return rte_ring_count(world.out[output]);
}

bool rig_waits_for(uint32_t output, uint32_t count)
{
    for (uint32_t ms = 0; rig_waiting(output) < count && ms < RIG_PATIENCE_MS; ms++)
        rte_delay_us_sleep(1000);
    return rig_waiting(output) >= count;
}

struct rte_mbuf *rig_take(uint32_t output)
{
    void *mbuf;
    if (rte_ring_sc_dequeue(world.out[output], &mbuf) != 0)
        return NULL;
    take_over(mbuf);
    return mbuf;
}

void rig_stall(uint32_t output)
{
    const uint8_t nobody[60] = {0};
    while (!rte_ring_full(world.out[output]))
        assert_int_equal(rte_ring_sp_enqueue(world.out[output], rig_mbuf(nobody, sizeof nobody)), 0);
}

void rig_go_on(uint32_t output)
{
    for (uint32_t left = rig_waiting(output); left > 0; left--)
        mbuf_free(rig_take(output));
}

/* Frames that came in and are not accounted for yet. */
static uint64_t rig_under_way(struct rig *rig)
{
    uint64_t under_way = world.put; /* what is between a ring and its first counter is under way too */
    for (uint32_t p = 0; p < rig->config.ports; p++) {
        struct dataplane_port_counters c = rig_counters(rig, p);
        under_way += c.copies + c.control_out;
        under_way -= c.control_in + c.out_packets + c.out_lost;
        for (uint32_t d = 0; d < DATAPLANE_DISCARDS; d++)
            under_way -= c.discarded[d];
        for (uint32_t tc = 0; tc < rig->mmu.classes; tc++)
            under_way += rig_account(rig, p, tc).trim_packets - rig_account(rig, p, tc).dropped_packets;
    }
    return under_way;
}

void rig_settle(struct rig *rig)
{
    uint64_t left = 1, before = 1; /* counters are read one after the other: nothing is under way twice in a row */
    for (uint32_t ms = 0; (left != 0 || before != 0) && ms < RIG_PATIENCE_MS; ms++) {
        rte_delay_us_sleep(1000);
        before = left;
        left = rig_under_way(rig);
    }
    assert_int_equal(left, 0);
}

struct dataplane_port_counters rig_counters(struct rig *rig, uint32_t port)
{
    struct dataplane_port_counters counters;
    dataplane_port_counters(rig->dp, port, &counters);
    return counters;
}

struct weir_account_counters rig_account(struct rig *rig, uint32_t port, uint32_t tc)
{
    struct weir_account_counters counters;
    dataplane_account_counters(rig->dp, port, tc, &counters);
    return counters;
}

/* The two equations of dataplane.h, and the MMU's own. Everything has stopped. */
static void rig_balance(struct rig *rig)
{
    uint64_t offered = 0, refused = 0, ended = 0;
    for (uint32_t p = 0; p < rig->config.ports; p++) {
        struct dataplane_port_counters c = rig_counters(rig, p);
        uint64_t discarded = 0, sent = 0;
        for (uint32_t d = 0; d < DATAPLANE_DISCARDS; d++)
            discarded += c.discarded[d];
        assert_int_equal(c.in_packets + c.copies, discarded + c.control_in + c.offered);
        for (uint32_t tc = 0; tc < rig->mmu.classes; tc++) {
            struct weir_account_counters a = rig_account(rig, p, tc);
            assert_int_equal(a.current_bytes, 0);
            sent += a.packets;
            refused += a.dropped_by_cause[WEIR_CAUSE_REFUSED];
            ended += a.packets + a.dropped_packets;
            offered += a.trim_packets;
            assert_int_equal(a.trim_packets, a.tx_trim_packets + a.dropped_trim_packets);
        }
        assert_int_equal(sent + c.control_out, c.out_packets + c.out_lost);
        offered += c.offered;
    }
    assert_int_equal(offered, ended);
    assert_true(refused <= offered);
}

void rig_stop(struct rig *rig, weir_ps grace_ps)
{
    dataplane_stop(rig->dp, grace_ps);
}

void rig_end(struct rig *rig)
{
    struct dataplane_status status;
    struct rte_mbuf *mbuf;
    rig_stop(rig, RIG_GRACE);
    rig_balance(rig);
    for (uint32_t p = 0; p < RIG_PORTS; p++) {
        while ((mbuf = rig_take(p)))
            mbuf_free(mbuf);
        world.put = 0;
        while (rte_ring_sc_dequeue(world.in[p], (void **)&mbuf) == 0)
            mbuf_free(mbuf);
    }
    dataplane_status(rig->dp, &status);
    assert_int_equal(status.mbufs_in_use, rig->mbufs_in_use);
    assert_int_equal(rte_mempool_in_use_count(world.pool), 0);
    dataplane_free(rig->dp);
}
