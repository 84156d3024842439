/*
 * page.c - the pages of all claims, as Markdown: an index with one table, and beside it, in results/, a page per paper:
 * what each claim says, the paper's number, ours and the verdict, and below each figure what was found where a claim is
 * missed; and a page on what the hardware costs beside the papers'. Made from the catalogue and the records alone, so
 * that the same records give the same pages.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "lab/papers/record.h"

#define FOLDER "results"
#define HARDWARE FOLDER "/hardware.md"

static const char index_head[] =
    "# Results\n"
    "\n"
    "What the papers claim about their figures, and what weir measures at full size. `weir repro all --results FILE`\n"
    "writes this page and a page per paper; do not edit them: claims and findings are in the scenarios of the\n"
    "figures, numbers in results.json and, for the hardware, hardware.json beside this page.\n"
    "\n";

static const char index_rule[] =
    "\n"
    "Narrowed claims and claims of ours are counted apart. A claim is narrowed when a weaker one replaces it after a\n"
    "look at the results; the paper's own claim keeps its verdict above it. Every miss lists two tested explanations.\n"
    "\n"
    "## The rule\n"
    "One rule judges all claims. A number is near the paper's when it is within a tenth of it; a percentage when it\n"
    "is within a fifth of it and within 10 points. A claim gets a verdict when both ends of the 95 % confidence\n"
    "interval over seeds give the same one; otherwise it is **undecided**. Between met and beyond, where x is reached\n"
    "for certain, our number itself decides.\n"
    "\n"
    "- \"Up to x\" is **met** when our maximum over the sweep is near x or above it, **beyond** when it exceeds x by\n"
    "  more than 10 points (other numbers: by more than a tenth), **direction** when only the sign agrees, at 80 % of\n"
    "  the points or more; else **missed**.\n"
    "- \"About x\", a bound (\"at least\", \"at most\") and an ordering are met when every point is near x, within\n"
    "  the bound or ordered so; direction: 80 % of them; else missed. Orderings are compared seed by seed: the\n"
    "  interval is that of the difference.\n"
    "- An invariant (nothing is lost, all flows finish) is met when it is true of every run; else missed.\n"
    "- Only points that the claim is about count. Where the baseline shows no effect at any of them, the claim is\n"
    "  **vacuous**; where a parameter was chosen so that the number comes out, **fitted** instead of met.\n"
    "\n"
    "Beside our number stand its interval and its point in the sweep. \"±\" is Student's; \"(a to b)\" is a\n"
    "bootstrap's, for percentiles, extremes and skewed seeds. Sweeps that ran until decided have the wider anytime\n"
    "interval, which holds however often it is looked at. What more seeds cost is an estimate, if our number stays.\n";

/* The rows of a paper in the table of counts. */
enum group { GROUP_NUMBERS, GROUP_COMPUTED, GROUP_ORDERS, GROUP_INVARIANTS, GROUP_NARROWED, GROUP_OWN, GROUPS };
static const char *const group_names[GROUPS] = {"numbers",
                                                "numbers computed from printed ones",
                                                "orderings without a number",
                                                "invariants",
                                                "narrowed after a look",
                                                "ours, in no paper"};

/* And their columns; those from UNTESTED on are not shown. */
enum column {
    CLAIMS,
    MET,
    BEYOND_EXPLAINED,
    BEYOND,
    UNDECIDED,
    DIRECTION,
    MISSED,
    FITTED,
    VACUOUS,
    NOT_RUN,
    UNTESTED,
    COLUMNS
};
struct counts {
    uint32_t of[COLUMNS];
};

/* A paper: its figures are neighbours in the catalogue, in a folder of their own. */
struct paper {
    const char *name;
    uint32_t first, count;
    int folder_length;
    const char *folder;
    struct counts counts[GROUPS];
};

void papers_time(double seconds, char text[32])
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
    if (claim->expected)
        return GROUP_OWN;
    return kind == CLAIM_OF_ORDER ? GROUP_ORDERS : claim->computed != NULL ? GROUP_COMPUTED : GROUP_NUMBERS;
}

