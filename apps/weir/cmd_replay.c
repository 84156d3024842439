/*
 * cmd_replay.c - `weir replay`: the command line around replay.h, and its report as text or JSON.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/version.h"
#include "lib/learning/rows_file.h"
#include "lib/trace/replay.h"
#include "show/page/timeline.h"

struct choice {
    struct replay_options how;
    const char *model, *rows, *timeline;
    int64_t average;  /* ps */
    int64_t from, to; /* ps; WEIR_NEVER: all */
    uint64_t gap;     /* bytes */
    uint32_t counters;
    bool json, rtl;
};

static const struct weir_param average_param = {.unit = WEIR_UNIT_TIME, .min = 1, .max = 10 * WEIR_PS_PER_S};

static const struct weir_param time_param = {.unit = WEIR_UNIT_TIME, .min = 0, .max = WEIR_TIME_MAX};

static const char *counters_name(uint32_t i)
{
    return i <= FOREST_COUNTERS_VIRTUAL ? forest_counters_name((enum forest_counters)i) : NULL;
}

static const struct cli_option options[] = {
    CLI_POLICY_FILE,
    {.name = "no-naive",
     .help = "compare with the library only: faster on long traces",
     CLI_OFF(struct choice, how.naive)},
    {.name = "model",
     .value = "FILE",
     .help = "ask this forest, if the trace names it, instead of taking its answers from the trace",
     .offer = CLI_FILES,
     CLI_TEXT(struct choice, model)},
    {.name = "rows",
     .value = "FILE",
     .help = "write training rows of the arrivals for weir train; .zst: compressed (one trace)",
     .more = "Labels are those of the trace where LQD was recorded, else of a virtual LQD beside it.",
     .offer = CLI_FILES,
     CLI_TEXT(struct choice, rows)},
    {.name = "average",
     .value = "TIME",
     .help = "of rows: time constant of the moving averages (24us)",
     CLI_VALUE(struct choice, average, &average_param)},
    {.name = "gap",
     .value = "BYTES",
     .help = "of rows: what a packet takes on the wire beyond its bytes (0); `wire.gap` of a scenario",
     CLI_NUMBER(struct choice, gap, 0, UINT16_MAX)},
    {.name = "counters",
     .value = "KIND",
     .help = "of rows: whose lengths they have (real)",
     .offer = CLI_NAMES(counters_name),
     CLI_WORD(struct choice, counters)},
    {.name = "timeline",
     .value = "FILE",
     .help = "write a page that shows the buffer over time (one trace)",
     .more = "Who holds it, who is refused, pushed out, expelled and paused, in up to 480 steps to move through. An "
             "HTML file that needs nothing else.",
     .offer = CLI_FILES,
     CLI_TEXT(struct choice, timeline)},
    {.name = "from",
     .value = "TIME",
     .help = "of the timeline: when it begins (first record)",
     CLI_VALUE(struct choice, from, &time_param)},
    {.name = "to",
     .value = "TIME",
     .help = "of the timeline: when it ends (last packet)",
     CLI_VALUE(struct choice, to, &time_param)},
    {.name = "rtl",
     .help = "also run the trace through the hardware (rtl/), by verilator: dt and occamy",
     .more =
         "Prints `rtl agrees`, or the first record whose verdict, packet or victim differs. Alpha has to be a power "
         "of two. Needs verilator, a C++ compiler and make.",
     .not_with = "json",
     CLI_FLAG(struct choice, rtl)},
    {.name = "print",
     .help = "also print one line per record",
     .more = "Number, byte, time, call and recorded outcome.",
     .not_with = "json",
     CLI_FLAG(struct choice, how.print)},
    {.name = "json",
     .help = "print the report as JSON, unreadable files included",
     .more = "An unreadable file has its `error`, which is null for the others.",
     .not_with = "print",
     CLI_FLAG(struct choice, json)},
    {.name = NULL},
};

static const struct cli_operand operands[] = {
    {.name = "FILE", .what = "trace", .expected = "a file", .offer = CLI_FILES, .repeats = true},
    {.name = NULL},
};

