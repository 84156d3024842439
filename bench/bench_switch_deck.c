/*
 * bench_switch_deck.c - the frames that weir-bench-switch sends round.
 */
#include "bench_switch.h"

#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_udp.h>
#include <string.h>

#include "switch/dpdk/dataplane_internal.h"
#include "weir/random.h"

#define BENCH_POOL (4 * BENCH_HANDS * BENCH_HAND - 1) /* mbufs; a processor keeps some to itself */

void bench_address(uint8_t mac[6], uint32_t port)
{
    const uint8_t bytes[6] = {0x02, 0, 0, 0, 0, (uint8_t)(port + 1)};
    memcpy(mac, bytes, sizeof(bytes));
}

static void frame_write(struct rte_mbuf *mbuf, uint32_t input, uint32_t output, uint32_t tc)
{
    struct rte_ether_hdr *ether = rte_pktmbuf_mtod(mbuf, struct rte_ether_hdr *);
    struct rte_ipv4_hdr *ip = (struct rte_ipv4_hdr *)(ether + 1);
    struct rte_udp_hdr *udp = (struct rte_udp_hdr *)(ip + 1);
    memset(ether, 0, BENCH_FRAME_BYTES);
    bench_address(ether->dst_addr.addr_bytes, output);
    bench_address(ether->src_addr.addr_bytes, input);
    ether->ether_type = rte_cpu_to_be_16(RTE_ETHER_TYPE_IPV4);
    ip->version_ihl = RTE_IPV4_VHL_DEF;
    ip->type_of_service = (uint8_t)(tc << 5);
    ip->total_length = rte_cpu_to_be_16(BENCH_FRAME_BYTES - sizeof(*ether));
    ip->time_to_live = 64;
    ip->next_proto_id = IPPROTO_UDP;
    ip->src_addr = rte_cpu_to_be_32(RTE_IPV4(10, 0, 0, input + 1));
    ip->dst_addr = rte_cpu_to_be_32(RTE_IPV4(10, 0, 0, output + 1));
    ip->hdr_checksum = rte_ipv4_cksum(ip);
    udp->src_port = rte_cpu_to_be_16(1024);
    udp->dst_port = rte_cpu_to_be_16(9);
    udp->dgram_len = rte_cpu_to_be_16(BENCH_FRAME_BYTES - sizeof(*ether) - sizeof(*ip));
    mbuf->data_len = BENCH_FRAME_BYTES;
    mbuf->pkt_len = BENCH_FRAME_BYTES;
}

/* A hand has as many frames for every port: each input sends equally many to each of the others, and what is left over
 * to the next ones; the order is drawn. */
static void outputs_deal(uint8_t outputs[BENCH_BURST], uint32_t input, struct weir_random *random)
{
    for (uint32_t i = 0; i < BENCH_BURST; i++)
        outputs[i] = (uint8_t)((input + 1 + i % (BENCH_PORTS - 1)) % BENCH_PORTS);
    for (uint32_t i = BENCH_BURST - 1; i > 0; i--) {
        uint32_t other = weir_random_below(random, i + 1);
        uint8_t output = outputs[i];
        outputs[i] = outputs[other];
        outputs[other] = output;
    }
}

bool bench_deck_make(struct bench_deck *deck, const struct dataplane_config *config)
{
    struct weir_random random = weir_random_stream(1, "deck");
    memset(deck, 0, sizeof(*deck));
    deck->pool = pool_create(config, "deck", BENCH_POOL);
    if (!deck->pool)
        return false;
    for (uint32_t hand = 0; hand < BENCH_HANDS; hand++)
        for (uint32_t input = 0; input < BENCH_PORTS; input++) {
            outputs_deal(deck->output[hand][input], input, &random);
            for (uint32_t i = 0; i < BENCH_BURST; i++) {
                struct rte_mbuf *mbuf = rte_pktmbuf_alloc(deck->pool);
                if (!mbuf)
                    return false;
                deck->hand[hand][input][i] = mbuf;
                deck->tc[hand][input][i] = (uint8_t)weir_random_below(&random, BENCH_CLASSES);
                frame_write(mbuf, input, deck->output[hand][input][i], deck->tc[hand][input][i]);
            }
        }
    return true;
}

void bench_deck_free(struct bench_deck *deck)
{
    for (uint32_t hand = 0; hand < BENCH_HANDS; hand++)
        for (uint32_t input = 0; input < BENCH_PORTS; input++)
            rte_pktmbuf_free_bulk(deck->hand[hand][input], BENCH_BURST);
    rte_mempool_free(deck->pool);
}
