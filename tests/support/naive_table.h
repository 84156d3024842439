/*
 * naive_table.h - the naive model against tables of events and what should become of them, worked out by hand.
 *
 * Unless a table says otherwise there are 2 ports, 1 class and 100 cells of 1 byte, ports of 8 Gb/s (a byte takes a
 * nanosecond) and a memory of the same rate with a bucket of 20 cells.
 */
#ifndef TESTS_SUPPORT_NAIVE_TABLE_H
#define TESTS_SUPPORT_NAIVE_TABLE_H

#include "tests/support/fixture.h"

#include <stdio.h>

#include "weir/naive.h"

#define NS WEIR_PS_PER_NS
#define US WEIR_PS_PER_US
#define STEPS(table) table, sizeof table / sizeof table[0]

enum op { ARRIVE, LEAVE, IDLE, EXPEL, FLUSH };

/* ARRIVE: at = port, reason expected. LEAVE: at = account, sent = index expected or -1. `lost`: indices, in order. */
struct step {
    enum op op;
    weir_ps now;
    uint32_t at, tc, bytes;
    enum weir_reason reason;
    int64_t sent;
    const char *lost;
    uint32_t flags;
};

#define OK WEIR_REASON_NONE
#define OVER WEIR_REASON_OVER_THRESHOLD
#define NO_ROOM WEIR_REASON_NO_ROOM
#define ARRIVES(now, port, tc, bytes, reason)                                                                          \
    {                                                                                                                  \
        ARRIVE, now, port, tc, bytes, reason, 0, "", 0                                                                 \
    }
#define PUSHES(now, port, tc, bytes, lost)                                                                             \
    {                                                                                                                  \
        ARRIVE, now, port, tc, bytes, OK, 0, lost, 0                                                                   \
    }
#define BOOSTED(now, port, tc, bytes, reason)                                                                          \
    {                                                                                                                  \
        ARRIVE, now, port, tc, bytes, reason, 0, "", WEIR_FLAG_UNSCHEDULED                                             \
    }
#define SENDS(now, account, index)                                                                                     \
    {                                                                                                                  \
        LEAVE, now, account, 0, 0, OK, index, "", 0                                                                    \
    }
#define DROPS(now, account, lost)                                                                                      \
    {                                                                                                                  \
        LEAVE, now, account, 0, 0, OK, -1, lost, 0                                                                     \
    }
#define IDLES(now, port)                                                                                               \
    {                                                                                                                  \
        IDLE, now, port, 0, 0, OK, 0, "", 0                                                                            \
    }
#define EXPELS(now, lost)                                                                                              \
    {                                                                                                                  \
        EXPEL, now, 0, 0, 0, OK, 0, lost, 0                                                                            \
    }
#define FLUSHES(now, port, lost)                                                                                       \
    {                                                                                                                  \
        FLUSH, now, port, 0, 0, OK, 0, lost, 0                                                                         \
    }

/* Port 0 gets three packets, the last of them at `now`. */
#define THREE_TENS(now) ARRIVES(0, 0, 0, 10, OK), ARRIVES(0, 0, 0, 10, OK), ARRIVES(now, 0, 0, 10, OK)

struct model {
    struct weir_mmu_config config;
    struct weir_values values;
    struct weir_naive *naive;
};

static inline void model_config(struct model *m, uint32_t ports, uint32_t classes)
{
    weir_mmu_config_init(&m->config, ports, classes, 100);
    m->config.rate_bps = m->config.memory_bps = 8000000000;
    m->config.memory_cell_bytes = 1;
    m->config.memory_depth_cells = 20;
    m->config.packets_max = 50;
    m->config.evictions_max = 8;
}

static inline void model_build(struct model *m, const char *policy, const char *settings)
{
    m->config.egress = weir_policy_find(policy);
    assert_non_null(m->config.egress);
    fixture_values(&m->values, m->config.egress, settings);
    m->config.egress_values = &m->values;
    m->naive = weir_naive_new(&m->config);
    assert_non_null(m->naive);
}

static inline struct weir_naive_result model_step(struct model *m, const struct step *s)
{
    struct weir_packet packet = {.output = {s->at}, .tc = {s->tc}, .bytes = s->bytes, .flags = s->flags};
    switch (s->op) {
    case ARRIVE:
        return weir_naive_arrive(m->naive, &packet, s->now);
    case LEAVE:
        return weir_naive_leave(m->naive, (weir_account){s->at}, s->now);
    case EXPEL:
        return weir_naive_offer_expel(m->naive, s->now);
    case FLUSH:
        return weir_naive_flush_classes(m->naive, (weir_port){s->at}, UINT32_MAX, s->now);
    case IDLE:
        weir_naive_idle(m->naive, (weir_port){s->at}, s->now);
    }
    return (struct weir_naive_result){.lost_count = 0};
}

static inline void model_expect(struct model *m, const struct step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct weir_naive_result r = model_step(m, &steps[i]);
        char lost[128] = "";
        for (uint32_t k = 0; k < r.lost_count; k++)
            snprintf(lost + strlen(lost), sizeof lost - strlen(lost), k > 0 ? " %u" : "%u", r.lost[k].index);
        bool leave = steps[i].op == LEAVE;
        bool right = r.reason == steps[i].reason && strcmp(lost, steps[i].lost) == 0 &&
                     (!leave || r.sent == (steps[i].sent >= 0)) && (!r.sent || r.index == steps[i].sent);
        if (!right)
            fail_msg("step %zu: %s, sent %d index %u, lost '%s'", i, weir_reason_name(r.reason), r.sent, r.index, lost);
    }
}

static inline void expect(const char *policy, const char *settings, uint32_t classes, const struct step *steps,
                          size_t count)
{
    struct model m;
    model_config(&m, 2, classes);
    model_build(&m, policy, settings);
    model_expect(&m, steps, count);
    weir_naive_free(m.naive);
}

#endif
