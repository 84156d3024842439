/*
 * page.c - the page of all claims, as Markdown: what each says, the paper's number, ours and the verdict, and
 * below each figure what was found where a claim does not come out; then what the hardware costs beside the papers'.
 * Made from the catalogue and the records alone, so that the same records give the same page.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "lab/papers/record.h"

static const char page_head[] =
    "# Results\n"
    "\n"
    "What the papers say of their figures, and what weir gives at full size. This page is written by\n"
    "`weir repro all --results docs/RESULTS.md`; do not edit it: claims and findings are in the scenarios\n"
    "of the figures, numbers in results.json and, of the hardware, hardware.json beside this page.\n"
    "\n"
    "One rule for all claims. A number is near the paper's when it is within a tenth of it; a percentage when it\n"
    "is within a fifth of it and within 10 points. A verdict is given when both ends of the 95 % confidence\n"
    "interval over seeds give it; else the claim is **undecided**. Between met and beyond, where x is reached for\n"
    "certain, our number itself decides.\n"
    "\n"
    "- \"Up to x\" is **met** when our maximum over the sweep is near x or above it, **beyond** when it is above it\n"
    "  by more than 10 points (another number: by more than a tenth), **direction** when only the sign agrees, at\n"
    "  80 % of the points or more; else **missed**.\n"
    "- \"About x\", a bound (\"at least\", \"at most\") and an ordering are met when every point is near x, within\n"
    "  the bound or ordered so; direction: 80 % of them; else missed. Orderings are compared seed by seed: the\n"
    "  interval is that of the difference.\n"
    "- An invariant (nothing is lost, all flows finish) is met when it is true of every run; else missed.\n"
    "\n"
    "Behind our number: the half width of its interval, and the point of the sweep it stands at. Claims that were\n"
    "narrowed after a look at results stand below the paper's own and are counted apart, and so are claims that\n"
    "no paper states. A miss has two tested explanations.\n"
    "\n";

/* The rows of a paper in the table of counts. */
enum group { GROUP_NUMBERS, GROUP_ORDERS, GROUP_INVARIANTS, GROUP_NARROWED, GROUP_OWN, GROUPS };
static const char *const group_names[GROUPS] = {"numbers", "orderings without a number", "invariants",
                                                "narrowed after a look", "ours, in no paper"};

/* And their columns. */
struct counts {
    uint32_t claims, met, beyond_explained, beyond, undecided, direction, missed, not_run;
    uint32_t untested; /* missed with less than two tested explanations */
};

