/*
 * page.c - the page of all claims, as Markdown: what each says, the paper's number, ours and the verdict, and
 * below each figure what was found where a claim does not come out. Made from the catalogue and the record alone, so
 * that the same record gives the same page.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "papers/record.h"

static const char page_head[] =
    "# Results\n"
    "\n"
    "What the papers say of their figures, and what weir gives at full size. This page is written by\n"
    "`weir repro all --results docs/RESULTS.md`; do not edit it: claims and findings are in the scenarios\n"
    "of the figures, numbers in results.json beside this page.\n"
    "\n"
    "One rule for all claims. \"Up to x %\" is **met** when our maximum over the sweep is within 10 points of\n"
    "x or beyond it (a factor: within 10 % of it or beyond); **direction**: only the sign agrees, at 80 % of\n"
    "the points or more; else **missed**. \"About x\" is met when every point is within 10 points of a\n"
    "percentage or 10 % of another number; a bound or an ordering when it holds at every point; direction at\n"
    "80 % of them. Behind our number: the half width of its 95 % confidence interval over seeds, and the\n"
    "point of the sweep it stands at.\n"
    "\n";

static const char *const verdicts[] = {"met", "direction", "missed", "other"};
enum { VERDICTS = sizeof verdicts / sizeof verdicts[0] };

void repro_time(double seconds, char text[32])
{
    if (seconds < 1)
        snprintf(text, 32, "%.0f ms", seconds * 1e3);
    else if (seconds < 100)
        snprintf(text, 32, "%.3g s", seconds);
    else
        snprintf(text, 32, "%.0f min", ceil(seconds / 60));
}

/* Text of a scenario inside of a table or a sentence. */
static void put_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '|' || *text == '*' || *text == '_' || *text == '`' || *text == '[' || *text == '\\')
            fputc('\\', out);
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else
            fputc(*text, out);
    }
}

static uint32_t verdict_index(const char *name)
{
    uint32_t i = 0;
    while (i < VERDICTS - 1 && strcmp(verdicts[i], name) != 0)
        i++;
    return i;
}

/* The papers of the catalogue are folders: figures of one stand together. */
static bool same_paper(const struct catalogue_figure *a, const struct catalogue_figure *b)
{
    return strcmp(a->full.paper, b->full.paper) == 0;
}

static void put_counts(FILE *out, const struct catalogue *catalogue, const struct repro_record *record, uint32_t first)
{
    const struct catalogue_figure *begin = &catalogue->figures[first];
    uint32_t counts[VERDICTS] = {0}, claims = 0, figures = 0;
    for (uint32_t i = first; i < catalogue->count && same_paper(&catalogue->figures[i], begin); i++) {
        const struct catalogue_figure *figure = &catalogue->figures[i];
        figures++;
        for (uint32_t c = 0; c < figure->full.claim_count; c++) {
            struct repro_claim claim;
            bool there = repro_record_claim(record, figure->id, figure->full.claims[c].id, &claim);
            counts[there ? verdict_index(claim.verdict) : VERDICTS - 1]++;
            claims++;
        }
    }
    fputs("| ", out);
    put_text(out, begin->full.paper);
    fprintf(out, " | %u | %u | %u | %u | %u | %u |\n", figures, claims, counts[0], counts[1], counts[2], counts[3]);
}

static void put_summary(FILE *out, const struct catalogue *catalogue, const struct repro_record *record)
{
    fputs("| paper | figures | claims | met | direction | missed | not run |\n|---|---|---|---|---|---|---|\n", out);
    for (uint32_t i = 0; i < catalogue->count; i++)
        if (i == 0 || !same_paper(&catalogue->figures[i - 1], &catalogue->figures[i]))
            put_counts(out, catalogue, record, i);
}

