/*
 * naive_policies.c - the policies whose rule needs only present lengths, and those that expel: cs, es, smxq, dt,
 * harmonic, lqd, occamy and occamy-p4; and how every naive policy reads its parameters.
 *
 * Throughout, B is the size of the shared pool, F what is free of it, q what an account holds of it and need what
 * the arrival would take from it. "Over" means: refuse as over threshold.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "naive_internal.h"

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

int64_t naive_scheme_value(const struct weir_naive *n, const char *name)
{
    return n->ingress_values.of[naive_param(n->config.ingress, name)][0];
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

static enum weir_reason naive_unless(bool over)
{
    return over ? WEIR_REASON_OVER_THRESHOLD : WEIR_REASON_NONE;
}

/* Complete sharing: room is all it takes. */
static enum weir_reason cs_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    (void)n;
    (void)arrival;
    return WEIR_REASON_NONE;
}

/* Equal split: over if port + need > B / ports, or q + need > B / accounts. */
static enum weir_reason es_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    bool by_port = naive_chooses(n, "over", "port");
    weir_cells held = by_port ? n->port[arrival->port.i].shared_cells : n->account[arrival->account.i].shared_cells;
    weir_cells share = naive_shared_size(n) / (by_port ? n->config.ports : n->lossy_count);
    return naive_unless(held + naive_need(n, arrival->account, arrival->cells) > share);
}

/* Largest r with r * r <= square. */
static int64_t naive_root(int64_t square)
{
    int64_t root = 0;
    for (int64_t bit = INT64_C(1) << 31; bit > 0; bit >>= 1)
        if ((root + bit) * (root + bit) <= square)
            root += bit;
    return root;
}

/* Static threshold: over if q + need > limit, by default B / sqrt(accounts). */
static enum weir_reason smxq_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    weir_cells size = naive_shared_size(n);
    weir_cells need = naive_need(n, arrival->account, arrival->cells);
    weir_cells limit = naive_space(n, "limit", arrival->tc.i, naive_root(size * size / n->lossy_count));
    return naive_unless(n->account[arrival->account.i].shared_cells + need > limit);
}

static weir_cells dt_threshold(const struct weir_naive *n, uint32_t tc)
{
    return weir_q16_mul(naive_value(n, "alpha", tc), naive_shared_free(n));
}

/* Dynamic threshold: over if q + need > alpha F. */
static enum weir_reason dt_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    weir_cells need = naive_need(n, arrival->account, arrival->cells);
    weir_cells length = n->account[arrival->account.i].shared_cells + need;
    return naive_unless(length > dt_threshold(n, arrival->tc.i));
}

static int harmonic_compare(const void *left, const void *right)
{
    weir_cells l = *(const weir_cells *)left, r = *(const weir_cells *)right;
    return (l < r) - (l > r);
}

/* Harmonic: over if, for some k, the k longest accounts would hold more than B (1 + 1/2 + ... + 1/k) / H_N. */
static enum weir_reason harmonic_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    int64_t whole = 0, part = 0;
    for (uint32_t a = 0; a < n->account_count; a++)
        n->sorted[a] = n->account[a].shared_cells;
    for (uint32_t k = 0; k < n->lossy_count; k++)
        whole += (1 << 20) / (k + 1);
    n->sorted[arrival->account.i] += naive_need(n, arrival->account, arrival->cells);
    qsort(n->sorted, n->account_count, sizeof n->sorted[0], harmonic_compare);
    weir_cells together = 0;
    for (uint32_t k = 0; k < n->lossy_count; k++) {
        together += n->sorted[k];
        part += (1 << 20) / (k + 1);
        if (together > naive_shared_size(n) * part / whole)
            return WEIR_REASON_OVER_THRESHOLD;
    }
    return WEIR_REASON_NONE;
}

/* Longest queue drop: the longest account loses, unless the arrival's own would then be as long. */
static struct weir_victim lqd_victim(const struct weir_naive *n, const struct weir_question *question)
{
    struct weir_victim victim = {WEIR_NO_ACCOUNT, naive_chooses(n, "remove", "tail")};
    if (question->why != WEIR_WHY_PUSHOUT)
        return victim;
    const struct weir_arrival *arrival = question->arrival;
    bool priority = naive_value(n, "priority", 0) != 0;
    weir_account longest = naive_longest(n, priority ? arrival->tc.i : n->config.classes);
    weir_cells own = n->account[arrival->account.i].shared_cells + naive_need(n, arrival->account, arrival->cells);
    if (longest.i < n->account_count && longest.i != arrival->account.i && n->account[longest.i].shared_cells > own)
        victim.account = longest;
    return victim;
}

