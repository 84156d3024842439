/*
 * cmd_tune.c - `weir tune`: thresholds of ECN and alpha of lossless groups for a goal under given traffic, and what one
 * pays for what. The search is in operate/tune.c.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/output.h"
#include "operate/evaluate/sheet.h"
#include "operate/options.h"
#include "operate/tune.h"
#include "show/writers/write.h"

#define BUDGET 48u

struct choice {
    struct sonic_given given;
    struct sonic_wanted_traffic traffic;
    const char *lookup, *goal, *html;
    uint64_t budget;
    bool json;
};

static const struct cli_option options[] = {
    SONIC_TRAFFIC(struct choice),
    {.name = "goal",
     .value = "GOAL",
     .help = "p99, mean or pauses; default: p99",
     .more = "p99, mean: the smallest completion times of the slowest kind of traffic. pauses: peers are held for the "
             "shortest time, with a p99 of at most 5 % above the best. No goal accepts more lost packets of lossless "
             "classes than the configuration has.",
     .offer = CLI_WORDS("p99 mean pauses"),
     CLI_TEXT(struct choice, goal)},
    {.name = "budget",
     .value = "N",
     .help = "simulate at most N settings; default: 48",
     CLI_NUMBER(struct choice, budget, 2, TUNE_POINTS)},
    {.name = "html",
     .value = "FILE",
     .help = "write it as a page with a picture of the trade-off, too",
     CLI_FILE(struct choice, html)},
    SONIC_PLATFORM(struct choice),
    SONIC_LOOKUP(struct choice),
    SONIC_FORMULA(struct choice),
    SONIC_CHIP(struct choice),
    CLI_JSON(struct choice),
    {.name = NULL},
};

static const struct cli_operand operands[] = {
    {.name = "CONFIG", .what = "configuration", .expected = "a file or a folder", .offer = CLI_FILES},
    {.name = NULL},
};

static int run(int argc, char **argv);

const struct cli_command cmd_tune = {
    .name = "tune",
    .summary = "search ECN thresholds and alpha of a switch for a goal under traffic",
    .about = "Changes Kmin, Kmax and Pmax of the WRED profiles of queues that PFC pauses, and dynamic_th of their "
             "priority groups, runs the traffic for each setting through the simulator (hosts have DCQCN), and prints "
             "the best as changes for weir-evaluate(1), with those that no other beats in both completion times and "
             "time held by pauses.",
    .options = options,
    .operands = operands,
    .examples = "weir tune config_db.json --traffic rdma --ports 8\nweir tune config_db.json --traffic all-reduce "
                "--incast 16MB --goal pauses --html trade.html",
    .run = run,
};

static const struct data_column columns[] = {
    DATA_COLUMN("what", "", TEXT),
    DATA_COLUMN("low", "Kmin, B", INTEGER),
    DATA_COLUMN("high", "Kmax, B", INTEGER),
    DATA_COLUMN("percent", "Pmax, %", INTEGER),
    DATA_COLUMN("dynamic_th", "dynamic_th", INTEGER),
    DATA_COLUMN("p99_us", "p99, us", NUMBER, .digits = 1),
    DATA_COLUMN("mean_us", "mean, us", NUMBER, .digits = 1),
    DATA_COLUMN("held_us", "held, us", NUMBER, .digits = 1),
    DATA_COLUMN("pauses", "pauses", COUNT),
    DATA_COLUMN("marked", "marked", COUNT),
    DATA_COLUMN("unfinished", "unfinished", COUNT),
    DATA_COLUMN("lost", "lost", COUNT),
};

static void add_point(struct data_frame *frame, const struct tuned *tuned, uint32_t which)
{
    const struct tune_point *p = &tuned->point[which];
    const char *what = which == 0             ? (tuned->best == 0 ? "configured, best" : "configured")
                       : which == tuned->best ? "best"
                                              : "";
    data_row(frame, cell_text(what), cell_integer(p->setting.low), cell_integer(p->setting.high),
             cell_integer(p->setting.percent),
             cell_if(p->setting.dynamic_th != SONIC_ABSENT, cell_integer(p->setting.dynamic_th)),
             cell_number(p->p99_us), cell_number(p->mean_us), cell_number(p->held_us), cell_integer((int64_t)p->pauses),
             cell_integer((int64_t)p->marked), cell_integer((int64_t)p->unfinished), cell_integer((int64_t)p->lost));
}

/* The configuration, the best, and what nothing beats in both; or all. */
static struct data_frame *points_frame(const struct tuned *tuned, bool all)
{
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t i = 0; i < tuned->points; i++)
        if (all || i == 0 || i == tuned->best || tuned->point[i].is_front)
            add_point(frame, tuned, i);
    return frame;
}

