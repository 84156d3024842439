/*
 * slot_curve.c - see slot_curve.h.
 */
#include "slot_curve.h"

#include <inttypes.h>

void slot_curve_put_heading(const struct slot_fig14_config *config)
{
    const struct slot_traffic *t = &config->traffic;
    printf("LQD/ALG under bursts: N = %u ports, B = %u packets, a burst of B every %g slots on average (Poisson),\n"
           "at most N arrivals per slot, overlapping bursts %s, %" PRIu64 " slots, %u seed%s from %" PRIu64 ".\n"
           "The paper gives neither N, B nor the interval.\n\n",
           t->ports, t->buffer, t->burst_interval, t->burst_in_turn ? "in turn" : "share the slot", t->slots,
           config->seeds, config->seeds > 1 ? "s" : "", t->seed);
}

/* One seed has no interval. */
static void add_half(struct output_table *table, const struct slot_fig14_config *config, struct slot_estimate e)
{
    if (config->seeds > 1)
        output_table_cell(table, "%.3f", e.half);
    else
        output_table_cell(table, "-");
}

struct output_table *slot_curve_table(const struct slot_fig14_config *config, const struct slot_fig14 *f)
{
    static const struct output_column columns[] = {{"false predictions", true},
                                                   {"Credence", true},
                                                   {"+-", true},
                                                   {"DT 0.5", true},
                                                   {"+-", true},
                                                   {"DT 1", true},
                                                   {"+-", true},
                                                   {"CS", true},
                                                   {"+-", true}};
    struct output_table *table = output_table_new(columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < SLOT_FIG14_POINTS; i++) {
        output_table_cell(table, "%.1f", i / 10.0);
        output_table_cell(table, "%.3f", f->credence[i].mean);
        add_half(table, config, f->credence[i]);
        for (uint32_t other = 0; other < SLOT_FIG14_OTHERS; other++) {
            output_table_cell(table, "%.3f", f->other[other].mean);
            add_half(table, config, f->other[other]);
        }
    }
    return table;
}

void slot_curve_put_conclusion(const struct slot_fig14 *f)
{
    printf("\nLQD loses %.1f %% of the arrivals.", 100 * f->lqd_loss);
    for (uint32_t other = 0; other < 2; other++) {
        int ahead = slot_fig14_ahead(f, other);
        if (ahead >= 0)
            printf(" Credence is ahead of %s up to %.1f.", slot_fig14_other_name(other), ahead / 10.0);
        else
            printf(" Credence is never ahead of %s.", slot_fig14_other_name(other));
    }
    putchar('\n');
}

static json_t *pack_estimate(const struct slot_fig14_config *config, struct slot_estimate e)
{
    return json_pack("{s:o, s:o}", "mean", output_json_number(e.mean), "half_interval",
                     config->seeds > 1 ? json_real(e.half) : json_null());
}

json_t *slot_curve_json(const struct slot_fig14_config *config, const struct slot_fig14 *f)
{
    const struct slot_traffic *t = &config->traffic;
    json_t *points = json_array();
    for (uint32_t i = 0; i < SLOT_FIG14_POINTS; i++)
        points = output_json_append(points, json_pack("{s:f, s:o}", "false_predictions", i / 10.0, "credence",
                                                      pack_estimate(config, f->credence[i])));
    return json_pack("{s:i, s:i, s:f, s:b, s:I, s:i, s:I, s:f, s:o, s:o, s:o, s:o}", "ports", (int)t->ports, "buffer",
                     (int)t->buffer, "burst_interval", t->burst_interval, "in_turn", (int)t->burst_in_turn, "slots",
                     (json_int_t)t->slots, "seeds", (int)config->seeds, "seed", (json_int_t)t->seed, "lqd_loss",
                     f->lqd_loss, "points", points, "dt_0.5", pack_estimate(config, f->other[SLOT_FIG14_DT_HALF]),
                     "dt_1", pack_estimate(config, f->other[SLOT_FIG14_DT_ONE]), "cs",
                     pack_estimate(config, f->other[SLOT_FIG14_CS]));
}

void slot_curve_put_csv_heading(FILE *out)
{
    fputs("ports,buffer,burst_interval,slots,seeds,seed,algorithm,false_predictions,lqd_over_alg,half_interval\n", out);
}

void slot_curve_put_csv(const struct slot_fig14_config *config, const struct slot_fig14 *f, FILE *out)
{
    const struct slot_traffic *t = &config->traffic;
    for (uint32_t i = 0; i < SLOT_FIG14_POINTS + SLOT_FIG14_OTHERS; i++) {
        bool credence = i < SLOT_FIG14_POINTS;
        struct slot_estimate e = credence ? f->credence[i] : f->other[i - SLOT_FIG14_POINTS];
        fprintf(out, "%u,%u,%g,%" PRIu64 ",%u,%" PRIu64 ",%s,", t->ports, t->buffer, t->burst_interval, t->slots,
                config->seeds, t->seed, credence ? "Credence" : slot_fig14_other_name(i - SLOT_FIG14_POINTS));
        if (credence)
            fprintf(out, "%.1f", i / 10.0);
        fprintf(out, config->seeds > 1 ? ",%.6f,%.6f\n" : ",%.6f,\n", e.mean, e.half);
    }
}
