/*
 * naive_sai_queues.c - queues with pools and profiles for the naive model.
 */
#include "naive_sai.h"
#include "weir/random.h"

/* RED by the length of the queue with the packet in it. */
static bool sai_queues_is_lost(const struct weir_naive *n, const struct weir_arrival *arrival)
{
    uint32_t tc = arrival->tc.i;
    int64_t low = naive_value(n, "wred_low", tc), high = naive_value(n, "wred_high", tc) / n->config.cell_bytes;
    if (low == WEIR_AUTO || (arrival->flags & WEIR_FLAG_ECN && naive_value(n, "wred_all", tc) == 0))
        return false;
    weir_cells cells = arrival->cells;
    low /= n->config.cell_bytes;
    for (uint32_t i = 0; i < n->packet_count; i++)
        cells += n->packet[i].account.i == arrival->account.i ? n->packet[i].cells : 0;
    if (cells < low || cells > high)
        return cells >= low;
    int64_t chance = naive_value(n, "wred_chance", tc);
    chance = high > low ? chance * (cells - low) / (high - low) : chance;
    return (int64_t)(weir_hash(0, arrival->index) >> 48) < chance;
}

static enum weir_reason sai_queues_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    struct naive_sai_account at = {false, arrival->port.i, arrival->tc.i};
    weir_cells added = naive_is_lossless(n, at.tc) ? naive_sai_added(n, at, arrival->cells)
                                                   : naive_need(n, arrival->account, arrival->cells);
    return added > 0 && sai_queues_is_lost(n, arrival) ? WEIR_REASON_OVER_THRESHOLD : naive_sai_admit(n, at, added);
}

const struct naive_policy naive_sai_queues = {.name = "sai-queues", .admit = sai_queues_admit, .asks_lossless = true};