static void put(struct sheet *sheet, const struct tuned *tuned, const char *name)
{
    static const char key[] = "p99, mean: completion times of the slowest kind of traffic. held: how long peers were "
                              "stopped, all together. pauses: how often. Kmin, Kmax, Pmax: marks begin, are certain, "
                              "and how likely just below that. Rows besides: nothing beats them in both p99 and held.";
    const struct tune_point *before = &tuned->point[0], *best = &tuned->point[tuned->best];
    char sets[SUGGEST_SETS][SUGGEST_TEXT], verdict[200];
    snprintf(verdict, sizeof verdict, "p99 %.1f to %.1f us, held %.1f to %.1f us, %u settings simulated",
             before->p99_us, best->p99_us, before->held_us, best->held_us, tuned->points);
    sheet_verdict(sheet, name, best->lost == 0 ? "good" : "bad", tuned->best == 0 ? "nothing better found" : verdict);
    uint32_t count = tuned->best > 0 ? tune_changes(tuned, &best->setting, sets) : 0;
    for (uint32_t i = 0; i < count; i++)
        if (sheet->html != NULL)
            sheet_item(sheet, "--set", sets[i]);
        else
            cli_print("  --set %.*s", (int)SUGGEST_TEXT, sets[i]);
    sheet_part(sheet, "Settings");
    struct sheet_dot dots[TUNE_POINTS];
    for (uint32_t i = 0; i < tuned->points; i++)
        dots[i] = (struct sheet_dot){.x = tuned->point[i].held_us,
                                     .y = tuned->point[i].p99_us,
                                     .name = i == 0             ? "configured"
                                             : i == tuned->best ? "best"
                                                                : NULL,
                                     .is_front = tuned->point[i].is_front};
    sheet_dots(sheet, "time that peers were held, us", "p99 of completion times, us", dots, tuned->points);
    sheet_table(sheet, points_frame(tuned, false));
    sheet_line(sheet, "%s", key);
}

static int write_page(const struct tuned *tuned, const char *name, const char *path)
{
    struct output_file file;
    if (!output_file_open(&file, path) || !output_file_stream(&file))
        return CLI_INTERNAL;
    struct sheet sheet = {.html = file.stream};
    sheet_begin(&sheet, name);
    put(&sheet, tuned, name);
    sheet_end(&sheet);
    return output_file_flush(&file) && sheet.code == CLI_OK && output_file_commit(&file) ? CLI_OK : CLI_INTERNAL;
}

static int show(const struct tuned *tuned, const struct choice *choice, const char *name)
{
    int code = choice->html != NULL ? write_page(tuned, name, choice->html) : CLI_OK;
    if (code != CLI_OK)
        return code;
    if (choice->json) {
        char sets[SUGGEST_SETS][SUGGEST_TEXT];
        struct data_frame *list = data_frame_new_list();
        uint32_t count = tuned->best > 0 ? tune_changes(tuned, &tuned->point[tuned->best].setting, sets) : 0;
        for (uint32_t i = 0; i < count; i++)
            data_row(list, cell_text(sets[i]));
        return write_result(data_object({"changes", cell_frame(list)}, {"best", cell_integer(tuned->best)},
                                        {"points", cell_frame(points_frame(tuned, true))}),
                            true);
    }
    struct sheet sheet = {.html = NULL};
    put(&sheet, tuned, name);
    return sheet.code;
}

static int read_goal(const char *text, enum tune_goal *goal)
{
    static const char *const names[] = {"p99", "mean", "pauses"};
    *goal = TUNE_P99;
    for (uint32_t i = 0; text != NULL && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], text) == 0) {
            *goal = (enum tune_goal)i;
            return CLI_OK;
        }
    return text == NULL ? CLI_OK : cli_error(CLI_USAGE, "--goal: '%s' is no goal (expected p99, mean or pauses)", text);
}

static int run(int argc, char **argv)
{
    struct choice choice = {.budget = BUDGET};
    struct tuned *tuned = calloc(1, sizeof *tuned);
    struct evaluate_wish wish = {.quiet = true};
    struct cli_line line;
    enum tune_goal goal;
    sonic_given_init(&choice.given);
    sonic_wanted_traffic_init(&choice.traffic);
    if (tuned == NULL)
        return cli_error_memory();
    if (!cli_read(&line, &cmd_tune, argc, argv, &choice)) {
        free(tuned);
        return line.code;
    }
    if (choice.traffic.what == NULL)
        choice.traffic.what = "rdma";
    struct suggest_source source = {.path = line.operands[0], .lookup = choice.lookup, .given = &choice.given};
    int code = read_goal(choice.goal, &goal);
    if (code == CLI_OK)
        code = sonic_traffic_of(&wish.traffic, &choice.traffic);
    if (code == CLI_OK)
        code = tune_search(tuned, &source, goal, &wish, (uint32_t)choice.budget);
    if (code == CLI_OK)
        code = show(tuned, &choice, line.operands[0]);
    tune_free(tuned);
    free(tuned);
    return code;
}
