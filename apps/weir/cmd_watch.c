/*
 * cmd_watch.c - `weir watch`: what a switch counted beside what it is set to, once or while a folder grows. The parts
 * are in operate/counters/.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/screen.h"
#include "operate/counters/counters.h"
#include "operate/evaluate/evaluate.h"
#include "operate/options.h"
#include "show/writers/write.h"

struct choice {
    struct sonic_given given;
    struct sonic_wanted_traffic traffic;
    const char *lookup, *counters;
    uint64_t every_s, times, top;
    bool json;
};

static const struct cli_option options[] = {
    {.name = "counters",
     .value = "PATH",
     .help = "what was counted: a file, or a folder of them, which may grow",
     .more =
         "Files are what `show priority-group watermark shared` and headroom, `show queue watermark unicast`, `show "
         "buffer_pool watermark`, `show pfc counters`, `show queue counters` and `show pfcwd stats` print; SAI "
         "counters in CSV (object,counter,value, or an object and a column for each counter) and in JSON (by "
         "object, or a dump of COUNTERS_DB); and IPFIX messages of high-frequency telemetry, for which a dump of "
         "STATE_DB names the objects. They are read in the order of their names; of watermarks the largest counts, "
         "of counts the growth from the first to the last.",
     .offer = CLI_FILES,
     CLI_TEXT(struct choice, counters)},
    {.name = "every",
     .value = "SECONDS",
     .help = "look for new and changed files so often; default: 5",
     CLI_NUMBER(struct choice, every_s, 1, 3600)},
    {.name = "times",
     .value = "N",
     .help = "look so many times; default: once at a file, at a folder until interrupted",
     CLI_NUMBER(struct choice, times, 1, UINT32_MAX)},
    {.name = "top",
     .value = "N",
     .help = "show so many groups and queues, the nearest to their limits; default: 10",
     CLI_NUMBER(struct choice, top, 1, UINT32_MAX)},
    SONIC_PLATFORM(struct choice),
    SONIC_LOOKUP(struct choice),
    SONIC_FORMULA(struct choice),
    SONIC_CHIP(struct choice),
    SONIC_TRAFFIC(struct choice),
    CLI_JSON(struct choice),
    {.name = NULL},
};

static const struct cli_operand operands[] = {
    {.name = "CONFIG", .what = "configuration", .expected = "a file or a folder", .offer = CLI_FILES},
    {.name = NULL},
};

static int run(int argc, char **argv);

const struct cli_command cmd_watch = {
    .name = "watch",
    .summary = "show what a switch counted beside its configuration",
    .about = "Reads watermarks, drops and pauses that a SONiC switch counted, and shows which priority group and which "
             "queue is nearest to its limit, whether the configuration as weir-evaluate(1) understands it would pause "
             "under that load, and alarms: losses, full headroom, storms, pauses that the configuration does not "
             "explain. With --traffic also what the simulator counts under it.",
    .options = options,
    .operands = operands,
    .status = "1 when an alarm is an error.",
    .examples = "weir watch config_db.json --counters pg-watermark.txt\nweir watch config_db.json --counters dumps/ "
                "--every 10\nweir watch config_db.json --counters dumps/ --times 1 --json",
    .run = run,
};

/* A file as it was when it was read. */
struct seen {
    char *name;
    int64_t size;
    struct timespec changed;
};

struct watching {
    struct sonic_config config;
    struct sonic_model model;
    struct counters counters;
    struct sonic_list seen; /* of struct seen */
};

static void release(struct watching *watching)
{
    for (uint32_t i = 0; i < watching->seen.count; i++)
        free(((struct seen *)watching->seen.at)[i].name);
    free(watching->seen.at);
    counters_free(&watching->counters);
    sonic_model_free(&watching->model);
    sonic_config_free(&watching->config);
}

/* Whether a file is new or has changed since; it is remembered. False too where memory is short. */
static bool is_news(struct watching *watching, const char *path, const struct stat *about)
{
    struct seen *seen = watching->seen.at;
    for (uint32_t i = 0; i < watching->seen.count; i++)
        if (strcmp(seen[i].name, path) == 0) {
            bool news = seen[i].size != about->st_size || seen[i].changed.tv_sec != about->st_mtim.tv_sec ||
                        seen[i].changed.tv_nsec != about->st_mtim.tv_nsec;
            seen[i].size = about->st_size;
            seen[i].changed = about->st_mtim;
            return news;
        }
    struct seen *added = sonic_list_add(&watching->seen, sizeof *added);
    if (added == NULL)
        return false;
    *added = (struct seen){.name = strdup(path), .size = about->st_size, .changed = about->st_mtim};
    if (added->name == NULL)
        watching->seen.count--;
    return added->name != NULL;
}

