/*
 * reference.c - see reference.h. Every line is made of the table of measures, so that a row of measures.def is
 * documented without a second place; tests/run/measures/test_reference.c compares it with docs/reference/measures.md.
 */
#include "run/measures/reference.h"

#include "run/measures/row.h"

/* What a placeholder stands for: its texts, or where they come from. */
static void put_placeholder(const char *name, enum measure_placeholder placeholder, const char *from, FILE *out)
{
    fprintf(out, "| `%s` | %s", name, from);
    for (uint32_t i = 0; measure_placeholder_text(placeholder, i) != NULL; i++)
        fprintf(out, "%s`%s`", i > 0 ? ", " : "", measure_placeholder_text(placeholder, i));
    fputs(" |\n", out);
}

void measures_reference(FILE *out)
{
    fputs("## Placeholders\n\n| placeholder | stands for |\n|---|---|\n", out);
    put_placeholder("T", MEASURE_T, "a tag of the scenario's traffic", out);
    put_placeholder("BIN", MEASURE_BIN, "flows and queries of a range of sizes: ", out);
    put_placeholder("STAT", MEASURE_STAT, "a statistic: ", out);
    put_placeholder("REASON", MEASURE_REASON, "a reason to refuse a packet: ", out);
    put_placeholder("CAUSE", MEASURE_CAUSE, "a cause of a loss after acceptance: ", out);
    put_placeholder("PLACE", MEASURE_PLACE, "the port that a probe follows: `s0-h3` is the port of switch 0 to host 3",
                    out);
    for (uint32_t i = 0; i < measure_row_count; i++) {
        const struct measure_row *row = &measure_rows[i];
        char all[RUN_MEASURE_NAME_MAX], by_size[RUN_MEASURE_NAME_MAX];
        if (row->kind == MEASURE_SECTION)
            fprintf(out, "\n## %s\n\n| name | unit | meaning |\n|---|---|---|\n", row->name);
        if (!measure_row_pattern(row, (struct measure_pattern_choice){.curves = false}, all))
            continue;
        fprintf(out, "| `%s`", all);
        if (measure_row_pattern(row, (struct measure_pattern_choice){.by_size = true}, by_size))
            fprintf(out, ", `%s`", by_size);
        fprintf(out, " | %s | %s |\n", row->unit, row->help);
    }
    fputs("\n## Curves\n\n| name | x | y | meaning |\n|---|---|---|---|\n", out);
    for (uint32_t i = 0; i < measure_row_count; i++) {
        const struct measure_row *row = &measure_rows[i];
        char name[RUN_MEASURE_NAME_MAX];
        bool series = row->kind == MEASURE_SERIES;
        if (measure_row_pattern(row, (struct measure_pattern_choice){.curves = true}, name))
            fprintf(out, "| `%s` | %s | %s | %s |\n", name, series ? "s" : row->unit, series ? row->unit : "1",
                    series ? row->help : "fraction of the sample that is at most x");
    }
}
