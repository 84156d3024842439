/*
 * table1.c - see table1.h.
 *
 * Bounds: complete sharing N + 1 and DT O(N) (Hahne, Kesselman, Mansour, SPAA 2001), Harmonic ln N + 2 (Kesselman,
 * Mansour, 2004), LQD 1.707 (Antoniadis et al., ICALP 2021), Credence min(1.707 eta, N); FollowLQD's (N + 1) / 2 is a
 * lower bound, so nothing found can break it.
 */
#include "table1.h"

#include <string.h>

#include "traffic.h"
#include "weir/random.h"

#define TABLE1_LQD_BOUND (1 + 0.70710678118654752)
#define TABLE1_BUFFER_PER_PORT 16u
#define TABLE1_SLACK 1e-9 /* of comparing quotients of integers */

static const uint32_t table1_ports[SLOT_TABLE1_SIZES] = {2, 3, 4, 8, 16, 32};
static const uint32_t table1_quick_sizes = 4;

static double bound_complete_sharing(uint32_t ports)
{
    return ports + 1.0;
}

static double bound_harmonic(uint32_t ports)
{
    return weir_log(ports) + 2;
}

static double bound_lqd(uint32_t ports)
{
    (void)ports;
    return TABLE1_LQD_BOUND;
}

static double bound_ports(uint32_t ports)
{
    return ports;
}

static const struct table1_entry {
    const char *name, *policy, *param, *value;
    weir_q16 flip;
    const char *formula;
    double (*bound)(uint32_t ports); /* null: no number */
} table1_entries[SLOT_TABLE1_ALGORITHMS] = {
    {"Complete Sharing", "cs", NULL, NULL, 0, "N + 1", bound_complete_sharing},
    {"DT (alpha 0.5)", "dt", "alpha", "0.5", 0, "O(N)", NULL},
    {"DT (alpha 1)", "dt", "alpha", "1", 0, "O(N)", NULL},
    {"Harmonic", "harmonic", NULL, NULL, 0, "ln N + 2", bound_harmonic},
    {"FollowLQD", "followlqd", NULL, NULL, 0, ">= (N + 1) / 2", NULL},
    {"LQD", "lqd", "remove", "tail", 0, "1.707", bound_lqd},
    {"Credence, perfect", "credence", NULL, NULL, 0, "1.707", bound_lqd},
    {"Credence, always wrong", "credence", NULL, NULL, WEIR_Q16_ONE, "N", bound_ports},
};

struct filling {
    struct slot_table1 *table;
    struct slot_algorithm algorithm[SLOT_TABLE1_ALGORITHMS];
    const struct slot_progress *progress;
    uint32_t done, all; /* steps of the whole table */
    bool quick;
};

static void step_done(struct filling *f)
{
    slot_progress_report(f->progress, ++f->done, f->all);
}

/* One generated sequence against every algorithm. */
static enum weir_error_code try_traffic(struct filling *f, uint32_t size, const struct slot_generator *generator,
                                        uint32_t width)
{
    char by[SLOT_SEQUENCE_MAX];
    struct slot_arrivals arrivals;
    struct slot_traffic traffic;
    struct slot_case c;
    uint32_t ports = table1_ports[size], buffer = TABLE1_BUFFER_PER_PORT * ports;
    slot_traffic_init(&traffic, ports, buffer, (uint64_t)buffer * (f->quick ? 16 : 32));
    traffic.width = width;
    traffic.burst_interval = 4.0 * buffer;
    snprintf(by, sizeof by, "%s, %s arrivals per slot", generator->name, width == 0 ? "any" : "N");
    slot_arrivals_init(&arrivals, ports);
    enum weir_error_code status = slot_generate(generator, &traffic, &arrivals, NULL);
    if (status == WEIR_ERROR_NONE)
        status = slot_case_open(&c, &arrivals, buffer, true, NULL);
    if (status == WEIR_ERROR_NONE) {
        for (uint32_t i = 0; i < SLOT_TABLE1_ALGORITHMS && status == WEIR_ERROR_NONE; i++)
            status = slot_worst_try(&f->table->row[i][size].worst, &c, &f->algorithm[i], by);
        slot_case_close(&c);
    }
    slot_arrivals_free(&arrivals);
    return status;
}

/* Puts the worst of each algorithm into the rows of one size where it is worse. */
static void merge(struct filling *f, uint32_t size, const struct slot_worst *worst)
{
    for (uint32_t i = 0; i < SLOT_TABLE1_ALGORITHMS; i++)
        if (worst[i].ratio > f->table->row[i][size].worst.ratio)
            f->table->row[i][size].worst = worst[i];
}

