/*
 * naive_sai.h - pools and profiles for the naive model: what sai-groups and sai-queues have in common.
 *
 * A side has accounts (port, class): ports are inputs at the ingress, outputs at the egress. u of an account is what it
 * holds above its minimum without headroom, F of a pool its size without the u of all its accounts.
 */
#ifndef WEIR_NAIVE_SAI_H
#define WEIR_NAIVE_SAI_H

#include "naive_internal.h"

struct naive_sai_account {
    bool ingress;
    uint32_t port, tc;
};

weir_cells naive_sai_held(const struct weir_naive *n, struct naive_sai_account at);
weir_cells naive_sai_free(const struct weir_naive *n, struct naive_sai_account at);

/* What the account, and all of its port in its pool, may hold; and what the port does. */
weir_cells naive_sai_threshold(const struct weir_naive *n, struct naive_sai_account at);
weir_cells naive_sai_port_threshold(const struct weir_naive *n, struct naive_sai_account at);
weir_cells naive_sai_port_held(const struct weir_naive *n, struct naive_sai_account at);

/* A packet that adds so much to u: enters, as long as all stay within. */
enum weir_reason naive_sai_admit(const struct weir_naive *n, struct naive_sai_account at, weir_cells added);

/* Of classes that are one group, the account of the first; of others their own. */
struct naive_sai_account naive_sai_first(const struct weir_naive *n, struct naive_sai_account at);

/* Whether two classes share a group. */
bool naive_sai_is_one(const struct weir_naive *n, uint32_t one, uint32_t two);

/* What so many cells more add to u of an account that the other side governs. */
weir_cells naive_sai_added(const struct weir_naive *n, struct naive_sai_account at, weir_cells cells);

#endif
