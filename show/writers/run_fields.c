/*
 * run_fields.c - see run_fields.h.
 */
#include "show/writers/run_fields.h"

#include <inttypes.h>

#include "cli/output.h"
#include "lab/store/unfinished.h"

#define FLOWS(field) offsetof(struct summary_flows, field)
#define QUERIES(field) offsetof(struct summary_groups, field)

const struct run_field run_flow_fields[RUN_FLOW_FIELDS] = {
    {"flows", "flows", NULL, RUN_FIELD_COUNT, FLOWS(flows)},
    {"finished", "finished", NULL, RUN_FIELD_COUNT, FLOWS(finished)},
    {"unfinished", NULL, NULL, RUN_FIELD_COUNT, FLOWS(unfinished)},
    {"fct_ps", "fct_", "_ps", RUN_FIELD_SAMPLE, FLOWS(fct_ps)},
    {"slowdown", "slowdown_", "", RUN_FIELD_SAMPLE, FLOWS(slowdown)},
    {"timeouts", "timeouts", NULL, RUN_FIELD_COUNT, FLOWS(timeouts)},
    {"flows_with_timeouts", NULL, NULL, RUN_FIELD_COUNT, FLOWS(flows_with_timeouts)},
    {"resent", "resent", NULL, RUN_FIELD_COUNT, FLOWS(again)},
    {"delivered_bytes", "delivered_bytes", NULL, RUN_FIELD_BYTES, FLOWS(delivered_bytes)},
    {"goodput_bps", "goodput_bps", NULL, RUN_FIELD_REAL, FLOWS(goodput_bps)},
};

const struct run_field run_query_fields[RUN_QUERY_FIELDS] = {
    {"queries", "queries", NULL, RUN_FIELD_COUNT, QUERIES(groups)},
    {"finished", "queries_finished", NULL, RUN_FIELD_COUNT, QUERIES(finished)},
    {"unfinished", NULL, NULL, RUN_FIELD_COUNT, QUERIES(unfinished)},
    {"qct_ps", "qct_", "_ps", RUN_FIELD_SAMPLE, QUERIES(qct_ps)},
    {"slowdown", "qct_slowdown_", "", RUN_FIELD_SAMPLE, QUERIES(slowdown)},
    {"with_timeouts", NULL, NULL, RUN_FIELD_COUNT, QUERIES(groups_with_timeouts)},
};

/* The statistics that CSV has of a sample. */
static const struct {
    const char *name;
    size_t offset;
} csv_statistics[] = {{"mean", offsetof(struct statistics, mean)},
                      {"p50", offsetof(struct statistics, p50)},
                      {"p99", offsetof(struct statistics, p99)},
                      {"max", offsetof(struct statistics, max)}};
#define CSV_STATISTICS (sizeof csv_statistics / sizeof csv_statistics[0])

static const void *field_of(const struct run_field *field, const void *of)
{
    return (const char *)of + field->offset;
}

/* The names of the statistics that are censored so. */
static json_t *censored_json(const struct statistics *sample, enum censoring censoring)
{
    json_t *names = json_array();
    for (uint32_t i = 0; i < STATISTIC_COUNT; i++)
        if (censoring_of(&statistic_table[i], statistics_known(sample)) == censoring)
            names = output_json_append(names, json_string(statistic_table[i].name));
    return names;
}

static json_t *sample_json(const struct statistics *sample)
{
    if (sample->count == 0)
        return json_null();
    json_t *json = json_pack("{s:I}", "count", (json_int_t)sample->count);
    for (uint32_t i = 0; i < STATISTIC_COUNT; i++)
        json = output_json_set(json, statistic_table[i].name, json_real(statistic_value(sample, &statistic_table[i])));
    if (sample->unfinished == 0)
        return json;
    json = output_json_set(json, "unfinished", json_integer((json_int_t)sample->unfinished));
    json = output_json_set(json, "known", json_real(statistics_known(sample)));
    json = output_json_set(json, "bounds", censored_json(sample, CENSORING_BOUND));
    return output_json_set(json, "partial", censored_json(sample, CENSORING_PARTIAL));
}

static json_t *field_json(const struct run_field *field, const void *of)
{
    switch (field->kind) {
    case RUN_FIELD_COUNT:
        return json_integer((json_int_t) * (const uint64_t *)field_of(field, of));
    case RUN_FIELD_BYTES:
        return json_integer((json_int_t) * (const int64_t *)field_of(field, of));
    case RUN_FIELD_REAL:
        return json_real(*(const double *)field_of(field, of));
    default:
        return sample_json(field_of(field, of));
    }
}

json_t *run_fields_json(const struct run_field *fields, uint32_t count, const void *of)
{
    json_t *json = json_object();
    for (uint32_t i = 0; i < count; i++)
        json = output_json_set(json, fields[i].json, field_json(&fields[i], of));
    return json;
}

void run_fields_csv_heading(const struct run_field *fields, uint32_t count, FILE *out)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct run_field *field = &fields[i];
        for (size_t s = 0; field->kind == RUN_FIELD_SAMPLE && s < CSV_STATISTICS; s++)
            fprintf(out, ",%s%s%s", field->csv, csv_statistics[s].name, field->csv_end);
        if (field->kind != RUN_FIELD_SAMPLE && field->csv != NULL)
            fprintf(out, ",%s", field->csv);
    }
}

static void put_sample(const struct statistics *sample, FILE *out)
{
    for (size_t i = 0; i < CSV_STATISTICS; i++) {
        putc(',', out);
        if (sample != NULL && sample->count > 0)
            fprintf(out, "%.9g", *(const double *)((const char *)sample + csv_statistics[i].offset));
    }
}

void run_fields_csv(const struct run_field *fields, uint32_t count, const void *of, FILE *out)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct run_field *field = &fields[i];
        const void *value = of != NULL ? field_of(field, of) : NULL;
        if (field->kind == RUN_FIELD_SAMPLE) {
            put_sample(value, out);
            continue;
        }
        if (field->csv == NULL)
            continue;
        putc(',', out);
        if (value == NULL)
            continue;
        if (field->kind == RUN_FIELD_COUNT)
            fprintf(out, "%" PRIu64, *(const uint64_t *)value);
        else if (field->kind == RUN_FIELD_BYTES)
            fprintf(out, "%" PRId64, *(const int64_t *)value);
        else
            fprintf(out, "%.9g", *(const double *)value);
    }
}