static void occamy_init(struct weir_naive *n)
{
    n->cursor = WEIR_NO_ACCOUNT;
}

/* Occamy: admission by dynamic threshold, if wished not for an empty account. */
static enum weir_reason occamy_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    if (naive_value(n, "empty_exception", 0) != 0 && n->account[arrival->account.i].cells == 0)
        return WEIR_REASON_NONE;
    return dt_admit(n, arrival);
}

/* Expulsion: a head of an account with q > alpha F, in turn after the last victim or from the longest of them. */
static struct weir_victim occamy_victim(const struct weir_naive *n, const struct weir_question *question)
{
    struct weir_victim victim = {WEIR_NO_ACCOUNT, false};
    bool in_turn = naive_chooses(n, "select", "round-robin");
    uint32_t first = in_turn && n->cursor.i < n->account_count ? n->cursor.i + 1 : 0;
    weir_cells most = 0;
    for (uint32_t i = 0; question->why == WEIR_WHY_EXPEL && i < n->account_count; i++) {
        uint32_t a = (first + i) % n->account_count;
        const struct naive_account *account = &n->account[a];
        if (account->shared_cells <= dt_threshold(n, account->tc.i) || account->shared_cells <= most)
            continue;
        victim.account.i = a;
        if (in_turn)
            break;
        most = account->shared_cells;
    }
    return victim;
}

static void occamy_on_drop(struct weir_naive *n, const struct weir_event *event)
{
    if (event->cause == WEIR_CAUSE_EXPELLED)
        n->cursor = event->account;
}

static void p4_look(struct weir_naive *n)
{
    for (uint32_t a = 0; a < n->account_count; a++) {
        n->account[a].seen_cells = n->account[a].latest_cells;
        n->account[a].latest_cells = n->account[a].shared_cells;
    }
    n->seen_free_cells = n->latest_free_cells;
    n->latest_free_cells = naive_shared_free(n);
}

static void p4_init(struct weir_naive *n)
{
    p4_look(n);
    p4_look(n);
    n->boundary_ps = n->sync_ps = naive_value(n, "sync", 0);
}

/* Each boundary that passed looks once; of many at rest, two looks are as good as all. */
static void p4_on_time(struct weir_naive *n, weir_ps now)
{
    weir_ps sync = n->sync_ps;
    for (int looks = 0; n->boundary_ps <= now && looks < 2; looks++) {
        p4_look(n);
        n->boundary_ps = (n->boundary_ps / sync + 1) * sync;
    }
    if (n->boundary_ps <= now)
        n->boundary_ps = (now / sync + 1) * sync;
}

/* The P4 prototype: over if q + margin > alpha F, both as they were at the boundary before last. */
static enum weir_reason p4_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    weir_cells length = n->account[arrival->account.i].seen_cells + naive_space(n, "admit_margin", arrival->tc.i, 0);
    return naive_unless(length > weir_q16_mul(naive_value(n, "alpha", arrival->tc.i), n->seen_free_cells));
}

/* What is about to leave is dropped instead if q > alpha F + margin, as they are now. */
static struct weir_victim p4_victim(const struct weir_naive *n, const struct weir_question *question)
{
    struct weir_victim victim = {WEIR_NO_ACCOUNT, false};
    if (question->why != WEIR_WHY_DEQUEUE)
        return victim;
    const struct naive_account *account = &n->account[question->leaving.i];
    weir_cells margin = naive_space(n, "drop_margin", account->tc.i, 0);
    if (account->shared_cells > dt_threshold(n, account->tc.i) + margin)
        victim.account = question->leaving;
    return victim;
}

const struct naive_policy naive_cs = {.name = "cs", .admit = cs_admit};
const struct naive_policy naive_es = {.name = "es", .admit = es_admit};
const struct naive_policy naive_smxq = {.name = "smxq", .admit = smxq_admit};
const struct naive_policy naive_dt = {.name = "dt", .admit = dt_admit};
const struct naive_policy naive_harmonic = {.name = "harmonic", .admit = harmonic_admit};
const struct naive_policy naive_lqd = {.name = "lqd", .admit = cs_admit, .victim = lqd_victim};
const struct naive_policy naive_occamy = {
    .name = "occamy",
    .init = occamy_init,
    .admit = occamy_admit,
    .victim = occamy_victim,
    .on_drop = occamy_on_drop,
};
const struct naive_policy naive_occamy_p4 = {
    .name = "occamy-p4",
    .init = p4_init,
    .on_time = p4_on_time,
    .admit = p4_admit,
    .victim = p4_victim,
};
