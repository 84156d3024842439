/*
 * memory.c - how much memory a switch needs: asked before DPDK is started, since with ordinary pages all of it is set
 * aside then, and when the pool of mbufs is made.
 */

#include <rte_mempool.h>

#include "switch/dpdk/dataplane_internal.h"

#define MEMORY_SMALLEST_FRAME 60u /* bytes; shorter ones are rare enough to share the pool with the others */
#define MEMORY_TAGS_BYTES 8u
#define MEMORY_HEADER_BYTES 18u                              /* with a check sequence */
#define MEMORY_CACHED_MBUFS (2 * RTE_MEMPOOL_CACHE_MAX_SIZE) /* at most, by a processor */
#define MEMORY_SLACK_BYTES ((uint64_t)64 << 20)              /* of DPDK itself and its drivers */
#define MEMORY_PAGE_BYTES 4096u

struct line_settings memory_line(const struct dataplane_config *config, uint32_t port, bool input)
{
    struct line_settings settings = {
        .delay_ps = config->delays_ps ? config->delays_ps[port] : 0,
        .paced = input && config->paced_inputs,
        .rate_bps = config->sw.rates_bps ? config->sw.rates_bps[port] : config->sw.mmu->rate_bps,
        .gap_bytes = config->gap_bytes,
    };
    if (settings.delay_ps > 0 || settings.paced)
        settings.frames = line_frames(&settings);
    return settings;
}

/* Packets that one MMU can hold. */
static uint64_t memory_packets(const struct weir_mmu_config *mmu)
{
    uint64_t smallest = (uint64_t)weir_cells_for_bytes(MEMORY_SMALLEST_FRAME, mmu->cell_bytes);
    uint64_t fit = (uint64_t)mmu->buffer_cells / smallest;
    return fit < mmu->packets_max ? fit : mmu->packets_max;
}

uint32_t memory_mbufs(const struct dataplane_config *config)
{
    uint32_t cpus[DATAPLANE_LCORES_MAX], lcores = dataplane_cpus(config, cpus) + 1;
    uint32_t memories = (config->ports + config->sw.ports_per_mmu - 1) / config->sw.ports_per_mmu;
    if (config->mbufs > 0)
        return config->mbufs;
    uint64_t count = memories * memory_packets(config->sw.mmu) + lcores * (uint64_t)MEMORY_CACHED_MBUFS;
    count += config->cpus[DATAPLANE_RX].count * (uint64_t)DATAPLANE_RING_FRAMES;
    count += config->ports * (uint64_t)(config->device_rx_frames + config->device_tx_frames + 2 * config->burst);
    for (uint32_t p = 0; p < config->ports; p++)
        count += memory_line(config, p, true).frames + memory_line(config, p, false).frames;
    return (uint32_t)(count < UINT32_MAX / 2 ? count : UINT32_MAX / 2);
}

uint32_t memory_mbuf_bytes(const struct dataplane_config *config)
{
    uint32_t bytes = config->mtu_bytes + MEMORY_HEADER_BYTES + MEMORY_TAGS_BYTES;
    uint32_t device = device_frame_bytes(config);
    bytes = bytes > device ? bytes : device;
    bytes = RTE_ALIGN_CEIL(bytes, RTE_CACHE_LINE_SIZE) + RTE_PKTMBUF_HEADROOM;
    return bytes > RTE_MBUF_DEFAULT_BUF_SIZE ? bytes : RTE_MBUF_DEFAULT_BUF_SIZE;
}

/* What a pool takes for so many: with ordinary pages no mbuf lies across the end of one, if it fits into one. */
static uint64_t memory_pool_bytes(uint64_t count, uint64_t mbuf)
{
    if (mbuf >= MEMORY_PAGE_BYTES)
        return count * RTE_ALIGN_CEIL(mbuf, MEMORY_PAGE_BYTES);
    return (count / (MEMORY_PAGE_BYTES / mbuf) + 1) * MEMORY_PAGE_BYTES;
}

uint64_t memory_bytes(const struct dataplane_config *config)
{
    uint64_t bytes = MEMORY_SLACK_BYTES + weir_switch_size(&config->sw);
    uint64_t mbuf = sizeof(struct rte_mbuf) + memory_mbuf_bytes(config) + sizeof(void *) + 2 * RTE_CACHE_LINE_SIZE;
    bytes += memory_pool_bytes(memory_mbufs(config), mbuf);
    bytes += mac_table_size(config->addresses_max + config->address_count);
    for (uint32_t p = 0; p < config->ports; p++) {
        struct line_settings in = memory_line(config, p, true), out = memory_line(config, p, false);
        bytes += line_size(&in) + line_size(&out);
    }
    return bytes + bytes / 8;
}
