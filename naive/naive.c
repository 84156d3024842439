/*
 * naive.c - the buffer of the naive model: a list of packets, the pools, the memory arbiter and the entry points.
 *
 * Everything here is the plain reading of the rules: an account's private minimum fills first and empties last, so
 * its private part is min(cells, minimum) and the rest is shared; a head is the first packet of its account in the
 * list, a tail the last; evictions for an arrival are tried on the list itself, which is put back when they do not
 * help. Memory is taken only in weir_naive_new.
 */
#include <stdlib.h>
#include <string.h>

#include "naive_internal.h"
#include "weir/trace.h"

static const struct naive_policy *const naive_policies[] = {
    &naive_cs,  &naive_es,  &naive_smxq,   &naive_dt,        &naive_edt,       &naive_tdt,      &naive_harmonic,
    &naive_abm, &naive_lqd, &naive_occamy, &naive_occamy_p4, &naive_followlqd, &naive_credence,
};

static const struct naive_policy *naive_policy_find(const char *name)
{
    for (size_t i = 0; i < sizeof naive_policies / sizeof naive_policies[0]; i++)
        if (strcmp(naive_policies[i]->name, name) == 0)
            return naive_policies[i];
    return NULL;
}

weir_cells naive_shared_size(const struct weir_naive *n)
{
    weir_cells size = n->config.buffer_cells - n->config.headroom_cells;
    for (uint32_t a = 0; a < n->account_count; a++)
        size -= n->account[a].private_limit;
    return size;
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

static void naive_measure(struct weir_naive *n)
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
        account->shared_cells = naive_shared_part(account, account->cells);
        n->port[account->port.i].shared_cells += account->shared_cells;
        n->used_cells += account->cells;
        n->shared_used_cells += account->shared_cells;
    }
}

static void naive_remove(struct weir_naive *n, uint32_t at)
{
    n->packet_count--;
    memmove(&n->packet[at], &n->packet[at + 1], (n->packet_count - at) * sizeof n->packet[0]);
    naive_measure(n);
}

/* Place of the account's first or last packet; packet_count when it has none. */
static uint32_t naive_find(const struct weir_naive *n, weir_account account, bool tail)
{
    uint32_t found = n->packet_count;
    for (uint32_t i = 0; i < n->packet_count; i++)
        if (weir_account_is(n->packet[i].account, account) && (tail || found == n->packet_count))
            found = i;
    return found;
}

static struct weir_event naive_event(const struct weir_naive *n, weir_account account, weir_cells cells, weir_ps now)
{
    const struct naive_account *a = &n->account[account.i];
    return (struct weir_event){.now = now, .account = account, .port = a->port, .tc = a->tc, .cells = cells};
}

static void naive_lose(struct weir_naive *n, uint32_t at, enum weir_cause cause, weir_ps now)
{
    struct naive_packet packet = n->packet[at];
    n->lost[n->lost_count++] = (struct weir_naive_lost){packet.index, packet.account, cause};
    naive_remove(n, at);
    struct weir_event event = naive_event(n, packet.account, packet.cells, now);
    event.cause = cause;
    if (n->policy->on_drop != NULL)
        n->policy->on_drop(n, &event);
}

static struct weir_victim naive_ask(const struct weir_naive *n, const struct weir_question *question)
{
    return n->policy->victim != NULL ? n->policy->victim(n, question) : (struct weir_victim){WEIR_NO_ACCOUNT, false};
}

/* Time the memory needs to read so many of its cells. */
static weir_ps naive_memory_ps(const struct weir_naive *n, weir_cells memory_cells)
{
    naive_wide bps = n->config.memory_bps;
    for (uint32_t p = 0; n->config.memory_bps == 0 && p < n->config.ports; p++)
        bps += n->port[p].rate_bps;
    naive_wide cell_ps_q16 = ((naive_wide)n->config.memory_cell_bytes * 8 * WEIR_PS_PER_S * 65536 + bps - 1) / bps;
    return (weir_ps)((memory_cells * cell_ps_q16 + 65535) >> 16);
}

static weir_cells naive_memory_cells(const struct weir_naive *n, const struct naive_packet *packet)
{
    return weir_cells_for_bytes(packet->bytes, n->config.memory_cell_bytes);
}

/* The moment at which the bucket was empty, were it never fuller than its depth. */
static weir_ps naive_memory_zero_ps(const struct weir_naive *n, weir_ps now)
{
    weir_ps full_ps = now - naive_memory_ps(n, n->config.memory_depth_cells);
    return n->memory_zero_ps > full_ps ? n->memory_zero_ps : full_ps;
}

static void naive_memory_read(struct weir_naive *n, const struct naive_packet *packet, weir_ps now)
{
    n->memory_zero_ps = naive_memory_zero_ps(n, now) + naive_memory_ps(n, naive_memory_cells(n, packet));
}

