/*
 * pool.c - the memory that frames live in.
 *
 * With ordinary pages DPDK lets no mbuf lie across the end of a page, for devices that read memory by themselves. Then
 * every mbuf begins a page, all of their first lines compete for the same few places of the first-level cache, and a
 * burst does not stay there: a tenth of the switch's speed. Virtual devices need no such care, so for them mbufs lie
 * one behind the other.
 */
#include <string.h>

#include <rte_eal.h>
#include <rte_mbuf_pool_ops.h>

#include "switch/dpdk/dataplane_internal.h"

#define POOL_CACHE 256u /* mbufs that a processor caches */

static struct rte_mempool *pool_pack(const char *name, uint32_t mbufs, uint32_t mbuf_bytes)
{
    struct rte_pktmbuf_pool_private private = {.mbuf_data_room_size = (uint16_t)mbuf_bytes};
    struct rte_mempool *pool = rte_mempool_create_empty(name, mbufs, sizeof(struct rte_mbuf) + mbuf_bytes, POOL_CACHE,
                                                        sizeof private, SOCKET_ID_ANY, RTE_MEMPOOL_F_NO_IOVA_CONTIG);
    if (!pool)
        return NULL;
    rte_pktmbuf_pool_init(pool, &private);
    if (rte_mempool_set_ops_byname(pool, rte_mbuf_best_mempool_ops(), NULL) != 0 ||
        rte_mempool_populate_default(pool) < 0) {
        rte_mempool_free(pool);
        return NULL;
    }
    rte_mempool_obj_iter(pool, rte_pktmbuf_init, NULL);
    return pool;
}

struct rte_mempool *pool_create(const struct dataplane_config *config, const char *name, uint32_t mbufs)
{
    uint32_t mbuf_bytes = memory_mbuf_bytes(config);
    bool is_virtual = true;
    for (uint32_t p = 0; p < config->ports; p++)
        is_virtual &= strncmp(config->devices[p], "net_", strlen("net_")) == 0;
    if (is_virtual && !environment_has_huge_pages())
        return pool_pack(name, mbufs, mbuf_bytes);
    return rte_pktmbuf_pool_create(name, mbufs, POOL_CACHE, 0, (uint16_t)mbuf_bytes, SOCKET_ID_ANY);
}