static int run(int argc, char **argv);

const struct cli_command cmd_replay = {
    .name = "replay",
    .summary = "run a recorded trace again and compare every decision",
    .about =
        "Runs each recorded trace again, through the library and through the naive model, and compares every verdict, "
        "lost packet, departure and state hash with the recording. Shows the first record that differs (exit status "
        "1), or the damaged byte of a file (status 3).",
    .options = options,
    .operands = operands,
    .examples = "weir slot run --policy dt --trace dt.wtr && weir replay dt.wtr\n"
                "weir replay --timeline buffer.html --from 2ms --to 3ms s0.wtr",
    .rights = CONFINE_NOTHING, /* run confines it, but for --rtl, which starts programs */
    .run = run,
};

#define LABEL "%-11s"

static void put_report(const char *path, const struct replay_report *report)
{
    char first[64], last[64];
    outcome_format_time(first, sizeof first, report->first_ps);
    outcome_format_time(last, sizeof last, report->last_ps);
    printf(LABEL "%s\n", "trace", path);
    printf(LABEL "%s\n", "policy", report->egress);
    if (report->ingress != NULL)
        printf(LABEL "%s\n", "ingress", report->ingress);
    printf(LABEL "%" PRIu32 "\n", "ports", report->ports);
    printf(LABEL "%" PRIu32 "\n", "classes", report->classes);
    printf(LABEL "%" PRId64 " cells of %" PRIu32 "B\n", "buffer", report->buffer_cells, report->cell_bytes);
    printf(LABEL "%" PRIu64 "\n", "records", report->records);
    printf(LABEL "%" PRIu64 "\n", "arrivals", report->arrivals);
    printf(LABEL "%" PRIu64 "\n", "accepted", report->accepted);
    printf(LABEL "%" PRIu64, "refused", report->arrivals - report->accepted);
    for (int i = 1; i < WEIR_REASON_COUNT; i++)
        if (report->refused[i] > 0)
            printf(", %s %" PRIu64, weir_reason_name((enum weir_reason)i), report->refused[i]);
    uint64_t lost = 0;
    for (int i = 0; i < WEIR_CAUSE_COUNT; i++)
        lost += report->lost[i];
    printf("\n" LABEL "%" PRIu64, "lost", lost);
    for (int i = 0; i < WEIR_CAUSE_COUNT; i++)
        if (report->lost[i] > 0)
            printf(", %s %" PRIu64, weir_cause_name((enum weir_cause)i), report->lost[i]);
    printf("\n" LABEL "%" PRIu64 "\n", "departed", report->departed);
    printf(LABEL "%s to %s\n", "time", first, last);
    printf(LABEL "%016" PRIx64 "\n", "hash", report->hash);
    printf("core %s\n", report->first.core ? "disagrees" : "agrees");
    if (report->naive_skipped != NULL)
        printf("naive skipped: %s\n", report->naive_skipped);
    else
        printf("naive %s\n", report->first.naive ? "disagrees" : "agrees");
    if (report->first.record > 0) {
        char now[64];
        outcome_format_time(now, sizeof now, report->first.now);
        printf("\nfirst disagreement: record %" PRIu64 " at byte %" PRIu64 ", time %s\n", report->first.record,
               report->first.at, now);
        printf("  " LABEL "%s\n", "event", report->first.event);
        printf("  " LABEL "%s\n", "recorded", report->first.recorded);
        printf("  " LABEL "%s\n", "core", report->first.core_says);
        if (report->first.naive_says[0] != '\0')
            printf("  " LABEL "%s\n", "naive", report->first.naive_says);
    }
}

static json_t *disagreement_json(const struct replay_disagreement *first)
{
    if (first->record == 0)
        return json_null();
    const char *naive = first->naive_says[0] != '\0' ? first->naive_says : NULL;
    return json_pack("{s:I, s:I, s:I, s:s, s:s, s:s, s:s?}", "record", (json_int_t)first->record, "byte",
                     (json_int_t)first->at, "time_ps", (json_int_t)first->now, "event", first->event, "recorded",
                     first->recorded, "core", first->core_says, "naive", naive);
}

