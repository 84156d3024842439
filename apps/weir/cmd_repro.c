/*
 * cmd_repro.c - `weir repro`: the figures of the papers, run and judged. A figure is a scenario of the catalogue; it is
 * run as `weir run` would, into a folder of results, and its page is written beside it. Without a name the catalogue is
 * listed.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/clock.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/version.h"
#include "lab/papers/record.h"
#include "show/writers/write.h"
#include "sim/engine/processors.h"

extern const struct cli_command cmd_run, cmd_report; /* a figure is run and shown as they do it */

struct papers_choice {
    bool quick, quiet, check;
    const char *output, *results, *jobs, *scenarios, *decide;
    char **figures;
    uint32_t figure_count;
};

static const struct cli_option options[] = {
    {.name = "quick",
     .help = "run the quick sizes, in seconds; checks orderings only",
     CLI_FLAG(struct papers_choice, quick)},
    {.name = "check",
     .help = "run nothing: say which figures draw with fewer than 3 seeds, and with --results which misses, claims "
             "beyond the paper and undecided ones still need work",
     .more = "Without FIGURE, checks all of them.",
     CLI_FLAG(struct papers_choice, check)},
    {.name = "output",
     .letter = 'o',
     .value = "DIR",
     .help = "folder of databases and pages; default: repro",
     .offer = CLI_FOLDERS,
     CLI_TEXT(struct papers_choice, output)},
    {.name = "results",
     .value = "FILE",
     .help = "write the claims of all figures as Markdown, a page per paper into results/ beside it, and keep their "
             "numbers in results.json; full sizes only",
     .more = "Written after each figure, which replaces only its own numbers, with the version and the code that made "
             "them. A weir built from a tree with changes records none. Without FIGURE, writes the pages again.",
     CLI_FILE(struct papers_choice, results)},
    {.name = "jobs",
     .value = "N",
     .help = "simulate N runs at once; default: one per processor",
     CLI_TEXT(struct papers_choice, jobs)},
    {.name = "decide",
     .value = "BUDGET",
     .help = "add seeds where claims are undecided, for this time of one core per figure: 20min, 2.5h",
     .more = "See weir-run(1). Given again, goes on with the databases in the folder.",
     CLI_TEXT(struct papers_choice, decide)},
    {.name = "scenarios",
     .value = "DIR",
     .help = "folder of the catalogue; default: $WEIR_SCENARIOS, or the one installed with weir",
     .offer = CLI_FOLDERS,
     CLI_TEXT(struct papers_choice, scenarios)},
    {.name = "quiet", .help = "show no progress", CLI_FLAG(struct papers_choice, quiet)},
    {.name = NULL},
};

static const struct cli_operand operands[] = {
    {.name = "FIGURE", .offer = CLI_LISTED("repro"), .repeats = true},
    {.name = NULL},
};

static int run(int argc, char **argv);

const struct cli_command cmd_repro = {
    .name = "repro",
    .summary = "reproduce figures of the papers and check what they claim",
    .about =
        "Reproduces figures of the papers and checks the papers' claims. FIGURE is an id of the catalogue (tdt/fig7), "
        "a paper (tdt) or all; without one, lists the catalogue. Finished runs in the folder are not repeated, unless "
        "other code made them.",
    .options = options,
    .operands = operands,
    .status =
        "0 every claim holds, or its finding says why not; 1 a claim fails without a finding, or --check finds too few "
        "seeds; 2 wrong usage; 3 bad input; 4 out of memory or cannot write",
    .examples = "weir repro --quick tdt/fig7",
    .run = run,
};

static bool chosen(const struct papers_choice *choice, const struct catalogue_figure *figure)
{
    for (uint32_t i = 0; i < choice->figure_count; i++)
        if (catalogue_matches(figure->id, choice->figures[i]))
            return true;
    return false;
}