static bool naive_memory_spare(const struct weir_naive *n, const struct naive_packet *packet, weir_ps now)
{
    weir_ps wanted_ps = naive_memory_ps(n, naive_memory_cells(n, packet));
    weir_ps depth_ps = naive_memory_ps(n, n->config.memory_depth_cells);
    weir_ps saved_ps = now - naive_memory_zero_ps(n, now);
    return n->config.memory_depth_cells > 0 && saved_ps >= (wanted_ps < depth_ps ? wanted_ps : depth_ps);
}

static bool naive_allocate(struct weir_naive *n)
{
    const struct weir_mmu_config *config = &n->config;
    n->account_count = config->ports * config->classes;
    n->packet_room = config->packets_max < config->buffer_cells ? config->packets_max : (uint32_t)config->buffer_cells;
    uint32_t lost_room = config->evictions_max < n->packet_room ? config->evictions_max : n->packet_room;
    n->account = calloc(n->account_count, sizeof n->account[0]);
    n->port = calloc(config->ports, sizeof n->port[0]);
    n->sorted = calloc(n->account_count, sizeof n->sorted[0]);
    n->packet = calloc(n->packet_room, sizeof n->packet[0]);
    n->saved = calloc(n->packet_room, sizeof n->saved[0]);
    n->lost = calloc((size_t)lost_room + 1, sizeof n->lost[0]);
    return n->account != NULL && n->port != NULL && n->sorted != NULL && n->packet != NULL && n->saved != NULL &&
           n->lost != NULL;
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
        account->private_limit = config->private_cells[account->tc.i];
    }
    if (config->egress_values != NULL)
        n->values = *config->egress_values;
    else
        weir_values_init(&n->values, config->egress);
    n->memory_zero_ps = -naive_memory_ps(n, config->memory_depth_cells);
    naive_measure(n);
    if (n->policy->init != NULL)
        n->policy->init(n);
}

struct weir_naive *weir_naive_new(const struct weir_mmu_config *config)
{
    const struct naive_policy *policy = naive_policy_find(config->egress->name);
    bool oracle_missing = (config->egress->needs & WEIR_NEED_ORACLE) != 0 && config->oracle == NULL;
    if (policy == NULL || oracle_missing || config->lossless_mask != 0 || config->ingress != NULL)
        return NULL;
    struct weir_naive *n = calloc(1, sizeof *n);
    if (n == NULL)
        return NULL;
    n->config = *config;
    n->policy = policy;
    if (!naive_allocate(n)) {
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
    free(naive->account);
    free(naive->port);
    free(naive->sorted);
    free(naive->packet);
    free(naive->saved);
    free(naive->lost);
    free(naive);
}

static void naive_begin(struct weir_naive *n, weir_ps now)
{
    n->lost_count = 0;
    if (n->policy->on_time != NULL)
        n->policy->on_time(n, now);
}

static struct weir_naive_result naive_result(const struct weir_naive *n)
{
    return (struct weir_naive_result){.lost_count = n->lost_count, .lost = n->lost};
}

/* Evicts until the arrival fits; puts everything back when it cannot be made to. Policies that push out do not listen
 * to drops, so there is nothing to take back from them. */
static bool naive_make_room(struct weir_naive *n, const struct weir_arrival *arrival)
{
    struct weir_question question = {.why = WEIR_WHY_PUSHOUT, .now = arrival->now, .arrival = arrival};
    uint32_t count = n->packet_count;
    memcpy(n->saved, n->packet, count * sizeof n->saved[0]);
    while (naive_need(n, arrival->account, arrival->cells) > naive_shared_free(n)) {
        struct weir_victim victim = naive_ask(n, &question);
        if (weir_account_is(victim.account, WEIR_NO_ACCOUNT) || n->lost_count >= n->config.evictions_max) {
            memcpy(n->packet, n->saved, count * sizeof n->saved[0]);
            n->packet_count = count;
            n->lost_count = 0;
            naive_measure(n);
            return false;
        }
        naive_lose(n, naive_find(n, victim.account, victim.tail), WEIR_CAUSE_PUSHOUT, arrival->now);
    }
    return true;
}

static enum weir_reason naive_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    if (arrival->cells > n->config.buffer_cells)
        return WEIR_REASON_TOO_LARGE;
    if (n->packet_count >= n->config.packets_max)
        return WEIR_REASON_NO_DESCRIPTOR;
    enum weir_reason reason = n->policy->admit(n, arrival);
    if (naive_need(n, arrival->account, arrival->cells) == 0)
        return WEIR_REASON_NONE; /* its private minimum is the account's own, whatever the policy says */
    if (reason == WEIR_REASON_NONE && !naive_make_room(n, arrival))
        reason = WEIR_REASON_NO_ROOM;
    return reason;
}