static void put_ours(FILE *out, const struct claim *claim, const struct repro_claim *ours)
{
    char value[64], half[64];
    if (isnan(ours->ours)) {
        fputs("no value", out);
        return;
    }
    claim_text(claim, ours->ours, ours->unit, value);
    if (strcmp(ours->censoring, censoring_name(CENSORING_BOUND)) == 0)
        fprintf(out, "%s ", censoring_sign(CENSORING_BOUND));
    put_text(out, value);
    if (!isnan(ours->half)) {
        claim_text(claim, ours->half, ours->unit, half);
        fputs(" ± ", out);
        put_text(out, half);
    }
    if (ours->where[0] != '\0') {
        fputs(" at ", out);
        put_text(out, ours->where);
    }
}

static void put_claim(FILE *out, const struct claim *claim, const struct repro_claim *ours)
{
    fputs("| ", out);
    put_text(out, claim->text);
    fprintf(out, " | %s ", claim->rule == CLAIM_HOLDS ? "" : claim_rule_name(claim->rule));
    put_text(out, claim->paper_text != NULL ? claim->paper_text : "");
    fputs(" | ", out);
    if (ours == NULL) {
        fputs(" | not run |\n", out);
        return;
    }
    put_ours(out, claim, ours);
    fprintf(out, " | **%s**", ours->verdict);
    if (ours->points > 1)
        fprintf(out, ", %u of %u points", ours->agreeing, ours->points);
    if (ours->censored > 0)
        fprintf(out, "; censored by unfinished flows or queries at %u of %u points", ours->censored, ours->points);
    fputs(" |\n", out);
}

static void put_findings(FILE *out, const struct experiment *experiment)
{
    bool any = false;
    for (uint32_t i = 0; i < experiment->claim_count; i++) {
        const struct claim *claim = &experiment->claims[i];
        if (claim->finding == NULL)
            continue;
        fputs(any ? "" : "\n", out);
        fputs("- *", out);
        put_text(out, claim->text);
        fputs("* ", out);
        put_text(out, claim->finding);
        fputc('\n', out);
        any = true;
    }
}

static void put_figure(FILE *out, const struct catalogue_figure *figure, const struct repro_record *record)
{
    struct repro_figure about;
    char time[32];
    fprintf(out, "\n### Figure %s: ", figure->full.figure != NULL ? figure->full.figure : figure->id);
    put_text(out, figure->full.title != NULL ? figure->full.title : figure->id);
    fprintf(out, "\n`weir repro %s`", figure->id);
    if (repro_record_figure(record, figure->id, &about)) {
        repro_time(about.core_seconds, time);
        fprintf(out, ": %u runs, %u %s, %s of one core, weir %s\n", about.runs, about.seeds,
                about.seeds == 1 ? "seed" : "seeds", time, about.version);
    } else {
        fputs(": not run at full size\n", out);
    }
    fputs("\n| claim | paper | weir | verdict |\n|---|---|---|---|\n", out);
    for (uint32_t i = 0; i < figure->full.claim_count; i++) {
        struct repro_claim ours;
        bool there = repro_record_claim(record, figure->id, figure->full.claims[i].id, &ours);
        put_claim(out, &figure->full.claims[i], there ? &ours : NULL);
    }
    put_findings(out, &figure->full);
}

int repro_page_write(const char *page, const struct catalogue *catalogue, const struct repro_record *record)
{
    struct output_file file = OUTPUT_FILE_NONE;
    if (!output_file_open(&file, page) || !output_file_stream(&file))
        return CLI_INTERNAL;
    FILE *out = file.stream;
    fputs(page_head, out);
    put_summary(out, catalogue, record);
    for (uint32_t i = 0; i < catalogue->count; i++) {
        if (i == 0 || !same_paper(&catalogue->figures[i - 1], &catalogue->figures[i])) {
            fputs("\n## ", out);
            put_text(out, catalogue->figures[i].full.paper);
            fputc('\n', out);
        }
        put_figure(out, &catalogue->figures[i], record);
    }
    return output_file_commit(&file) ? CLI_OK : CLI_INTERNAL;
}