/* Every name means something. */
static int check_names(const struct papers_choice *choice, const struct catalogue *catalogue)
{
    for (uint32_t i = 0; i < choice->figure_count; i++) {
        bool found = false;
        for (uint32_t f = 0; f < catalogue->count && !found; f++)
            found = catalogue_matches(catalogue->figures[f].id, choice->figures[i]);
        if (!found) {
            /* With the names that there are: this catalogue has only those that were asked for. */
            const char *name = choice->figures[i];
            struct catalogue all;
            const char **names = NULL;
            int code = catalogue_load(&all, choice->scenarios, &(struct catalogue_filter){NULL, 0});
            if (code == CLI_OK && (names = calloc(all.count + 1, sizeof *names)) == NULL)
                code = cli_error_memory();
            for (uint32_t j = 0; code == CLI_OK && j < all.count; j++)
                names[j] = all.figures[j].id;
            if (code == CLI_OK) {
                const struct error_hint hint = error_hint(name, names);
                code = cli_error(CLI_INPUT, "no figure '%s'%s", name,
                                 hint.near ? hint.text : " (`weir repro` lists them)");
            }
            free(names);
            catalogue_free(&all);
            return code;
        }
    }
    return CLI_OK;
}

static const char *expected_text(double seconds, char text[32])
{
    if (seconds > 0)
        papers_time(seconds, text);
    return seconds > 0 ? text : "";
}

static int list_catalogue(const struct catalogue *catalogue)
{
    static const struct data_column columns[] = {DATA_COLUMN("figure", "figure", WORD),
                                                 DATA_COLUMN("claims", "claims", INTEGER),
                                                 DATA_COLUMN("runs", "runs", INTEGER),
                                                 DATA_COLUMN("expected", "time", NUMBER),
                                                 DATA_COLUMN("quick_runs", "quick runs", INTEGER),
                                                 DATA_COLUMN("quick_expected", "time", NUMBER),
                                                 DATA_COLUMN("title", "title", TEXT, .width = 72)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t i = 0; i < catalogue->count; i++) {
        const struct catalogue_figure *figure = &catalogue->figures[i];
        const struct experiment *full = &figure->full;
        char time[32], quick_time[32];
        data_row(frame, cell_text(figure->id), cell_integer(full->claim_count), cell_integer(experiment_runs(full)),
                 cell_shown(cell_number(full->expected_full_s), expected_text(full->expected_full_s, time)),
                 cell_integer(experiment_runs(&figure->quick)),
                 cell_shown(cell_number(full->expected_quick_s), expected_text(full->expected_quick_s, quick_time)),
                 cell_text(full->title != NULL ? full->title : ""));
    }
    int code = write_result(frame, false);
    if (code == CLI_OK)
        printf("\nTimes are those of two cores. `weir repro FIGURE`, `weir repro tdt` or `weir repro all` runs them,\n"
               "--quick in seconds.\n");
    return code;
}

/* One claim of one figure, for the table at the end. */
struct outcome {
    const char *figure;        /* of the catalogue */
    const struct claim *claim; /* of the catalogue */
    struct judgement judgement;
    const char *unit;
};

struct outcomes {
    struct outcome *at;
    uint32_t count;
    bool violated;       /* a run did: see run_violations.h */
    double core_seconds; /* of all runs, those of earlier commands too */
};

static bool disappoints(const struct outcome *outcome)
{
    enum verdict verdict = outcome->judgement.verdict;
    bool bad = verdict == VERDICT_MISSED || verdict == VERDICT_NO_DATA || verdict == VERDICT_DIRECTION;
    return bad && (outcome->claim->finding == NULL || verdict == VERDICT_NO_DATA);
}

/* The file was read for the catalogue and again when it ran; claims are told apart by their place in it. */
static int check_same(const struct catalogue_figure *figure, const struct experiment *experiment,
                      const struct experiment *ran)
{
    bool same = experiment->claim_count == ran->claim_count;
    for (uint32_t i = 0; same && i < ran->claim_count; i++)
        same = strcmp(experiment->claims[i].id, ran->claims[i].id) == 0;
    return same ? CLI_OK : cli_error(CLI_INPUT, "%s: changed while it ran (run it again)", figure->path);
}

