/*
 * naive.c - the naive model as an object: its twins and their parameters, and its pools as the list of packets gives
 * them. The calls are in naive_calls.c, the ingress side is in naive_ingress.c.
 *
 * An account's private minimum fills first and empties last, so its private part is min(cells, minimum) and the rest is
 * shared. Accounts of lossless classes hold nothing of the pools on the egress side: their cells are charged to the
 * queue of the port they came in by. Memory is taken only in weir_naive_new.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "naive_internal.h"
#include "weir/trace.h"

#define POLICY(name) extern const struct naive_policy naive_##name;
#define SCHEME(name) extern const struct naive_scheme naive_##name;
#include "registry.def"
#undef POLICY
#undef SCHEME

#define POLICY(name) &naive_##name,
#define SCHEME(name)
static const struct naive_policy *const naive_policies[] = {
#include "registry.def"
};
#undef POLICY
#undef SCHEME

#define POLICY(name)
#define SCHEME(name) &naive_##name,
static const struct naive_scheme *const naive_schemes[] = {
#include "registry.def"
};
#undef POLICY
#undef SCHEME

static const struct naive_policy *naive_policy_find(const char *name)
{
    for (size_t i = 0; i < sizeof naive_policies / sizeof naive_policies[0]; i++)
        if (strcmp(naive_policies[i]->name, name) == 0)
            return naive_policies[i];
    return NULL;
}

const struct naive_scheme *naive_scheme_find(const char *name)
{
    for (size_t i = 0; i < sizeof naive_schemes / sizeof naive_schemes[0]; i++)
        if (strcmp(naive_schemes[i]->name, name) == 0)
            return naive_schemes[i];
    return NULL;
}

static uint32_t naive_param(const struct weir_policy *policy, const char *name)
{
    for (uint32_t i = 0; i < policy->param_count; i++)
        if (strcmp(policy->params[i].name, name) == 0)
            return i;
    assert(!"a parameter of this name");
    abort();
}

int64_t naive_value(const struct weir_naive *n, const char *name, uint32_t tc)
{
    return n->values.of[naive_param(n->config.egress, name)][tc];
}

int64_t naive_scheme_value(const struct weir_naive *n, const char *name, uint32_t tc)
{
    return n->ingress_values.of[naive_param(n->config.ingress, name)][tc];
}

weir_cells naive_space(const struct weir_naive *n, const char *name, uint32_t tc, weir_cells automatic)
{
    int64_t bytes = naive_value(n, name, tc);
    return bytes == WEIR_AUTO ? automatic : weir_cells_for_bytes(bytes, n->config.cell_bytes);
}

bool naive_chooses(const struct weir_naive *n, const char *name, const char *choice)
{
    const struct weir_param *param = &n->config.egress->params[naive_param(n->config.egress, name)];
    return strcmp(param->choices[naive_value(n, name, 0)], choice) == 0;
}

enum weir_reason naive_over(bool over)
{
    return over ? WEIR_REASON_OVER_THRESHOLD : WEIR_REASON_NONE;
}

weir_cells naive_alpha_free(const struct weir_naive *n, uint32_t tc)
{
    return weir_q16_mul(naive_value(n, "alpha", tc), naive_shared_free(n));
}

enum weir_reason naive_port_over(const struct weir_naive *n, const struct weir_arrival *arrival, weir_cells threshold)
{
    weir_cells length = n->port[arrival->port.i].shared_cells + naive_need(n, arrival->account, arrival->cells);
    return naive_over(length > threshold);
}

weir_cells naive_shared_size(const struct weir_naive *n)
{
    weir_cells size = n->config.buffer_cells - n->config.headroom_cells;
    for (uint32_t a = 0; a < n->account_count; a++)
        size -= n->account[a].private_limit;
    return size - naive_ingress_private(n);
}

weir_cells naive_shared_free(const struct weir_naive *n)
{
    return naive_shared_size(n) - n->shared_used_cells;
}

static weir_cells naive_shared_part(const struct naive_account *account, weir_cells cells)
{
    return cells > account->private_limit ? cells - account->private_limit : 0;
}

weir_cells naive_need(const struct weir_naive *n, weir_account account, weir_cells cells)
{
    const struct naive_account *a = &n->account[account.i];
    return naive_shared_part(a, a->cells + cells) - a->shared_cells;
}

weir_account naive_longest(const struct weir_naive *n, uint32_t class_max)
{
    weir_account longest = WEIR_NO_ACCOUNT;
    weir_cells most = 0;
    for (uint32_t a = 0; a < n->account_count; a++) {
        if (n->account[a].tc.i <= class_max && n->account[a].shared_cells > most) {
            most = n->account[a].shared_cells;
            longest.i = a;
        }
    }
    return longest;
}

void naive_measure(struct weir_naive *n)
{
    n->used_cells = n->shared_used_cells = 0;
    for (uint32_t p = 0; p < n->config.ports; p++)
        n->port[p].shared_cells = 0;
    for (uint32_t a = 0; a < n->account_count; a++)
        n->account[a].cells = 0;
    for (uint32_t i = 0; i < n->packet_count; i++)
        n->account[n->packet[i].account.i].cells += n->packet[i].cells;
    for (uint32_t a = 0; a < n->account_count; a++) {
        struct naive_account *account = &n->account[a];
        account->shared_cells = naive_is_lossless(n, account->tc.i) ? 0 : naive_shared_part(account, account->cells);
        n->port[account->port.i].shared_cells += account->shared_cells;
        n->used_cells += account->cells;
        n->shared_used_cells += account->shared_cells;
    }
    naive_ingress_measure(n);
}

static bool naive_allocate(struct weir_naive *n)
{
    const struct weir_mmu_config *config = &n->config;
    n->account_count = config->ports * config->classes;
    n->packet_room = config->packets_max < config->buffer_cells ? config->packets_max : (uint32_t)config->buffer_cells;
    uint32_t lost_room = config->evictions_max < n->packet_room ? config->evictions_max : n->packet_room;
    n->account = calloc(n->account_count, sizeof n->account[0]);
    n->port = calloc(config->ports, sizeof n->port[0]);
    size_t state_size = n->policy->state_size != NULL ? n->policy->state_size(n) : 0;
    n->state = calloc(1, state_size + 1);
    n->packet = calloc(n->packet_room, sizeof n->packet[0]);
    n->saved = calloc(n->packet_room, sizeof n->saved[0]);
    n->lost = calloc((size_t)lost_room + 1, sizeof n->lost[0]);
    n->copy_room = n->packet_room + 1; /* each was in the buffer, or is the arrival */
    n->copy = calloc(n->copy_room, sizeof n->copy[0]);
    if (n->config.egress->flow_table != NULL) {
        struct weir_geometry geometry = {.ports = config->ports, .classes = config->classes};
        n->flow_shape = n->config.egress->flow_table(&geometry, &n->values);
    }
    n->flow = calloc((size_t)n->flow_shape.entries + 1, sizeof n->flow[0]);
    return n->flow != NULL && n->account != NULL && n->port != NULL && n->state != NULL && n->packet != NULL &&
           n->saved != NULL && n->lost != NULL && n->copy != NULL;
}