static json_t *report_json(const char *path, const struct replay_report *report)
{
    char hash[32];
    snprintf(hash, sizeof hash, "%016" PRIx64, report->hash);
    json_t *about = json_pack("{s:o, s:n, s:s, s:s?, s:I, s:I, s:I, s:I}", "file", output_json_string(path), "error",
                              "policy", report->egress, "ingress", report->ingress, "ports", (json_int_t)report->ports,
                              "classes", (json_int_t)report->classes, "cell_bytes", (json_int_t)report->cell_bytes,
                              "buffer_cells", (json_int_t)report->buffer_cells);
    json_t *refused = json_object();
    for (int i = 1; i < WEIR_REASON_COUNT; i++)
        refused = output_json_set(refused, weir_reason_name((enum weir_reason)i),
                                  json_integer((json_int_t)report->refused[i]));
    json_t *lost = json_object();
    for (int i = WEIR_CAUSE_REFUSED + 1; i < WEIR_CAUSE_COUNT; i++)
        lost = output_json_set(lost, weir_cause_name((enum weir_cause)i), json_integer((json_int_t)report->lost[i]));
    json_t *counts = json_pack("{s:I, s:I, s:I, s:o, s:o, s:I, s:I, s:I, s:s}", "records", (json_int_t)report->records,
                               "arrivals", (json_int_t)report->arrivals, "accepted", (json_int_t)report->accepted,
                               "refused", refused, "lost", lost, "departed", (json_int_t)report->departed, "first_ps",
                               (json_int_t)report->first_ps, "last_ps", (json_int_t)report->last_ps, "hash", hash);
    json_t *naive = report->naive_skipped != NULL ? json_null() : json_boolean(!report->first.naive);
    json_t *verdict =
        json_pack("{s:b, s:o, s:s?, s:o}", "core_agrees", !report->first.core, "naive_agrees", naive, "naive_skipped",
                  report->naive_skipped, "disagreement", disagreement_json(&report->first));
    bool whole = about != NULL && json_object_update(about, counts) == 0 && json_object_update(about, verdict) == 0;
    json_decref(counts);
    json_decref(verdict);
    if (whole)
        return about;
    json_decref(about);
    return NULL;
}

static int write_timeline(const struct choice *choice, const char *trace, const struct timeline *timeline,
                          const struct replay_report *report)
{
    const char *slash = strrchr(trace, '/');
    const struct timeline_page page = {timeline, report, slash ? slash + 1 : trace, version_text()};
    struct output_file file;
    if (!output_file_open(&file, choice->timeline) || !output_file_stream(&file))
        return CLI_INTERNAL;
    if (!timeline_page_put(&page, file.stream)) {
        output_file_discard(&file);
        return cli_error_memory();
    }
    return output_file_flush(&file) && output_file_commit(&file) ? CLI_OK : CLI_INTERNAL;
}

/* Replays one file; its report goes to stdout or, with `reports`, there (null in it when memory is short). */
static int replay_file(const char *path, const struct choice *choice, json_t **reports)
{
    struct replay_report report;
    struct replay_options how = choice->how;
    struct timeline timeline = {.from = choice->from, .to = choice->to};
    const struct replay_watch watch = timeline_watch(&timeline);
    how.watch = choice->timeline ? &watch : NULL;
    int code = replay_trace(path, &how, &report);
    bool replayed = code == CLI_OK || code == CLI_VIOLATION;
    if (replayed && reports == NULL)
        put_report(path, &report);
    else if (replayed)
        *reports = output_json_append(*reports, report_json(path, &report));
    else if (code == CLI_INPUT && reports != NULL)
        *reports = output_json_append(*reports, json_pack("{s:o, s:o}", "file", output_json_string(path), "error",
                                                          output_json_string(report.error)));
    if (code == CLI_OK && choice->timeline)
        code = write_timeline(choice, path, &timeline, &report);
    if (code == CLI_OK && choice->rtl)
        code = rtl_replay(path, &report);
    timeline_free(&timeline);
    replay_report_free(&report);
    return code;
}