void repro_time(double seconds, char text[32])
{
    if (seconds < 1)
        snprintf(text, 32, "%.0f ms", seconds * 1e3);
    else if (seconds < 100)
        snprintf(text, 32, "%.3g s", seconds);
    else if (seconds < 100 * 60)
        snprintf(text, 32, "%.0f min", ceil(seconds / 60));
    else
        snprintf(text, 32, "%.3g h", seconds / 3600);
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

/* The papers of the catalogue are folders: figures of one stand together. */
static bool same_paper(const struct catalogue_figure *a, const struct catalogue_figure *b)
{
    return strcmp(a->full.paper, b->full.paper) == 0;
}

static enum group group_of(const struct claim *claim)
{
    if (claim->of != CLAIM_NOT_NARROWED)
        return GROUP_NARROWED;
    enum claim_kind kind = claim_kind(claim);
    if (kind == CLAIM_OF_INVARIANT)
        return GROUP_INVARIANTS;
    return claim->expected ? GROUP_OWN : kind == CLAIM_OF_NUMBER ? GROUP_NUMBERS : GROUP_ORDERS;
}

static void count_claim(struct counts *counts, const struct claim *claim, enum verdict verdict)
{
    counts->claims++;
    counts->met += verdict == VERDICT_MET;
    counts->beyond_explained += verdict == VERDICT_BEYOND && claim->reason != NULL;
    counts->beyond += verdict == VERDICT_BEYOND && claim->reason == NULL;
    counts->undecided += verdict == VERDICT_UNDECIDED;
    counts->direction += verdict == VERDICT_DIRECTION;
    counts->missed += verdict == VERDICT_MISSED;
    counts->not_run += verdict == VERDICT_NO_DATA;
    counts->untested += verdict == VERDICT_MISSED && claim->trial_count < REPRO_TRIALS_MIN;
}

static void count_paper(struct counts counts[GROUPS], const struct catalogue *catalogue,
                        const struct repro_record *record, uint32_t first)
{
    const struct catalogue_figure *begin = &catalogue->figures[first];
    for (uint32_t i = first; i < catalogue->count && same_paper(&catalogue->figures[i], begin); i++) {
        const struct catalogue_figure *figure = &catalogue->figures[i];
        for (uint32_t c = 0; c < figure->full.claim_count; c++) {
            const struct claim *claim = &figure->full.claims[c];
            struct repro_claim ours;
            bool there = repro_record_claim(record, figure->id, claim, &ours);
            count_claim(&counts[group_of(claim)], claim, there ? ours.verdict : VERDICT_NO_DATA);
        }
    }
}

static void put_counts(FILE *out, const char *paper, const char *what, const struct counts *counts)
{
    fputs("| ", out);
    put_text(out, paper);
    fprintf(out, " | %s | %u | %u | %u | %u | %u | %u | %u | %u |\n", what, counts->claims, counts->met,
            counts->beyond_explained, counts->beyond, counts->undecided, counts->direction, counts->missed,
            counts->not_run);
}

static void put_summary(FILE *out, const struct catalogue *catalogue, const struct repro_record *record)
{
    uint32_t untested = 0;
    fputs("| paper | claims of | claims | met | beyond, with reason | beyond, without | undecided | direction | missed "
          "| not run |\n|---|---|---|---|---|---|---|---|---|---|\n",
          out);
    for (uint32_t i = 0; i < catalogue->count; i++) {
        struct counts counts[GROUPS] = {{.claims = 0}};
        if (i > 0 && same_paper(&catalogue->figures[i - 1], &catalogue->figures[i]))
            continue;
        count_paper(counts, catalogue, record, i);
        for (uint32_t group = 0; group < GROUPS; group++) {
            untested += counts[group].untested;
            if (counts[group].claims > 0)
                put_counts(out, catalogue->figures[i].full.paper, group_names[group], &counts[group]);
        }
    }
    if (untested > 0)
        fprintf(out, "\n%u missed %s fewer than two tested explanations.\n", untested,
                untested == 1 ? "claim has" : "claims have");
}

static void put_ours(FILE *out, const struct claim *claim, const struct repro_claim *ours)
{
    char value[64], half[64], margin[160];
    if (isnan(ours->ours.mean)) {
        fputs("no value", out);
        return;
    }
    claim_text(claim, ours->ours.mean, ours->unit, value);
    if (strcmp(ours->censoring, censoring_name(CENSORING_BOUND)) == 0)
        fprintf(out, "%s ", censoring_sign(CENSORING_BOUND));
    put_text(out, value);
    if (!isnan(ours->ours.half)) {
        claim_text(claim, ours->ours.half, ours->unit, half);
        fputs(" ± ", out);
        put_text(out, half);
    }
    margin_text(&ours->margin, ours->margin_unit, margin);
    if (margin[0] != '\0')
        fprintf(out, ", %s", margin);
    if (ours->where[0] != '\0') {
        fputs(" at ", out);
        put_text(out, ours->where);
    }
}

static void put_verdict(FILE *out, const struct repro_claim *ours, uint32_t seeds)
{
    fprintf(out, " | **%s**", verdict_name(ours->verdict));
    if (ours->points > 1)
        fprintf(out, ", %u of %u points", ours->agreeing, ours->points);
    if (ours->points > 1 && ours->open > 0)
        fprintf(out, ", %u open", ours->open);
    if (ours->verdict == VERDICT_UNDECIDED && seeds < REPRO_SEEDS_DECIDE)
        fprintf(out, ", %u seeds", seeds);
    fputs(" |\n", out);
}

static void put_claim(FILE *out, const struct claim *claim, const struct repro_claim *ours, uint32_t seeds)
{
    fputs(claim->of != CLAIM_NOT_NARROWED ? "| narrowed: " : claim->expected ? "| ours: " : "| ", out);
    put_text(out, claim->text);
    fprintf(out, " | %s ", claim->rule == CLAIM_HOLDS ? "" : claim_rule_name(claim->rule));
    put_text(out, claim->paper_text != NULL ? claim->paper_text : "");
    fputs(" | ", out);
    if (ours == NULL) {
        fputs(" | not run |\n", out);
        return;
    }
    put_ours(out, claim, ours);
    put_verdict(out, ours, seeds);
}

static void put_trials(FILE *out, const struct claim *claim)
{
    for (uint32_t i = 0; i < claim->trial_count; i++) {
        const struct claim_trial *trial = &claim->trials[i];
        fputs("  - Tried: ", out);
        put_text(out, trial->idea);
        fputc(' ', out);
        put_text(out, trial->done);
        fputc(' ', out);
        put_text(out, trial->outcome);
        if (trial->set != NULL)
            fprintf(out, " (`--set %s`)", trial->set);
        fputc('\n', out);
    }
}

/* What is known of a claim beside its numbers. */
static void put_remarks(FILE *out, const struct claim *claim)
{
    const struct {
        const char *begins, *text;
    } remarks[] = {{"Narrowed: ", claim->narrowed}, {"Beyond: ", claim->reason}, {"", claim->finding}};
    fputs("- *", out);
    put_text(out, claim->text);
    fputc('*', out);
    for (size_t i = 0; i < sizeof remarks / sizeof remarks[0]; i++) {
        if (remarks[i].text == NULL)
            continue;
        fprintf(out, " %s", remarks[i].begins);
        put_text(out, remarks[i].text);
    }
    fputc('\n', out);
    put_trials(out, claim);
}

/* Calls `put` for each claim: the paper's, and behind each what it was narrowed to. */
typedef void put_one(FILE *out, const struct catalogue_figure *figure, const struct repro_record *record,
                     const struct claim *claim);
static void each_claim(FILE *out, const struct catalogue_figure *figure, const struct repro_record *record,
                       put_one *put)
{
    const struct experiment *experiment = &figure->full;
    for (uint32_t i = 0; i < experiment->claim_count; i++) {
        if (experiment->claims[i].of != CLAIM_NOT_NARROWED)
            continue;
        put(out, figure, record, &experiment->claims[i]);
        for (uint32_t n = i + 1; n < experiment->claim_count; n++)
            if (experiment->claims[n].of == i)
                put(out, figure, record, &experiment->claims[n]);
    }
}

static void put_row(FILE *out, const struct catalogue_figure *figure, const struct repro_record *record,
                    const struct claim *claim)
{
    struct repro_claim ours;
    struct repro_figure about = {.seeds = 0};
    bool there = repro_record_claim(record, figure->id, claim, &ours);
    repro_record_figure(record, figure->id, &about);
    put_claim(out, claim, there ? &ours : NULL, about.seeds);
}

static bool has_remarks(const struct claim *claim)
{
    return claim->finding != NULL || claim->reason != NULL || claim->narrowed != NULL || claim->trial_count > 0;
}

static void put_remark(FILE *out, const struct catalogue_figure *figure, const struct repro_record *record,
                       const struct claim *claim)
{
    (void)figure;
    (void)record;
    if (has_remarks(claim))
        put_remarks(out, claim);
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
    each_claim(out, figure, record, put_row);
    bool any = false;
    for (uint32_t i = 0; i < figure->full.claim_count; i++)
        any = any || has_remarks(&figure->full.claims[i]);
    fputs(any ? "\n" : "", out);
    each_claim(out, figure, record, put_remark);
}

static void put_cells(FILE *out, const json_t *cells)
{
    size_t i;
    const json_t *cell;
    fputc('|', out);
    json_array_foreach((json_t *)cells, i, cell)
    {
        fputc(' ', out);
        put_text(out, json_is_string(cell) ? json_string_value(cell) : "");
        fputs(" |", out);
    }
    fputc('\n', out);
}

/* A table as tools/rtl-report left it in the record: its title, head, rows and remarks. */
static void put_hardware(FILE *out, const json_t *table)
{
    size_t i;
    const json_t *row, *head = json_object_get(table, "head");
    fputs("\n## Hardware\n\n### ", out);
    put_text(out, json_string_value(json_object_get(table, "title")));
    fputs("\n`make rtl-report`; more in [rtl-cost.md](rtl-cost.md)\n\n", out);
    put_cells(out, head);
    for (i = 0; i < json_array_size(head); i++)
        fputs("|---", out);
    fputs("|\n", out);
    json_array_foreach(json_object_get(table, "rows"), i, row) put_cells(out, row);
    fputc('\n', out);
    json_array_foreach(json_object_get(table, "remarks"), i, row)
    {
        fputs("- ", out);
        put_text(out, json_is_string(row) ? json_string_value(row) : "");
        fputc('\n', out);
    }
}

/* Without a record of the hardware, the page says nothing of it. */
static int add_hardware(FILE *out, const struct repro_record *record)
{
    json_t *hardware;
    int code = repro_hardware_load(&hardware, record);
    const json_t *table = json_object_get(hardware, "table1");
    if (code == CLI_OK && json_is_string(json_object_get(table, "title")))
        put_hardware(out, table);
    json_decref(hardware);
    return code;
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
    int code = add_hardware(out, record);
    if (code != CLI_OK) {
        output_file_discard(&file);
        return code;
    }
    return output_file_commit(&file) ? CLI_OK : CLI_INTERNAL;
}