static void count_claim(struct counts *counts, const struct claim *claim, enum verdict verdict)
{
    counts->of[CLAIMS]++;
    counts->of[MET] += verdict == VERDICT_MET;
    counts->of[BEYOND_EXPLAINED] += verdict == VERDICT_BEYOND && claim->reason != NULL;
    counts->of[BEYOND] += verdict == VERDICT_BEYOND && claim->reason == NULL;
    counts->of[UNDECIDED] += verdict == VERDICT_UNDECIDED;
    counts->of[DIRECTION] += verdict == VERDICT_DIRECTION;
    counts->of[MISSED] += verdict == VERDICT_MISSED;
    counts->of[FITTED] += verdict == VERDICT_FITTED;
    counts->of[VACUOUS] += verdict == VERDICT_VACUOUS;
    counts->of[NOT_RUN] += verdict == VERDICT_NO_DATA;
    counts->of[UNTESTED] += verdict == VERDICT_MISSED && claim->trial_count < REPRO_TRIALS_MIN;
}

static void add_counts(struct counts *sum, const struct counts *counts)
{
    for (uint32_t column = 0; column < COLUMNS; column++)
        sum->of[column] += counts->of[column];
}

/* The paper that begins with this figure. */
static struct paper paper_at(const struct catalogue *catalogue, const struct papers_record *record, uint32_t first)
{
    const struct catalogue_figure *begin = &catalogue->figures[first];
    struct paper paper = {.name = begin->full.paper, .first = first, .folder = begin->id};
    paper.folder_length = (int)strcspn(begin->id, "/");
    while (first + paper.count < catalogue->count && same_paper(&catalogue->figures[first + paper.count], begin))
        paper.count++;
    for (uint32_t i = 0; i < paper.count; i++) {
        const struct catalogue_figure *figure = &catalogue->figures[paper.first + i];
        for (uint32_t c = 0; c < figure->full.claim_count; c++) {
            const struct claim *claim = &figure->full.claims[c];
            struct papers_claim ours;
            bool there = papers_record_claim(record, figure->id, claim, &ours);
            count_claim(&paper.counts[group_of(claim)], claim, there ? ours.verdict : VERDICT_NO_DATA);
        }
    }
    return paper;
}

/* The rest of a row of the index: the papers' own claims as a whole, the others apart. */
static void put_index_row(FILE *out, uint32_t figures, const struct counts counts[GROUPS])
{
    struct counts own = {{0}};
    for (uint32_t group = 0; group < GROUP_NARROWED; group++)
        add_counts(&own, &counts[group]);
    own.of[BEYOND] += own.of[BEYOND_EXPLAINED];
    fprintf(out, " | %u", figures);
    for (uint32_t column = 0; column < UNTESTED; column++)
        if (column != BEYOND_EXPLAINED)
            fprintf(out, " | %u", own.of[column]);
    for (uint32_t group = GROUP_NARROWED; group < GROUPS; group++)
        fprintf(out, " | %u of %u", counts[group].of[MET], counts[group].of[CLAIMS]);
    fputs(" |\n", out);
}

static void put_summary(FILE *out, const struct catalogue *catalogue, const struct papers_record *record)
{
    struct counts all[GROUPS] = {{{0}}};
    uint32_t untested = 0;
    fputs("| paper | figures | claims | met | beyond | undecided | direction | missed | fitted | vacuous | not run | "
          "narrowed, met "
          "| ours, met |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
          out);
    for (uint32_t i = 0; i < catalogue->count;) {
        struct paper paper = paper_at(catalogue, record, i);
        fputs("| [", out);
        put_text(out, paper.name);
        fprintf(out, "](" FOLDER "/%.*s.md)", paper.folder_length, paper.folder);
        put_index_row(out, paper.count, paper.counts);
        for (uint32_t group = 0; group < GROUPS; group++)
            add_counts(&all[group], &paper.counts[group]);
        i += paper.count;
    }
    fputs("| all", out);
    put_index_row(out, catalogue->count, all);
    for (uint32_t group = 0; group < GROUPS; group++)
        untested += all[group].of[UNTESTED];
    if (untested > 0)
        fprintf(out, "\n%u missed %s fewer than two tested explanations.\n", untested,
                untested == 1 ? "claim has" : "claims have");
}

static void put_counts(FILE *out, const struct paper *paper)
{
    fputs("| claims | all | met | beyond, with reason | beyond, without | undecided | direction | missed | fitted | "
          "vacuous | not run |\n"
          "|---|---|---|---|---|---|---|---|---|---|---|\n",
          out);
    for (uint32_t group = 0; group < GROUPS; group++) {
        if (paper->counts[group].of[CLAIMS] == 0)
            continue;
        fprintf(out, "| %s", group_names[group]);
        for (uint32_t column = 0; column < UNTESTED; column++)
            fprintf(out, " | %u", paper->counts[group].of[column]);
        fputs(" |\n", out);
    }
}