struct weir_naive_result weir_naive_arrive(struct weir_naive *naive, const struct weir_packet *packet, weir_ps now)
{
    struct weir_arrival arrival = {
        .now = now,
        .index = naive->arrivals++,
        .account = {packet->tc.i * naive->config.ports + packet->output.i},
        .port = packet->output,
        .tc = packet->tc,
        .cells = weir_cells_for_bytes(packet->bytes, naive->config.cell_bytes),
        .flags = packet->flags,
    };
    naive_begin(naive, now);
    enum weir_reason reason = naive_admit(naive, &arrival);
    struct weir_event event = naive_event(naive, arrival.account, arrival.cells, now);
    if (reason == WEIR_REASON_NONE) {
        naive->packet[naive->packet_count++] =
            (struct naive_packet){arrival.account, (uint32_t)arrival.index, packet->bytes, arrival.cells};
        naive_measure(naive);
        if (naive->policy->on_enqueue != NULL)
            naive->policy->on_enqueue(naive, &event);
    } else if (naive->policy->on_drop != NULL) {
        event.cause = WEIR_CAUSE_REFUSED;
        event.reason = reason;
        naive->policy->on_drop(naive, &event);
    }
    struct weir_naive_result result = naive_result(naive);
    result.accepted = reason == WEIR_REASON_NONE;
    result.reason = reason;
    return result;
}

struct weir_naive_result weir_naive_leave(struct weir_naive *naive, weir_account account, weir_ps now)
{
    naive_begin(naive, now);
    uint32_t head = naive_find(naive, account, false);
    if (head == naive->packet_count) /* the port's choice does not exist here: neither sent nor lost */
        return naive_result(naive);
    struct naive_packet packet = naive->packet[head];
    struct weir_question question = {.why = WEIR_WHY_DEQUEUE, .now = now, .leaving = account};
    struct naive_port *port = &naive->port[naive->account[account.i].port.i];
    /* After as many drops as one call may make the port sends unasked: it has backlog and must not stand still. */
    bool drop =
        port->drops < naive->config.evictions_max && weir_account_is(naive_ask(naive, &question).account, account);
    port->drops = drop ? port->drops + 1 : 0;
    if (drop) {
        naive_lose(naive, head, WEIR_CAUSE_DEQUEUE, now);
    } else {
        naive_remove(naive, head);
        naive_memory_read(naive, &packet, now);
        naive->account[account.i].window_cells += packet.cells;
        struct weir_event event = naive_event(naive, account, packet.cells, now);
        if (naive->policy->on_dequeue != NULL)
            naive->policy->on_dequeue(naive, &event);
    }
    struct weir_naive_result result = naive_result(naive);
    result.sent = !drop;
    result.index = packet.index;
    return result;
}

void weir_naive_idle(struct weir_naive *naive, weir_port port, weir_ps now)
{
    naive_begin(naive, now);
    naive->port[port.i].drops = 0;
    bool empty = true;
    for (uint32_t i = 0; i < naive->packet_count; i++)
        empty &= naive->account[naive->packet[i].account.i].port.i != port.i;
    if (empty && naive->policy->on_idle != NULL)
        naive->policy->on_idle(naive, port, now);
}

struct weir_naive_result weir_naive_offer_expel(struct weir_naive *naive, weir_ps now)
{
    struct weir_question question = {.why = WEIR_WHY_EXPEL, .now = now};
    naive_begin(naive, now);
    while (naive->lost_count < naive->config.evictions_max) {
        struct weir_victim victim = naive_ask(naive, &question);
        if (weir_account_is(victim.account, WEIR_NO_ACCOUNT))
            break;
        uint32_t at = naive_find(naive, victim.account, victim.tail);
        struct naive_packet packet = naive->packet[at];
        if (!naive_memory_spare(naive, &packet, now))
            break;
        naive_memory_read(naive, &packet, now);
        naive_lose(naive, at, WEIR_CAUSE_EXPELLED, now);
    }
    return naive_result(naive);
}

struct weir_naive_result weir_naive_flush(struct weir_naive *naive, weir_port port, weir_ps now)
{
    naive_begin(naive, now);
    for (uint32_t tc = 0; tc < naive->config.classes; tc++) {
        weir_account account = {tc * naive->config.ports + port.i};
        uint32_t head = naive_find(naive, account, false);
        while (head < naive->packet_count && naive->lost_count < naive->config.evictions_max) {
            naive_lose(naive, head, WEIR_CAUSE_FLUSHED, now);
            head = naive_find(naive, account, false);
        }
    }
    return naive_result(naive);
}

void weir_naive_change(struct weir_naive *naive, const struct weir_values *values, weir_ps now)
{
    naive_begin(naive, now);
    naive->values = *values;
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
    struct weir_pools pools = {.used_cells = naive->used_cells, .shared_cells = naive->shared_used_cells};
    return weir_state_hash_finish(hash, &pools);
}