/* Every file is replayed; the status is the gravest, that is the highest. */
static int replay_files(char **paths, const struct choice *choice)
{
    int gravest = CLI_OK;
    bool json = choice->json;
    json_t *reports = json ? json_array() : NULL;
    for (char **path = paths; *path != NULL; path++) {
        if (!json && path != paths)
            putchar('\n');
        int code = replay_file(*path, choice, json ? &reports : NULL);
        gravest = code > gravest ? code : gravest;
    }
    if (!json)
        return gravest;
    if (gravest == CLI_INTERNAL) { /* not all files could be looked at: no report of all */
        json_decref(reports);
        return gravest;
    }
    int printed = output_json(json_pack("{s:o}", "traces", reports));
    return printed != CLI_OK ? printed : gravest;
}

struct rows_out {
    const struct choice *choice;
    struct rows_writer writer;
    bool open;
};

static bool open_rows(void *context, uint32_t ports)
{
    struct rows_out *out = context;
    const struct rows_about about = {(enum forest_counters)out->choice->counters, out->choice->average, ports};
    out->open = rows_writer_open(&out->writer, out->choice->rows, &about);
    return out->open;
}

static bool take_row(void *context, const struct weir_training_row *row)
{
    struct rows_out *out = context;
    out->open = rows_writer_put(&out->writer, "s0", row);
    return out->open;
}

static int replay_with(struct choice *choice, char **paths)
{
    struct rows_out out = {.choice = choice};
    const struct replay_rows rows = {
        open_rows, take_row, &out, choice->average, (uint32_t)choice->gap, choice->counters == FOREST_COUNTERS_VIRTUAL};
    choice->how.rows = choice->rows ? &rows : NULL;
    int code = replay_files(paths, choice);
    if (out.open && code == CLI_OK)
        return rows_writer_commit(&out.writer) ? CLI_OK : CLI_INTERNAL;
    if (out.open)
        rows_writer_discard(&out.writer);
    return code;
}

static int check_timeline(const struct choice *choice, const struct cli_line *line)
{
    if (choice->timeline && line->count > 1)
        return cli_error(CLI_USAGE, "replay: --timeline is of one trace (found %u)", line->count);
    if (!choice->timeline && (cli_given(line, "from") || cli_given(line, "to")))
        return cli_error(CLI_USAGE, "replay: --%s is of a timeline (expected with: --timeline)",
                         cli_given(line, "from") ? "from" : "to");
    if (choice->from != WEIR_NEVER && choice->from > choice->to)
        return cli_error(CLI_USAGE, "replay: --from is later than --to (expected earlier)");
    return CLI_OK;
}

static int run(int argc, char **argv)
{
    struct choice choice = {
        .how = {.naive = true}, .average = 24 * WEIR_PS_PER_US, .from = WEIR_NEVER, .to = WEIR_NEVER};
    struct cli_line line;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (!cli_read(&line, &cmd_replay, argc, argv, &choice))
        return line.code;
    if (!choice.rtl)
        confine_calls(CONFINE_FILES);
    if (choice.rows && line.count > 1)
        return cli_error(CLI_USAGE, "replay: --rows is of one trace (found %u)", line.count);
    static const char *const of_rows[] = {"average", "gap", "counters"};
    for (size_t i = 0; !choice.rows && i < sizeof of_rows / sizeof of_rows[0]; i++)
        if (cli_given(&line, of_rows[i]))
            return cli_error(CLI_USAGE, "replay: --%s is of rows (expected with: --rows)", of_rows[i]);
    int code = check_timeline(&choice, &line);
    if (code != CLI_OK)
        return code;
    struct forest *forest = choice.model ? forest_open(choice.model, &error) : NULL;
    if (choice.model && !forest)
        return cli_report(&error);
    choice.how.model = forest ? &forest->base : NULL;
    code = replay_with(&choice, line.operands);
    forest_free(forest);
    return code;
}