static int judge_table(const struct papers_choice *choice, const struct catalogue *catalogue,
                       const struct catalogue_figure *figure, const struct table *table, struct outcomes *outcomes)
{
    const struct experiment *experiment = choice->quick ? &figure->quick : &figure->full;
    size_t count = experiment->claim_count;
    struct judgement *judgements = calloc(count + 1, sizeof *judgements);
    struct outcome *at = realloc(outcomes->at, (outcomes->count + count + 1) * sizeof *at);
    if (at != NULL)
        outcomes->at = at;
    int code =
        judgements != NULL && at != NULL ? check_same(figure, experiment, &table->experiment) : cli_error_memory();
    for (uint32_t i = 0; code == CLI_OK && i < count; i++) {
        claim_judge(table, &table->experiment.claims[i], &judgements[i]);
        at[outcomes->count++] = (struct outcome){figure->id, &experiment->claims[i], judgements[i],
                                                 evaluate_unit(table, table->experiment.claims[i].value)};
    }
    if (code == CLI_OK && choice->results != NULL) {
        /* Puts one figure into the record as the file has it now, which another command may have changed meanwhile, and
         * writes both files again: what was reached stays when a later figure is interrupted. */
        struct papers_record record;
        code = papers_record_load(&record, choice->results);
        if (code == CLI_OK)
            code = papers_record_put(&record, figure->id, table, judgements, version_text());
        if (code == CLI_OK)
            code = papers_record_save(&record);
        if (code == CLI_OK)
            code = papers_page_write(choice->results, catalogue, &record);
        papers_record_free(&record);
    }
    for (uint32_t i = 0; i < experiment_runs(&table->experiment); i++)
        outcomes->core_seconds += table->runs[i].finished ? table->runs[i].seconds : 0;
    free(judgements);
    return code;
}

static int write_page(char *database)
{
    char *words[] = {(char *)"report", database, NULL};
    return cmd_report.run(2, words);
}

static int do_figure(const struct papers_choice *choice, const struct catalogue *catalogue,
                     const struct catalogue_figure *figure, struct outcomes *outcomes)
{
    char *database = NULL, *slash = strchr(figure->id, '/');
    if (asprintf(&database, "%s/%.*s-%s%s.db", choice->output, (int)(slash - figure->id), figure->id, slash + 1,
                 choice->quick ? "-quick" : "") < 0)
        return cli_error_memory();
    printf("%s: %s\n\n", figure->id, figure->full.title != NULL ? figure->full.title : "");
    fflush(stdout);
    /* As typed: `weir run --output DATABASE FILE`. */
    char *words[12] = {(char *)"run", (char *)"--output", database}; /* getopt takes them so, and leaves them */
    int count = 3;
    if (choice->quick)
        words[count++] = (char *)"--quick";
    if (choice->quiet)
        words[count++] = (char *)"--quiet";
    if (choice->jobs != NULL) {
        words[count++] = (char *)"--jobs";
        words[count++] = (char *)choice->jobs;
    }
    if (choice->decide != NULL) {
        words[count++] = (char *)"--decide";
        words[count++] = (char *)choice->decide;
    }
    words[count++] = figure->path;
    int code = cmd_run.run(count, words);
    if (code == CLI_VIOLATION) {
        outcomes->violated = true;
        code = CLI_OK;
    }
    if (code == CLI_OK) {
        /* Judges the claims of a database that was just written, and notes them. */
        struct table table;
        struct weir_error status;
        code = table_load(&table, database, &status) ? CLI_OK : cli_report(&status);
        if (code == CLI_OK)
            code = judge_table(choice, catalogue, figure, &table, outcomes);
        table_free(&table);
    }
    if (code == CLI_OK)
        code = write_page(database);
    printf("\n");
    free(database);
    return code;
}