static enum weir_error_code try_tiny(struct filling *f)
{
    static const struct slot_tiny tinies[] = {
        {2, 2, 5, 2}, {2, 4, 5, 2}, {3, 3, 2, 4}, {2, 3, 5, 2}, {2, 2, 3, 4},
        {2, 3, 3, 4}, {2, 4, 3, 4}, {2, 6, 2, 7}, {3, 3, 3, 3}, {3, 6, 2, 5},
    };
    const uint32_t count = f->quick ? 3 : sizeof tinies / sizeof tinies[0];
    enum weir_error_code status = WEIR_ERROR_NONE;
    for (uint32_t i = 0; i < count && status == WEIR_ERROR_NONE; i++) {
        struct slot_worst worst[SLOT_TABLE1_ALGORITHMS] = {{0}};
        status = slot_search_tiny(&tinies[i], f->algorithm, SLOT_TABLE1_ALGORITHMS, worst);
        merge(f, tinies[i].ports == 2 ? 0 : 1, worst);
        step_done(f);
    }
    return status;
}

static enum weir_error_code try_climbing(struct filling *f)
{
    enum weir_error_code status = WEIR_ERROR_NONE;
    for (uint32_t size = 0; size < table1_quick_sizes; size++) {
        uint32_t ports = table1_ports[size];
        for (uint32_t i = 0; i < 2 && status == WEIR_ERROR_NONE; i++) {
            struct slot_worst worst[SLOT_TABLE1_ALGORITHMS] = {{0}};
            struct slot_climb climb = {.ports = ports,
                                       .buffer = 2 * ports,
                                       .slots = 24,
                                       .width = ports * (i + 1),
                                       .starts = f->quick ? 2 : 8,
                                       .steps = f->quick ? 200 : 1000,
                                       .seed = 1};
            for (uint32_t a = 0; a < SLOT_TABLE1_ALGORITHMS && status == WEIR_ERROR_NONE; a++)
                status = slot_search_climb(&climb, &f->algorithm[a], &worst[a]);
            merge(f, size, worst);
        }
        step_done(f);
    }
    return status;
}

enum weir_error_code slot_table1_fill(struct slot_table1 *table, bool quick, const struct slot_progress *progress)
{
    struct filling f = {.table = table, .progress = progress, .quick = quick};
    *table = (struct slot_table1){.sizes = quick ? table1_quick_sizes : SLOT_TABLE1_SIZES};
    f.all = table->sizes + (quick ? 3 : 10) + table1_quick_sizes;
    for (uint32_t i = 0; i < SLOT_TABLE1_ALGORITHMS; i++) {
        const struct table1_entry *entry = &table1_entries[i];
        f.algorithm[i] = slot_algorithm_make(entry->name, entry->policy, entry->param, entry->value, entry->flip);
        for (uint32_t size = 0; size < f.table->sizes; size++) {
            struct slot_table1_row *row = &f.table->row[i][size];
            row->algorithm = entry->name;
            row->formula = entry->formula;
            row->ports = table1_ports[size];
            row->bound = entry->bound != NULL ? entry->bound(row->ports) : 0;
        }
    }
    enum weir_error_code status = WEIR_ERROR_NONE;
    for (uint32_t size = 0; size < f.table->sizes; size++) {
        for (uint32_t i = 0; i < slot_generator_count && status == WEIR_ERROR_NONE; i++) {
            const struct slot_generator *generator = slot_generators[i];
            if (strstr(generator->name, "adversary") == NULL && strcmp(generator->name, "bursts") != 0)
                continue;
            status = try_traffic(&f, size, generator, table1_ports[size]);
            if (status == WEIR_ERROR_NONE)
                status = try_traffic(&f, size, generator, 0);
        }
        step_done(&f);
    }
    if (status == WEIR_ERROR_NONE)
        status = try_tiny(&f);
    if (status == WEIR_ERROR_NONE)
        status = try_climbing(&f);
    for (uint32_t i = 0; i < SLOT_TABLE1_ALGORITHMS; i++) {
        for (uint32_t size = 0; size < table->sizes; size++) {
            struct slot_table1_row *row = &table->row[i][size];
            row->broken = row->bound > 0 && row->worst.ratio > row->bound * (1 + TABLE1_SLACK);
        }
    }
    return status;
}