static void naive_init(struct weir_naive *n)
{
    const struct weir_mmu_config *config = &n->config;
    for (uint32_t p = 0; p < config->ports; p++)
        n->port[p].rate_bps = config->rates_bps != NULL ? config->rates_bps[p] : config->rate_bps;
    for (uint32_t a = 0; a < n->account_count; a++) {
        struct naive_account *account = &n->account[a];
        account->port.i = a % config->ports;
        account->tc.i = a / config->ports;
        bool lossless = naive_is_lossless(n, account->tc.i);
        account->private_limit = lossless ? 0 : config->private_cells[account->tc.i];
        n->lossy_count += lossless ? 0 : 1;
    }
    naive_memory_start(n);
    naive_measure(n);
    if (n->policy->init != NULL)
        n->policy->init(n);
}

struct weir_naive *weir_naive_new(const struct weir_mmu_config *config)
{
    const struct naive_policy *policy = naive_policy_find(config->egress->name);
    bool oracle_missing = (config->egress->needs & WEIR_NEED_ORACLE) != 0 && config->oracle == NULL;
    if (policy == NULL || oracle_missing)
        return NULL;
    struct weir_naive *n = calloc(1, sizeof *n);
    if (n == NULL)
        return NULL;
    n->config = *config;
    n->policy = policy;
    if (config->egress_values != NULL)
        n->values = *config->egress_values;
    else
        weir_values_init(&n->values, config->egress);
    if (!naive_allocate(n) || !naive_ingress_new(n)) {
        weir_naive_free(n);
        return NULL;
    }
    naive_init(n);
    return n;
}

void weir_naive_free(struct weir_naive *naive)
{
    if (naive == NULL)
        return;
    naive_ingress_free(naive);
    free(naive->account);
    free(naive->port);
    free(naive->state);
    free(naive->packet);
    free(naive->saved);
    free(naive->lost);
    free(naive->copy);
    free(naive->flow);
    free(naive);
}

uint64_t weir_naive_hash(const struct weir_naive *naive)
{
    uint64_t hash = weir_state_hash_start();
    for (uint32_t a = 0; a < naive->account_count; a++) {
        hash = weir_state_hash_account(hash, (weir_account){a}, naive->account[a].cells);
        for (uint32_t i = 0; i < naive->packet_count; i++)
            if (naive->packet[i].account.i == a)
                hash = weir_state_hash_packet(hash, naive->packet[i].index, naive->packet[i].cells);
    }
    struct weir_pools pools = {naive->used_cells, naive->shared_used_cells, naive->headroom_used_cells};
    return weir_state_hash_finish(hash, &pools);
}