/* Reads a file if it is news: an exit code; what is wrong in `error`. */
static int look_at(struct watching *watching, const char *path, bool *news, struct weir_error *error)
{
    struct stat about;
    if (stat(path, &about) != 0 || S_ISDIR(about.st_mode) || !is_news(watching, path, &about))
        return CLI_OK;
    *news = true;
    FILE *in = fopen(path, "rb");
    if (in == NULL) {
        weir_fail(error, WEIR_ERROR_READ, "cannot open: %s", strerror(errno));
        weir_fail_at(error, path, 0, 0);
        return CLI_INPUT;
    }
    size_t most = about.st_size < (off_t)COUNTERS_FILE_MAX ? (size_t)about.st_size : COUNTERS_FILE_MAX;
    char *text = malloc(most + 1);
    size_t size = text != NULL ? fread(text, 1, most, in) : 0;
    fclose(in);
    bool good = text != NULL ? counters_add(&watching->counters, path, text, size, error) : weir_fail_memory(error);
    free(text);
    return good ? CLI_OK : cli_exit_of(error->code);
}

static int is_counted(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return entry->d_name[0] != '.' && (length < 4 || strcmp(entry->d_name + length - 4, ".tmp") != 0);
}

/* One look at all files: an exit code. A file of a folder that cannot be read is named and left out. */
static int look(struct watching *watching, const char *path, bool *news)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct dirent **entries;
    struct stat about;
    if (stat(path, &about) != 0)
        return cli_error(CLI_INPUT, "%s: cannot open: %s (expected a file or a folder of counters)", path,
                         strerror(errno));
    if (!S_ISDIR(about.st_mode)) {
        int code = look_at(watching, path, news, &error);
        return code == CLI_OK ? CLI_OK : cli_report(&error);
    }
    int count = scandir(path, &entries, is_counted, alphasort), code = CLI_OK;
    if (count < 0)
        return cli_error(CLI_INPUT, "%s: cannot read: %s", path, strerror(errno));
    for (int i = 0; i < count; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        free(entries[i]);
        int one = code == CLI_OK ? look_at(watching, name, news, &error) : CLI_OK;
        if (one == CLI_INTERNAL)
            code = cli_report(&error);
        else if (one != CLI_OK)
            fprintf(stderr, "%s: left out: %s: %s\n", cli_program_name(), name, error.text);
    }
    free(entries);
    return code;
}

/* Largest and sums of a class by the simulator, beside what was counted. */
static int show_traffic(const struct watching *watching, const struct evaluate_wish *wish)
{
    static const struct data_column columns[] = {DATA_COLUMN("class", "class", INTEGER),
                                                 DATA_COLUMN("pg", "PG", INTEGER),
                                                 DATA_COLUMN("shared_counted", "shared counted, B", INTEGER),
                                                 DATA_COLUMN("shared_model", "simulated", INTEGER),
                                                 DATA_COLUMN("headroom_counted", "headroom counted, B", INTEGER),
                                                 DATA_COLUMN("headroom_model", "simulated", INTEGER),
                                                 DATA_COLUMN("pauses_counted", "PFC sent", INTEGER),
                                                 DATA_COLUMN("pauses_model", "simulated", INTEGER)};
    struct evaluate_run result = {.is_made = false};
    struct sonic_plan plan = {.ports = NULL};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    int code = evaluate_traffic(&result, &watching->model, wish);
    if (code == CLI_OK && !sonic_plan_make(&plan, &watching->model, NULL, 0, &error))
        code = cli_report(&error);
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t left = code == CLI_OK ? plan.lossless : 0; left != 0; left &= left - 1) {
        uint32_t tc = (uint32_t)__builtin_ctz(left), group = plan.profile[PLAN_INGRESS][tc].number;
        int64_t most[3] = {0}; /* shared, headroom; pauses summed */
        for (uint32_t i = 0; i < watching->counters.series.count; i++) {
            const struct counters_series *series = &COUNTERS_SERIES(&watching->counters)[i];
            if (series->index != group)
                continue;
            if (series->kind == COUNTERS_SHARED && series->most > most[0])
                most[0] = series->most;
            if (series->kind == COUNTERS_HEADROOM && series->most > most[1])
                most[1] = series->most;
            if (series->kind == COUNTERS_PFC_SENT)
                most[2] += series->samples > 1 ? series->last - series->first : series->last;
        }
        data_row(frame, cell_integer(tc), cell_integer(group), cell_integer(most[0]),
                 cell_integer((int64_t)result.of[tc].shared_watermark), cell_integer(most[1]),
                 cell_integer((int64_t)result.of[tc].headroom_watermark), cell_integer(most[2]),
                 cell_integer((int64_t)result.of[tc].frames));
    }
    sonic_plan_free(&plan);
    if (code != CLI_OK) {
        data_frame_free(frame);
        return code;
    }
    cli_print("%s", "");
    code = write_result(frame, false);
    cli_print("counted: the most of any port, pauses of all; simulated: the same under --traffic, of the ports that it "
              "has");
    return code;
}