static int print_outcomes(const struct outcomes *outcomes)
{
    static const struct data_column columns[] = {
        DATA_COLUMN("figure", "figure", WORD), DATA_COLUMN("claim", "claim", TEXT, .width = 60),
        DATA_COLUMN("paper", "paper", TEXT, .right = true), DATA_COLUMN("weir", "weir", NUMBER),
        DATA_COLUMN("verdict", "verdict", TEXT)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t i = 0; i < outcomes->count; i++) {
        const struct outcome *outcome = &outcomes->at[i];
        const struct claim *claim = outcome->claim;
        char ours[64] = "", verdict[64];
        if (!isnan(outcome->judgement.ours.mean))
            claim_text(claim, outcome->judgement.ours.mean, outcome->unit, ours);
        snprintf(verdict, sizeof verdict, "%s%s", verdict_name(outcome->judgement.verdict),
                 disappoints(outcome)     ? " (unexplained)"
                 : claim->finding != NULL ? " (finding)"
                                          : "");
        data_row(frame, cell_text(outcome->figure), cell_text(claim->text),
                 cell_text(claim->paper_text != NULL ? claim->paper_text : ""),
                 cell_shown(cell_number(outcome->judgement.ours.mean), ours), cell_text(verdict));
    }
    return write_result(frame, false);
}

/* The folder and those above it. */
static int make_folder(const char *path)
{
    char *copy = strdup(path);
    if (copy == NULL)
        return cli_error_memory();
    int code = CLI_OK;
    for (char *end = copy + 1; code == CLI_OK && end != NULL; end = end[0] == '\0' ? NULL : end + 1) {
        end = strchrnul(end, '/');
        char kept = *end;
        *end = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST)
            code = cli_error(CLI_INTERNAL, "%s: cannot make the folder: %s", copy, strerror(errno));
        *end = kept;
        if (kept == '\0')
            break;
    }
    free(copy);
    return code;
}

/* What is expected of the figures that are left. */
struct schedule {
    double *seconds; /* [catalogue count]: of one core; 0: not asked for, or not known */
    double left;     /* their sum */
    uint32_t figures, at, jobs;
    double started; /* by the wall clock */
};

static int schedule_make(struct schedule *schedule, const struct papers_choice *choice,
                         const struct catalogue *catalogue)
{
    struct papers_record record = {NULL, NULL};
    *schedule = (struct schedule){.jobs = choice->jobs != NULL ? (uint32_t)strtoul(choice->jobs, NULL, 10) : 0,
                                  .started = clock_seconds()};
    schedule->jobs = schedule->jobs > 0 ? schedule->jobs : processors_count();
    schedule->seconds = calloc(catalogue->count + 1, sizeof *schedule->seconds);
    int code = schedule->seconds != NULL ? CLI_OK : cli_error_memory();
    if (code == CLI_OK && choice->results != NULL)
        code = papers_record_load(&record, choice->results);
    for (uint32_t i = 0; code == CLI_OK && i < catalogue->count; i++) {
        const struct catalogue_figure *figure = &catalogue->figures[i];
        if (!chosen(choice, figure))
            continue;
        schedule->figures++;
        schedule->seconds[i] = choice->quick ? 2 * figure->full.expected_quick_s
                                             : papers_expected_seconds(figure, record.root != NULL ? &record : NULL);
        schedule->left += schedule->seconds[i];
    }
    papers_record_free(&record);
    return code;
}

/* A claim that does not come out, or a run that violates what it promises, fails the command, but never keeps the
 * others from being run. */
