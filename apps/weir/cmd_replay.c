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
#include "show/writers/write.h"

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
     CLI_FILE(struct choice, model)},
    {.name = "rows",
     .value = "FILE",
     .help = "write training rows of the arrivals for weir train; .zst: compressed (one trace)",
     .more = "Labels are those of the trace where LQD was recorded, else of a virtual LQD beside it.",
     CLI_FILE(struct choice, rows)},
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
     CLI_FILE(struct choice, timeline)},
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

/* "1234, over-threshold 12": all, and those of each name that there are. */
struct tally {
    char text[512];
    struct data_frame *each;
};

static void tally_add(struct tally *tally, const char *name, uint64_t count)
{
    size_t used = strlen(tally->text);
    data_frame_set(tally->each, name, cell_integer((int64_t)count));
    if (count > 0)
        snprintf(tally->text + used, sizeof tally->text - used, ", %s %" PRIu64, name, count);
}

static struct tally tally_of(uint64_t all)
{
    struct tally tally = {.each = data_frame_new(DATA_OBJECT, NULL, 0)};
    snprintf(tally.text, sizeof tally.text, "%" PRIu64, all);
    return tally;
}

static struct data_frame *disagreement_frame(const struct replay_disagreement *first)
{
    static const struct data_column columns[] = {
        DATA_COLUMN("record", NULL, INTEGER),      DATA_COLUMN("byte", NULL, INTEGER),
        DATA_COLUMN("time_ps", NULL, INTEGER),     DATA_COLUMN("event", "event", TEXT),
        DATA_COLUMN("recorded", "recorded", TEXT), DATA_COLUMN("core", "core", TEXT),
        DATA_COLUMN("naive", "naive", TEXT)};
    struct data_frame *frame = data_frame_new(DATA_OBJECT, DATA_COLUMNS(columns));
    data_row(frame, cell_integer((int64_t)first->record), cell_integer((int64_t)first->at), cell_integer(first->now),
             cell_text(first->event), cell_text(first->recorded), cell_text(first->core_says),
             cell_text(first->naive_says[0] != '\0' ? first->naive_says : NULL));
    return frame;
}

static struct data_frame *report_frame(const char *path, const struct replay_report *report)
{
    static const struct data_column columns[] = {DATA_COLUMN("file", "trace", TEXT),
                                                 DATA_COLUMN("error", NULL, TEXT),
                                                 DATA_COLUMN("policy", "policy", TEXT),
                                                 DATA_COLUMN("ingress", "ingress", TEXT),
                                                 DATA_COLUMN("ports", "ports", INTEGER),
                                                 DATA_COLUMN("classes", "classes", INTEGER),
                                                 DATA_COLUMN("cell_bytes", NULL, INTEGER),
                                                 DATA_COLUMN("buffer_cells", "buffer", INTEGER),
                                                 DATA_COLUMN("records", "records", INTEGER),
                                                 DATA_COLUMN("arrivals", "arrivals", INTEGER),
                                                 DATA_COLUMN("accepted", "accepted", INTEGER),
                                                 DATA_COLUMN("refused", "refused", NESTED),
                                                 DATA_COLUMN("lost", "lost", NESTED),
                                                 DATA_COLUMN("departed", "departed", INTEGER),
                                                 DATA_COLUMN("first_ps", "time", INTEGER),
                                                 DATA_COLUMN("last_ps", NULL, INTEGER),
                                                 DATA_COLUMN("hash", "hash", TEXT),
                                                 DATA_COLUMN("core_agrees", NULL, FLAG),
                                                 DATA_COLUMN("naive_agrees", NULL, FLAG),
                                                 DATA_COLUMN("naive_skipped", NULL, TEXT),
                                                 DATA_COLUMN("disagreement", NULL, NESTED)};
    char first[64], last[64], time[160], hash[32], buffer[64];
    outcome_format_time(first, sizeof first, report->first_ps);
    outcome_format_time(last, sizeof last, report->last_ps);
    snprintf(time, sizeof time, "%s to %s", first, last);
    snprintf(hash, sizeof hash, "%016" PRIx64, report->hash);
    snprintf(buffer, sizeof buffer, "%" PRId64 " cells of %" PRIu32 "B", report->buffer_cells, report->cell_bytes);
    struct tally refused = tally_of(report->arrivals - report->accepted);
    for (int i = 1; i < WEIR_REASON_COUNT; i++)
        tally_add(&refused, weir_reason_name((enum weir_reason)i), report->refused[i]);
    uint64_t all = 0;
    for (int i = 0; i < WEIR_CAUSE_COUNT; i++)
        all += report->lost[i];
    struct tally lost = tally_of(all);
    for (int i = WEIR_CAUSE_REFUSED + 1; i < WEIR_CAUSE_COUNT; i++)
        tally_add(&lost, weir_cause_name((enum weir_cause)i), report->lost[i]);
    struct data_frame *frame = data_frame_new(DATA_OBJECT, DATA_COLUMNS(columns));
    data_row(frame, cell_text(path), cell_none(), cell_text(report->egress), cell_text(report->ingress),
             cell_integer(report->ports), cell_integer(report->classes), cell_integer(report->cell_bytes),
             cell_shown(cell_integer(report->buffer_cells), buffer), cell_integer((int64_t)report->records),
             cell_integer((int64_t)report->arrivals), cell_integer((int64_t)report->accepted),
             cell_shown(cell_frame(refused.each), refused.text), cell_shown(cell_frame(lost.each), lost.text),
             cell_integer((int64_t)report->departed), cell_shown(cell_integer(report->first_ps), time),
             cell_integer(report->last_ps), cell_text(hash), cell_flag(!report->first.core),
             cell_if(report->naive_skipped == NULL, cell_flag(!report->first.naive)), cell_text(report->naive_skipped),
             report->first.record > 0 ? cell_frame(disagreement_frame(&report->first)) : cell_none());
    return frame;
}

