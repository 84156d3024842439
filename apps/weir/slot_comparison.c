/*
 * slot_comparison.c - see slot_comparison.h.
 */
#include "slot_comparison.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "slot/measure.h"

static double loss_share(const struct slot_comparison *c, const struct slot_comparison_row *row)
{
    return c->arrived > 0 ? (double)row->lost / (double)c->arrived : 0;
}

static void add_ratio(struct output_table *table, double ratio)
{
    if (isinf(ratio))
        output_table_cell(table, "infinite");
    else
        output_table_cell(table, "%.4f", ratio);
}

struct output_table *slot_comparison_table(const struct slot_comparison *c)
{
    static const struct output_column all[] = {{"policy", false}, {"arrived", true}, {"sent", true},   {"lost", true},
                                               {"loss %", true},  {"OPT/ALG", true}, {"LQD/ALG", true}};
    static const struct output_column without[] = {{"policy", false}, {"arrived", true}, {"sent", true},
                                                   {"lost", true},    {"loss %", true},  {"LQD/ALG", true}};
    struct output_table *table = c->with_optimum ? output_table_new(all, sizeof all / sizeof all[0])
                                                 : output_table_new(without, sizeof without / sizeof without[0]);
    for (uint32_t i = 0; i < c->rows; i++) {
        const struct slot_comparison_row *row = &c->row[i];
        output_table_cell(table, "%s", row->policy);
        output_table_cell(table, "%" PRIu64, c->arrived);
        output_table_cell(table, "%" PRIu64, row->sent);
        output_table_cell(table, "%" PRIu64, row->lost);
        output_table_cell(table, "%.2f", 100 * loss_share(c, row));
        if (c->with_optimum)
            add_ratio(table, slot_ratio(c->optimum, row->sent));
        add_ratio(table, slot_ratio(c->lqd, row->sent));
    }
    return table;
}

void slot_comparison_put_heading(const struct slot_comparison *c)
{
    printf("%s: N = %" PRIu32 " ports, B = %" PRIu32 " packets, %" PRIu64 " slots, seed %" PRIu64 "\n\n", c->traffic,
           c->ports, c->buffer, c->slots, c->seed);
}

static json_t *pack_row(const struct slot_comparison *c, const struct slot_comparison_row *row)
{
    json_t *ports = json_array();
    for (uint32_t port = 0; row->port_sent != NULL && port < c->ports; port++)
        ports = output_json_append(ports, json_integer((json_int_t)row->port_sent[port]));
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:f, s:o, s:o, s:o}", "policy", row->policy, "arrived",
                     (json_int_t)c->arrived, "sent", (json_int_t)row->sent, "lost", (json_int_t)row->lost, "refused",
                     (json_int_t)row->refused, "loss", loss_share(c, row), "opt_over_alg",
                     c->with_optimum ? output_json_number(slot_ratio(c->optimum, row->sent)) : json_null(),
                     "lqd_over_alg", output_json_number(slot_ratio(c->lqd, row->sent)), "port_sent", ports);
}

json_t *slot_comparison_json(const struct slot_comparison *c)
{
    json_t *rows = json_array();
    for (uint32_t i = 0; i < c->rows; i++)
        rows = output_json_append(rows, pack_row(c, &c->row[i]));
    return json_pack("{s:o, s:i, s:i, s:I, s:I, s:o}", "traffic", output_json_string(c->traffic), "ports",
                     (int)c->ports, "buffer", (int)c->buffer, "slots", (json_int_t)c->slots, "seed",
                     (json_int_t)c->seed, "rows", rows);
}

void slot_comparison_put_csv(const struct slot_comparison *c, FILE *out)
{
    fputs("policy,arrived,sent,lost,refused,loss,opt_over_alg,lqd_over_alg\n", out);
    for (uint32_t i = 0; i < c->rows; i++) {
        const struct slot_comparison_row *row = &c->row[i];
        fprintf(out, "\"%s\",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.6f,", row->policy, c->arrived, row->sent,
                row->lost, row->refused, loss_share(c, row));
        if (c->with_optimum)
            fprintf(out, "%.6f", slot_ratio(c->optimum, row->sent));
        fprintf(out, ",%.6f\n", slot_ratio(c->lqd, row->sent));
    }
}

void slot_comparison_free(struct slot_comparison *c)
{
    for (uint32_t i = 0; i < c->rows; i++)
        free(c->row[i].port_sent);
    c->rows = 0;
}
