/*
 * wires.c - see wires.h.
 */
#define _GNU_SOURCE 1
#include "wires.h"

#include <inttypes.h>
#include <rte_eth_ring.h>
#include <rte_ethdev.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/error_line.h"
#include "weir/headroom.h"

#define MEMORY_MIB 512u
#define WIRES_SKIPPED 77 /* meson's word for it */
#define LOSSLESS_MASK 0x0eu
#define MTU_FRAME_BYTES 1522u

static uint32_t allowed_cpu(bool last)
{
    cpu_set_t set;
    uint32_t found = 0;
    if (sched_getaffinity(0, sizeof(set), &set) != 0)
        return 0;
    for (uint32_t cpu = 0, count = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &set) && (last || count++ == 0))
            found = cpu;
    return found;
}

void wires_config(struct dataplane_config *config, bool pipeline)
{
    static const bool on_last[DATAPLANE_MODULES] = {[DATAPLANE_FORWARD] = true, [DATAPLANE_EXPEL] = true};
    dataplane_config_init(config);
    for (uint32_t module = 0; module < DATAPLANE_MODULES; module++)
        config->cpus[module] = (struct dataplane_cpus){.cpu = {allowed_cpu(!pipeline || on_last[module])}, .count = 1};
    config->memory_mib = MEMORY_MIB;
    config->no_huge = true;
    config->sleeps = true;
}

void wires_environment(const char *program)
{
    static const char *const devices[] = {"net_ring"};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct dataplane_config config; /* its processors and memory are what matters here */
    struct weir_mmu_config mmu;
    weir_mmu_config_init(&mmu, 1, 1, 1);
    wires_config(&config, true);
    config.ports = 1;
    config.devices = devices;
    config.sw = (struct weir_switch_config){.ports = 1, .ports_per_mmu = 1, .mmu = &mmu};
    mmu.egress = weir_policy_find("cs");
    if (!dataplane_environment(&config, program, &error)) {
        printf("skipped: %s\n", ERROR_LINE(&error));
        exit(WIRES_SKIPPED);
    }
}

void wires_make(struct wires *wires, uint32_t ports, uint32_t mbufs, uint32_t private_bytes)
{
    static uint32_t made; /* names of rings and devices must differ from those of before */
    char name[32];
    assert_true(ports <= WIRES_PORTS);
    memset(wires, 0, sizeof(*wires));
    wires->ports = ports;
    snprintf(name, sizeof(name), "wires%u", made);
    wires->pool = rte_pktmbuf_pool_create(name, mbufs, WIRES_BURST, (uint16_t)private_bytes,
                                          RTE_PKTMBUF_HEADROOM + WIRES_SEGMENT_BYTES, SOCKET_ID_ANY);
    assert_non_null(wires->pool);
    for (uint32_t p = 0; p < ports; p++) {
        snprintf(name, sizeof(name), "in%u_%u", made, p);
        wires->in[p] = rte_ring_create(name, WIRES_RING_FRAMES, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
        snprintf(name, sizeof(name), "out%u_%u", made, p);
        wires->out[p] = rte_ring_create(name, WIRES_RING_FRAMES, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
        assert_non_null(wires->in[p]);
        assert_non_null(wires->out[p]);
        snprintf(name, sizeof(name), "wire%u_%u", made, p);
        int device = rte_eth_from_rings(name, &wires->in[p], 1, &wires->out[p], 1, 0);
        assert_true(device >= 0);
        wires->device[p] = (uint16_t)device;
        assert_int_equal(rte_eth_dev_get_name_by_port(wires->device[p], wires->name[p]), 0);
        wires->names[p] = wires->name[p];
    }
    made++;
}

void wires_free(struct wires *wires)
{
    for (uint32_t p = 0; p < wires->ports; p++) {
        assert_int_equal(rte_ring_count(wires->in[p]), 0);
        assert_int_equal(rte_ring_count(wires->out[p]), 0);
    }
    assert_int_equal(rte_mempool_in_use_count(wires->pool), 0);
    for (uint32_t p = 0; p < wires->ports; p++) {
        rte_eth_dev_close(wires->device[p]);
        rte_ring_free(wires->in[p]);
        rte_ring_free(wires->out[p]);
    }
    rte_mempool_free(wires->pool);
}

void wires_address(uint8_t mac[6], uint32_t port)
{
    const uint8_t bytes[6] = {0x02, 0, 0, 0, 0, (uint8_t)(port + 1)};
    memcpy(mac, bytes, sizeof(bytes));
}

void wires_policy(struct weir_mmu_config *mmu, const struct weir_policy *policy)
{
    bool headroom = policy->needs & WEIR_NEED_INGRESS;
    mmu->egress = headroom ? weir_policy_find("dt") : policy;
    mmu->ingress = headroom ? policy : NULL;
    mmu->gives = WEIR_GIVES_FLOWS;
    if (!headroom)
        return;
    mmu->lossless_mask = LOSSLESS_MASK;
    mmu->uplink = (struct weir_uplink){.delay_ps = WEIR_PS_PER_US, .mtu_bytes = MTU_FRAME_BYTES, .gap_bytes = 24};
    mmu->uplink.headroom_cells = weir_headroom_safe_cells(&mmu->uplink, mmu->rate_bps, mmu->cell_bytes);
    mmu->headroom_cells = weir_mmu_headroom_cells(mmu);
    mmu->buffer_cells += mmu->headroom_cells;
}

void wires_count(struct dataplane *dataplane, const struct dataplane_config *config, struct wires_sums *sums)
{
    memset(sums, 0, sizeof(*sums));
    for (uint32_t p = 0; p < config->ports; p++) {
        struct dataplane_port_counters port;
        dataplane_port_counters(dataplane, p, &port);
        sums->in += port.in_packets;
        sums->out += port.out_packets;
        sums->lost += port.out_lost;
        sums->copies += port.copies;
        sums->control_in += port.control_in;
        sums->control_out += port.control_out;
        sums->offered += port.offered;
        for (uint32_t d = 0; d < DATAPLANE_DISCARDS; d++)
            sums->discarded += port.discarded[d];
        for (uint32_t tc = 0; tc < config->sw.mmu->classes; tc++) {
            struct weir_account_counters account;
            dataplane_account_counters(dataplane, p, tc, &account);
            sums->sent += account.packets;
            sums->dropped += account.dropped_packets;
            sums->trimmed += account.trim_packets;
            sums->copies_ended += account.tx_trim_packets + account.dropped_trim_packets;
            sums->held_bytes += account.current_bytes;
        }
    }
}

bool wires_balanced(const struct wires_sums *sums)
{
    return sums->in + sums->copies == sums->discarded + sums->control_in + sums->offered &&
           sums->offered + sums->trimmed == sums->sent + sums->dropped && sums->trimmed == sums->copies_ended &&
           sums->held_bytes == 0 && sums->out + sums->lost == sums->sent + sums->control_out;
}

void wires_print(const struct wires_sums *sums)
{
    print_message("in %" PRIu64 " + copies %" PRIu64 " = discarded %" PRIu64 " + control %" PRIu64 " + offered %" PRIu64
                  "\n",
                  sums->in, sums->copies, sums->discarded, sums->control_in, sums->offered);
    print_message("offered + trimmed %" PRIu64 " = sent %" PRIu64 " + dropped %" PRIu64 "; held %" PRIu64 " bytes\n",
                  sums->trimmed, sums->sent, sums->dropped, sums->held_bytes);
    print_message("sent + control %" PRIu64 " = out %" PRIu64 " + lost %" PRIu64 "\n", sums->control_out, sums->out,
                  sums->lost);
}