static int show(const struct watching *watching, const struct choice *choice, const struct evaluate_wish *wish,
                bool *has_errors)
{
    struct counters_judgement judgement;
    int code = CLI_OK;
    if (!counters_judge(&judgement, &watching->counters, &watching->model)) {
        counters_judgement_free(&judgement);
        return cli_error_memory();
    }
    *has_errors = judgement.alarms.count > 0 && JUDGED_ALARMS(&judgement)[0].level == ALARM_ERROR;
    if (choice->json)
        code = write_result(counters_frame(&judgement, &watching->counters), true);
    else
        code = counters_show(&judgement, &watching->counters, (uint32_t)choice->top);
    counters_judgement_free(&judgement);
    return code == CLI_OK && wish->traffic.kind != SONIC_TRAFFIC_NONE && !choice->json ? show_traffic(watching, wish)
                                                                                       : code;
}

static int watch(struct watching *watching, const struct choice *choice, const struct evaluate_wish *wish)
{
    bool screen = isatty(STDOUT_FILENO) && choice->times != 1, has_errors = false;
    struct stat about;
    bool once = stat(choice->counters, &about) != 0 || !S_ISDIR(about.st_mode);
    uint64_t times = choice->times > 0 ? choice->times : once ? 1 : UINT64_MAX;
    for (uint64_t i = 0; i < times && !ferror(stdout); i++) {
        bool news = i == 0;
        if (i > 0 && sleep((unsigned)choice->every_s) != 0)
            break;
        int code = look(watching, choice->counters, &news);
        if (code != CLI_OK)
            return code;
        if (watching->counters.series.count == 0 && (i + 1 == times || i == 0) && times == 1)
            return cli_error(CLI_INPUT,
                             "%s: has no counter yet (expected dumps of `show ... watermark`, CSV, JSON or "
                             "IPFIX)",
                             choice->counters);
        if (!news)
            continue;
        if (screen)
            screen_command(stdout, "\033[H\033[2J"); /* clear the screen */
        else if (i > 0)
            cli_print("%s", "");
        code = show(watching, choice, wish, &has_errors);
        if (code != CLI_OK)
            return code;
        fflush(stdout);
    }
    return has_errors ? CLI_VIOLATION : CLI_OK;
}

static int run(int argc, char **argv)
{
    struct choice choice = {.every_s = 5, .top = 10};
    struct watching watching = {.config = {.files = NULL}};
    struct evaluate_wish wish = {.quiet = true};
    struct cli_line line;
    sonic_given_init(&choice.given);
    sonic_wanted_traffic_init(&choice.traffic);
    if (!cli_read(&line, &cmd_watch, argc, argv, &choice))
        return line.code;
    if (choice.counters == NULL)
        return cli_error(CLI_USAGE, "watch: --counters is missing (expected a file or a folder of what was counted)");
    counters_init(&watching.counters);
    int code = sonic_traffic_of(&wish.traffic, &choice.traffic);
    if (code == CLI_OK)
        code = sonic_open(&watching.config, &watching.model, line.operands[0], choice.lookup, &choice.given);
    if (code == CLI_OK && platform_unjudged(&watching.model.platform) != NULL)
        code =
            cli_error(CLI_INPUT, "%s: not judged: %s", line.operands[0], platform_unjudged(&watching.model.platform));
    if (code == CLI_OK)
        code = watch(&watching, &choice, &wish);
    release(&watching);
    return code;
}