static int do_figures(const struct papers_choice *choice, const struct catalogue *catalogue)
{
    struct outcomes outcomes = {NULL, 0, false, 0};
    struct schedule schedule;
    int code = schedule_make(&schedule, choice, catalogue);
    if (code == CLI_OK)
        code = make_folder(choice->output);
    for (uint32_t i = 0; i < catalogue->count && code == CLI_OK; i++) {
        if (!chosen(choice, &catalogue->figures[i]))
            continue;
        /* Before a figure: where in the whole we are. On stderr, as progress is. */
        char one[32], all[32];
        papers_time(schedule.seconds[i] / schedule.jobs, one);
        papers_time(schedule.left / schedule.jobs, all);
        schedule.at++;
        if (!choice->quiet && schedule.figures > 1)
            cli_error(CLI_OK, "figure %u of %u: about %s, %s until the end", schedule.at, schedule.figures, one, all);
        schedule.left -= schedule.seconds[i];
        code = do_figure(choice, catalogue, &catalogue->figures[i], &outcomes);
    }
    if (code == CLI_OK)
        code = print_outcomes(&outcomes);
    if (code == CLI_OK) {
        char wall[32], core[32];
        papers_time(clock_seconds() - schedule.started, wall);
        papers_time(outcomes.core_seconds, core);
        printf("\n%u %s in %s; their runs took %s of one core\n", schedule.figures,
               schedule.figures == 1 ? "figure" : "figures", wall, core);
    }
    for (uint32_t i = 0; i < outcomes.count && code == CLI_OK; i++)
        if (disappoints(&outcomes.at[i]))
            code = CLI_VIOLATION;
    if (code == CLI_OK && outcomes.violated)
        code = CLI_VIOLATION;
    free(outcomes.at);
    free(schedule.seconds);
    return code;
}

/* All that is asked for, or all. */
static int check(const struct papers_choice *choice, const struct catalogue *catalogue)
{
    struct papers_record record = {NULL, NULL};
    int found = CLI_OK, code = choice->results != NULL ? papers_record_load(&record, choice->results) : CLI_OK;
    for (uint32_t i = 0; i < catalogue->count && code == CLI_OK; i++) {
        if (choice->figure_count > 0 && !chosen(choice, &catalogue->figures[i]))
            continue;
        int one = papers_check(&catalogue->figures[i], record.root != NULL ? &record : NULL);
        code = one == CLI_VIOLATION ? CLI_OK : one;
        found = one == CLI_VIOLATION ? one : found;
    }
    papers_record_free(&record);
    return code == CLI_OK ? found : code;
}

static int write_results(const struct papers_choice *choice, const struct catalogue *catalogue)
{
    struct papers_record record;
    int code = papers_record_load(&record, choice->results);
    if (code == CLI_OK)
        code = papers_page_write(choice->results, catalogue, &record);
    papers_record_free(&record);
    return code;
}

static int repro(const struct papers_choice *choice, const struct catalogue *catalogue)
{
    int code = check_names(choice, catalogue);
    if (code != CLI_OK)
        return code;
    if (choice->check)
        return check(choice, catalogue);
    if (choice->results != NULL && choice->figure_count > 0) /* before the runs, which may take hours */
        code = papers_record_check(version_text());
    if (code != CLI_OK)
        return code;
    if (choice->figure_count > 0)
        return do_figures(choice, catalogue);
    return choice->results != NULL ? write_results(choice, catalogue) : list_catalogue(catalogue);
}

static int run(int argc, char **argv)
{
    struct papers_choice choice = {.output = "repro"};
    struct catalogue catalogue;
    struct cli_line line;
    if (!cli_read(&line, &cmd_repro, argc, argv, &choice))
        return line.code;
    choice.figures = line.operands;
    choice.figure_count = line.count;
    if (choice.quick && choice.results != NULL)
        return cli_error(CLI_USAGE, "repro: --results is for full sizes (leave out --quick)");
    const struct catalogue_filter all = {NULL, 0}, chosen_ones = {choice.figures, choice.figure_count};
    int code = catalogue_load(&catalogue, choice.scenarios, choice.results != NULL ? &all : &chosen_ones);
    if (code == CLI_OK)
        code = repro(&choice, &catalogue);
    catalogue_free(&catalogue);
    return code;
}