static void put_ours(FILE *out, const struct claim *claim, const struct papers_claim *ours)
{
    char value[64], interval[160], margin[MARGIN_TEXT_MAX];
    if (isnan(ours->ours.mean)) {
        fputs("no value", out);
        return;
    }
    claim_text(claim, ours->ours.mean, ours->unit, value);
    if (strcmp(ours->censoring, censoring_name(CENSORING_BOUND)) == 0)
        fprintf(out, "%s ", censoring_sign(CENSORING_BOUND));
    put_text(out, value);
    interval_text(claim, &ours->ours, ours->unit, interval);
    put_text(out, interval);
    margin_text(claim, &ours->margin, ours->margin_unit, margin);
    if (margin[0] != '\0') {
        fputs(", ", out);
        put_text(out, margin);
    }
    if (ours->where[0] != '\0') {
        fputs(" at ", out);
        put_text(out, ours->where);
    }
}

/* The price of a verdict, from the interval that there is: the whole figure again, with more seeds. */
static double hours_to_decide(const struct claim *claim, const struct papers_claim *ours,
                              const struct papers_figure *about)
{
    struct spread number = ours->ours, margin = ours->margin;
    number.count = margin.count = about->seeds;
    double more = claim_seeds_more(claim, &number, &margin, false);
    return more * about->core_seconds / about->seeds / 3600;
}

static void put_verdict(FILE *out, const struct claim *claim, const struct papers_claim *ours,
                        const struct papers_figure *about)
{
    fprintf(out, " | **%s**", verdict_name(ours->verdict));
    if (ours->points > 1)
        fprintf(out, ", %u of %u points", ours->agreeing, ours->points);
    if (ours->points > 1 && ours->open > 0)
        fprintf(out, ", %u open", ours->open);
    if (ours->verdict == VERDICT_UNDECIDED && about->seeds < REPRO_SEEDS_DECIDE)
        fprintf(out, ", %u seeds", about->seeds);
    double hours = ours->verdict == VERDICT_UNDECIDED ? hours_to_decide(claim, ours, about) : 0;
    if (isinf(hours))
        fputs(", at the bound", out);
    else if (hours > 0)
        fprintf(out, hours < 0.1 ? ", under 0.1 core-hours" : ", about %.2g core-hours", hours);
    fputs(" |\n", out);
}

