/*
 * slot_comparison.c - see slot_comparison.h.
 */
#include "slot_comparison.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cmd_slot.h"
#include "output.h"
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

int slot_comparison_print(const struct slot_comparison *c)
{
    static const struct output_column columns[] = {{"policy", false}, {"arrived", true}, {"sent", true},
                                                   {"lost", true},    {"loss %", true},  {"OPT/ALG", true},
                                                   {"LQD/ALG", true}};
    printf("%s: N = %" PRIu32 " ports, B = %" PRIu32 " packets, %" PRIu64 " slots, seed %" PRIu64 "\n\n", c->traffic,
           c->ports, c->buffer, c->slots, c->seed);
    struct output_table *table = output_table_new(columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < c->rows; i++) {
        const struct slot_comparison_row *row = &c->row[i];
        output_table_cell(table, "%s", row->policy);
        output_table_cell(table, "%" PRIu64, c->arrived);
        output_table_cell(table, "%" PRIu64, row->sent);
        output_table_cell(table, "%" PRIu64, row->lost);
        output_table_cell(table, "%.2f", 100 * loss_share(c, row));
        if (c->with_optimum)
            add_ratio(table, slot_ratio(c->optimum, row->sent));
        else
            output_table_cell(table, "-");
        add_ratio(table, slot_ratio(c->lqd, row->sent));
    }
    return output_table_print(table);
}

/* JSON has no infinity. */
static json_t *pack_ratio(double ratio)
{
    return isinf(ratio) ? json_null() : json_real(ratio);
}

static json_t *pack_row(const struct slot_comparison *c, const struct slot_comparison_row *row)
{
    json_t *ports = json_array();
    for (uint32_t port = 0; row->port_sent != NULL && port < c->ports; port++)
        json_array_append_new(ports, json_integer((json_int_t)row->port_sent[port]));
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:f, s:o, s:o, s:o}", "policy", row->policy, "arrived",
                     (json_int_t)c->arrived, "sent", (json_int_t)row->sent, "lost", (json_int_t)row->lost, "refused",
                     (json_int_t)row->refused, "loss", loss_share(c, row), "opt_over_alg",
                     c->with_optimum ? pack_ratio(slot_ratio(c->optimum, row->sent)) : json_null(), "lqd_over_alg",
                     pack_ratio(slot_ratio(c->lqd, row->sent)), "port_sent", ports);
}

int slot_comparison_json(const struct slot_comparison *c)
{
    json_t *rows = json_array();
    for (uint32_t i = 0; i < c->rows; i++)
        json_array_append_new(rows, pack_row(c, &c->row[i]));
    return output_json(json_pack("{s:s, s:i, s:i, s:I, s:I, s:o}", "traffic", c->traffic, "ports", (int)c->ports,
                                 "buffer", (int)c->buffer, "slots", (json_int_t)c->slots, "seed", (json_int_t)c->seed,
                                 "rows", rows));
}

int slot_comparison_csv(const struct slot_comparison *c, const char *path)
{
    struct cmd_slot_csv csv;
    int code = cmd_slot_csv_open(&csv, path);
    if (csv.stream == NULL)
        return code;
    fputs("policy,arrived,sent,lost,refused,loss,opt_over_alg,lqd_over_alg\n", csv.stream);
    for (uint32_t i = 0; i < c->rows; i++) {
        const struct slot_comparison_row *row = &c->row[i];
        fprintf(csv.stream, "\"%s\",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.6f,", row->policy, c->arrived,
                row->sent, row->lost, row->refused, loss_share(c, row));
        if (c->with_optimum)
            fprintf(csv.stream, "%.6f", slot_ratio(c->optimum, row->sent));
        fprintf(csv.stream, ",%.6f\n", slot_ratio(c->lqd, row->sent));
    }
    return cmd_slot_csv_save(&csv, path, code);
}

void slot_comparison_free(struct slot_comparison *c)
{
    for (uint32_t i = 0; i < c->rows; i++)
        free(c->row[i].port_sent);
    c->rows = 0;
}