static int put_report(const char *path, const struct replay_report *report)
{
    struct data_frame *frame = report_frame(path, report);
    int code = data_frame_check(frame);
    if (code == CLI_OK) {
        write_list(frame, "");
        printf("core %s\n", report->first.core ? "disagrees" : "agrees");
        printf("naive %s%s\n", report->naive_skipped != NULL ? "skipped: " : "",
               report->naive_skipped != NULL ? report->naive_skipped
               : report->first.naive         ? "disagrees"
                                             : "agrees");
    }
    if (code == CLI_OK && report->first.record > 0) {
        char now[64];
        outcome_format_time(now, sizeof now, report->first.now);
        printf("\nfirst disagreement: record %" PRIu64 " at byte %" PRIu64 ", time %s\n", report->first.record,
               report->first.at, now);
        write_list(data_frame_cell(frame, 0, data_frame_columns(frame) - 1)->frame, "  ");
    }
    data_frame_free(frame);
    return code;
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

/* Replays one file; its report goes to stdout or, with `reports`, there. */
static int replay_file(const char *path, const struct choice *choice, struct data_frame *reports)
{
    struct replay_report report;
    struct replay_options how = choice->how;
    struct timeline timeline = {.from = choice->from, .to = choice->to};
    const struct replay_watch watch = timeline_watch(&timeline);
    how.watch = choice->timeline ? &watch : NULL;
    int code = replay_trace(path, &how, &report);
    bool replayed = code == CLI_OK || code == CLI_VIOLATION;
    if (replayed && reports != NULL)
        data_row(reports, cell_frame(report_frame(path, &report)));
    else if (replayed && put_report(path, &report) != CLI_OK)
        code = CLI_INTERNAL;
    else if (code == CLI_INPUT && reports != NULL)
        data_row(reports, cell_frame(data_object({"file", cell_text(path)}, {"error", cell_text(report.error)})));
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
    struct data_frame *reports = choice->json ? data_frame_new_list() : NULL;
    if (choice->json && reports == NULL)
        return cli_error_memory();
    for (char **path = paths; *path != NULL; path++) {
        if (!choice->json && path != paths)
            putchar('\n');
        int code = replay_file(*path, choice, reports);
        gravest = code > gravest ? code : gravest;
    }
    if (!choice->json || gravest == CLI_INTERNAL) { /* not all files could be looked at: no report of all */
        data_frame_free(reports);
        return gravest;
    }
    int printed = write_result(data_object({"traces", cell_frame(reports)}), true);
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