static void put_claim(FILE *out, const struct claim *claim, const struct papers_claim *ours,
                      const struct papers_figure *about)
{
    fputs(claim->of != CLAIM_NOT_NARROWED ? "| narrowed: " : claim->expected ? "| ours: " : "| ", out);
    put_text(out, claim->text);
    fprintf(out, " | %s ", claim->rule == CLAIM_HOLDS ? "" : claim_rule_name(claim->rule));
    put_text(out, claim->paper_text != NULL ? claim->paper_text : "");
    fputs(claim->computed != NULL ? ", computed | " : " | ", out);
    if (ours == NULL) {
        fputs(" | not run |\n", out);
        return;
    }
    put_ours(out, claim, ours);
    put_verdict(out, claim, ours, about);
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

/* Calls `put` for each claim: the paper's, and behind each what it was narrowed to. */
typedef void put_one(FILE *out, const struct catalogue_figure *figure, const struct papers_record *record,
                     const struct claim *claim);
static void each_claim(FILE *out, const struct catalogue_figure *figure, const struct papers_record *record,
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

static void put_row(FILE *out, const struct catalogue_figure *figure, const struct papers_record *record,
                    const struct claim *claim)
{
    struct papers_claim ours;
    struct papers_figure about = {.seeds = 0};
    bool there = papers_record_claim(record, figure->id, claim, &ours);
    papers_record_figure(record, figure->id, &about);
    put_claim(out, claim, there ? &ours : NULL, &about);
}

static bool has_remarks(const struct claim *claim)
{
    return claim->finding != NULL || claim->reason != NULL || claim->narrowed != NULL || claim->fitted != NULL ||
           claim->computed != NULL || claim->trial_count > 0;
}

static void put_remark(FILE *out, const struct catalogue_figure *figure, const struct papers_record *record,
                       const struct claim *claim)
{
    (void)figure;
    (void)record;
    if (has_remarks(claim)) {
        /* What is known of a claim beside its numbers. */
        const struct {
            const char *begins, *text;
        } remarks[] = {{"Narrowed: ", claim->narrowed},
                       {"Fitted: ", claim->fitted},
                       {"Computed: ", claim->computed},
                       {"Beyond: ", claim->reason},
                       {"", claim->finding}};
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
}

static void put_figure(FILE *out, const struct catalogue_figure *figure, const struct papers_record *record)
{
    struct papers_figure about;
    char time[32];
    fprintf(out, "\n## Figure %s: ", figure->full.figure != NULL ? figure->full.figure : figure->id);
    put_text(out, figure->full.title != NULL ? figure->full.title : figure->id);
    fprintf(out, "\n`weir repro %s`", figure->id);
    if (papers_record_figure(record, figure->id, &about)) {
        papers_time(about.core_seconds, time);
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

/* A page that is being written. */
static int page_open(struct output_file *file, const char *index, const char *name)
{
    char *path;
    *file = OUTPUT_FILE_NONE;
    int code = papers_beside(&path, index, name);
    if (code == CLI_OK && (!output_file_open(file, path) || !output_file_stream(file)))
        code = CLI_INTERNAL;
    free(path);
    return code;
}

static int write_paper(const char *index, const struct paper *paper, const struct catalogue *catalogue,
                       const struct papers_record *record)
{
    struct output_file file;
    char name[256];
    const char *slash = strrchr(index, '/');
    snprintf(name, sizeof name, FOLDER "/%.*s.md", paper->folder_length, paper->folder);
    int code = page_open(&file, index, name);
    if (code != CLI_OK)
        return code;
    fputs("# ", file.stream);
    put_text(file.stream, paper->name);
    fprintf(file.stream,
            "\n\nWritten by `weir repro`; do not edit it. [One rule](../%s#the-rule) judges all claims.\n\n",
            slash != NULL ? slash + 1 : index);
    put_counts(file.stream, paper);
    for (uint32_t i = 0; i < paper->count; i++)
        put_figure(file.stream, &catalogue->figures[paper->first + i], record);
    return output_file_commit(&file) ? CLI_OK : CLI_INTERNAL;
}

static int write_hardware(const char *index, const json_t *table)
{
    struct output_file file;
    int code = page_open(&file, index, HARDWARE);
    if (code != CLI_OK)
        return code;
    /* A table as tools/rtl-report left it in the record: its title, head, rows and remarks. */
    FILE *out = file.stream;
    size_t i;
    const json_t *row, *head = json_object_get(table, "head");
    fputs("# ", out);
    put_text(out, json_string_value(json_object_get(table, "title")));
    fputs("\n`make rtl-report`; more in [rtl-cost.md](../reference/rtl-cost.md)\n\n", out);
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
    return output_file_commit(&file) ? CLI_OK : CLI_INTERNAL;
}

static int write_index(const char *index, const struct catalogue *catalogue, const struct papers_record *record,
                       const json_t *hardware)
{
    struct output_file file = OUTPUT_FILE_NONE;
    if (!output_file_open(&file, index) || !output_file_stream(&file))
        return CLI_INTERNAL;
    fputs(index_head, file.stream);
    put_summary(file.stream, catalogue, record);
    if (hardware != NULL) {
        fputs("\nHardware: [", file.stream);
        put_text(file.stream, json_string_value(json_object_get(hardware, "title")));
        fputs("](" HARDWARE ").\n", file.stream);
    }
    fputs(index_rule, file.stream);
    return output_file_commit(&file) ? CLI_OK : CLI_INTERNAL;
}

static int make_folder(const char *index)
{
    char *path;
    int code = papers_beside(&path, index, FOLDER);
    if (code == CLI_OK && mkdir(path, 0777) != 0 && errno != EEXIST)
        code = cli_error(CLI_INTERNAL, "%s: %s", path, strerror(errno));
    free(path);
    return code;
}

/* The index comes last: what it links to is there. Without a record of the hardware there is no page of it. */
int papers_page_write(const char *page, const struct catalogue *catalogue, const struct papers_record *record)
{
    json_t *hardware;
    int code = papers_hardware_load(&hardware, record);
    const json_t *table = json_object_get(hardware, "table1");
    if (!json_is_string(json_object_get(table, "title")))
        table = NULL;
    if (code == CLI_OK)
        code = make_folder(page);
    for (uint32_t i = 0; code == CLI_OK && i < catalogue->count;) {
        struct paper paper = paper_at(catalogue, record, i);
        code = write_paper(page, &paper, catalogue, record);
        i += paper.count;
    }
    if (code == CLI_OK && table != NULL)
        code = write_hardware(page, table);
    if (code == CLI_OK)
        code = write_index(page, catalogue, record, table);
    json_decref(hardware);
    return code;
}
