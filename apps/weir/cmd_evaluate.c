/*
 * cmd_evaluate.c - `weir evaluate`: what a configured switch does. The parts are in operate/: evaluate.h, probe.h.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/output.h"
#include "operate/evaluate/calibrate.h"
#include "operate/evaluate/evaluate.h"
#include "operate/options.h"
#include "show/writers/write.h"

#define SETS_MAX 64u

struct choice {
    struct sonic_given given;
    struct sonic_wanted_traffic traffic;
    const char *set[SETS_MAX];
    uint32_t sets;
    const char *lookup, *compare, *rows, *calibrated, *qos, *html;
    uint64_t at_once;
    bool json;
};

static const struct cli_option options[] = {
    SONIC_PLATFORM(struct choice),
    SONIC_LOOKUP(struct choice),
    SONIC_FORMULA(struct choice),
    SONIC_CHIP(struct choice),
    {.name = "at-once",
     .value = "N",
     .help = "lossless groups to fill at once, besides all of a pipe; default: those of two ports",
     CLI_NUMBER(struct choice, at_once, 1, 65535)},
    {.name = "colour",
     .value = "COLOUR",
     .help = "what WRED takes packets for: green, yellow or red; default: green",
     .more = "SONiC has no table that colours packets: all are green unless a meter of the chip says otherwise.",
     .offer = CLI_WORDS("green yellow red"),
     CLI_WORD(struct choice, given.colour)},
    SONIC_TRAFFIC(struct choice),
    {.name = "set",
     .value = "TABLE.KEY.FIELD=VALUE",
     .help = "evaluate it with this change too, and show before and after",
     CLI_LIST(struct choice, set, sets)},
    {.name = "compare",
     .value = "FILE",
     .help = "evaluate another configuration too, and show both; or compare with measured packet counts",
     .more =
         "Counts are a qos_params file of sonic-mgmt, or CSV with speed,cable,count,packets, where count is xoff, "
         "ingress_drop or egress_drop: 100000,300m,xoff,6542. Shown are the error of each row in cells, and which "
         "reading of the configuration explains them best: pipes, and xoff and minimums inside or outside of pools.",
     .offer = CLI_FILES,
     .not_with = "set",
     CLI_TEXT(struct choice, compare)},
    {.name = "rows",
     .value = "TEXT",
     .help = "of measured counts only those whose path has this text, such as a topology",
     .with = "compare",
     CLI_TEXT(struct choice, rows)},
    {.name = "calibrated",
     .value = "FILE",
     .help = "write the reading that explains measured counts best as a platform",
     .with = "compare",
     .offer = CLI_FILES,
     CLI_TEXT(struct choice, calibrated)},
    {.name = "qos-params",
     .value = "FILE",
     .help = "write the thresholds in the shape of sonic-mgmt's qos_params (YAML)",
     CLI_FILE(struct choice, qos)},
    {.name = "html",
     .value = "FILE",
     .help = "write it as a page that needs nothing else, too",
     CLI_FILE(struct choice, html)},
    CLI_JSON(struct choice),
    {.name = NULL},
};

static const struct cli_operand operands[] = {
    {.name = "CONFIG", .what = "configuration", .expected = "a file or a folder", .offer = CLI_FILES},
    {.name = NULL},
};

static int run(int argc, char **argv);

const struct cli_command cmd_evaluate = {
    .name = "evaluate",
    .summary = "show what a configured switch does",
    .about =
        "Reads the configuration of a SONiC switch as weir-lint(1) does, builds the buffer as it is set, and tries it. "
        "Probes find at how many cells each priority group pauses, resumes and drops, and each lossy queue drops, "
        "alone and with many groups at once, beside the formula. With --traffic packets go through it in the "
        "simulator: losses, pauses, completion times, and counters under SAI's names as an operator would read them. "
        "The verdict comes first.",
    .options = options,
    .operands = operands,
    .status = "1 when packets of lossless classes were lost.",
    .examples = "weir evaluate config_db.json\nweir evaluate config_db.json --traffic rdma --ports 16\n"
                "weir evaluate config_db.json --set BUFFER_PROFILE.pg_lossless_100000_5m_profile.dynamic_th=0\n"
                "weir evaluate config_db.json --compare mended.json --traffic incast",
    .run = run,
};

struct opened {
    struct sonic_config config;
    struct sonic_model model;
    struct evaluation evaluation;
};

static void release(struct opened *opened)
{
    evaluation_free(&opened->evaluation);
    sonic_model_free(&opened->model);
    sonic_config_free(&opened->config);
}

static int write_qos(const struct evaluation *evaluation, const char *path)
{
    struct output_file file;
    if (output_is_stdout(path)) {
        evaluation_qos_params(evaluation, stdout);
        return CLI_OK;
    }
    if (!output_file_open(&file, path) || !output_file_stream(&file))
        return CLI_INTERNAL;
    evaluation_qos_params(evaluation, file.stream);
    return output_file_flush(&file) && output_file_commit(&file) ? CLI_OK : CLI_INTERNAL;
}

/* On the terminal, or as HTML. */
static int put(const struct opened opened[2], bool both, const char *names[2], FILE *html)
{
    return both ? evaluation_compare(&opened[0].evaluation, &opened[1].evaluation, names, html)
                : evaluation_show(&opened[0].evaluation, names[0], html);
}

static int write_page(const struct opened opened[2], bool both, const char *names[2], const char *path)
{
    struct output_file file;
    if (output_is_stdout(path))
        return put(opened, both, names, stdout);
    if (!output_file_open(&file, path) || !output_file_stream(&file))
        return CLI_INTERNAL;
    int code = put(opened, both, names, file.stream);
    return output_file_flush(&file) && code == CLI_OK && output_file_commit(&file) ? CLI_OK : CLI_INTERNAL;
}

static int show(const struct opened opened[2], bool both, const struct choice *choice, const char *names[2])
{
    const struct evaluation *first = &opened[0].evaluation, *second = &opened[1].evaluation;
    bool printed = (choice->qos != NULL && output_is_stdout(choice->qos)) ||
                   (choice->html != NULL && output_is_stdout(choice->html));
    int code = choice->qos != NULL ? write_qos(both ? second : first, choice->qos) : CLI_OK;
    if (code == CLI_OK && choice->html != NULL)
        code = write_page(opened, both, names, choice->html);
    if (code != CLI_OK)
        return code;
    if (choice->json) {
        struct data_frame *frame = evaluation_frame(first);
        if (both)
            frame = data_object({"before", cell_frame(frame)}, {"after", cell_frame(evaluation_frame(second))});
        code = write_result(frame, true);
    } else if (!printed) {
        code = put(opened, both, names, NULL);
    }
    return code == CLI_OK && (both ? second : first)->losses > 0 ? CLI_VIOLATION : code;
}

static int show_rows(const struct calibration *calibration)
{
    static const struct data_column columns[] = {DATA_COLUMN("row", "row", TEXT),
                                                 DATA_COLUMN("count", "count", WORD),
                                                 DATA_COLUMN("measured", "measured", INTEGER),
                                                 DATA_COLUMN("model", "model", INTEGER),
                                                 DATA_COLUMN("cells", "error, cells", INTEGER),
                                                 DATA_COLUMN("percent", "%", NUMBER, .digits = 2)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t i = 0; i < calibration->rows.count; i++) {
        const struct calibrate_row *row = &CALIBRATE_ROWS(calibration)[i];
        bool is_known = row->cells != SONIC_ABSENT;
        int64_t error = is_known ? row->cells - row->packets : 0;
        data_row(frame, cell_text(row->name), cell_text(calibrate_count_name(row->count)), cell_integer(row->packets),
                 cell_if(is_known, cell_integer(row->cells)), cell_if(is_known, cell_integer(error)),
                 cell_if(is_known, cell_number(100 * (double)error / (double)row->packets)));
    }
    return write_result(frame, false);
}

#define READINGS_SHOWN 4u

static int show_readings(const struct calibration *calibration)
{
    static const struct data_column columns[] = {DATA_COLUMN("reading", "reading", TEXT),
                                                 DATA_COLUMN("agree", "rows that agree", INTEGER),
                                                 DATA_COLUMN("error", "mean error, %", NUMBER, .digits = 2),
                                                 DATA_COLUMN("pipes", "pipes", WORD),
                                                 DATA_COLUMN("xoff", "xoff", WORD),
                                                 DATA_COLUMN("headroom", "headroom", WORD),
                                                 DATA_COLUMN("groups", "group minimums", WORD),
                                                 DATA_COLUMN("queues", "queue minimums", WORD),
                                                 DATA_COLUMN("egress", "egress shares", WORD)};
    static const char *const keys[] = {"pipes",          "xoff",           "headroom",
                                       "group_minimums", "queue_minimums", "egress_shared"};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t i = 0; i <= READINGS_SHOWN; i++) {
        const struct calibrate_reading *reading = i == 0 ? &calibration->as_is : &calibration->best[i - 1];
        char name[24], text[6][64];
        snprintf(name, sizeof name, i == 0 ? "the platform's" : "%u", i);
        const char *values[6];
        for (uint32_t k = 0; k < 6; k++)
            values[k] = platform_text(&reading->platform, keys[k], text[k]);
        data_row(frame, cell_text(name), cell_integer(reading->agree), cell_number(100 * reading->error),
                 cell_text(values[0]), cell_text(values[1]), cell_text(values[2]), cell_text(values[3]),
                 cell_text(values[4]), cell_text(values[5]));
    }
    return write_result(frame, false);
}

static int write_calibrated(const struct calibration *calibration, const struct sonic_model *model, const char *path)
{
    struct output_file file;
    if (!output_file_open(&file, path) || !output_file_stream(&file))
        return CLI_INTERNAL;
    calibrate_write(calibration, model, file.stream);
    return output_file_flush(&file) && output_file_commit(&file) ? CLI_OK : CLI_INTERNAL;
}

/* How sure each property of the best reading is. */
static int show_properties(const struct calibration *calibration)
{
    static const struct data_column columns[] = {
        DATA_COLUMN("property", "property", WORD), DATA_COLUMN("value", "best value", TEXT),
        DATA_COLUMN("sure", "sure, %", NUMBER, .digits = 1), DATA_COLUMN("says", "what the counts say", TEXT)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t k = 0; k < CALIBRATE_KEYS; k++) {
        const struct calibrate_property *property = &calibration->property[k];
        bool few = calibration->different < CALIBRATE_FEWEST;
        char text[64];
        const char *says = !property->matters      ? "nothing: another value explains them equally well"
                           : few                   ? "too few different counts to be sure"
                           : property->sure > 0.95 ? "sure"
                           : property->sure > 0.75 ? "likely"
                                                   : "not sure: another value explains them about as well";
        data_row(frame, cell_text(property->key),
                 cell_text(platform_text(&calibration->best[0].platform, property->key, text)),
                 cell_if(property->matters, cell_number(100 * property->sure)), cell_text(says));
    }
    return write_result(frame, false);
}

/* How sure the best reading is: how many others explain as many rows. */
static int show_calibration(const struct calibration *calibration)
{
    const struct calibrate_reading *best = &calibration->best[0];
    uint32_t alike = 0;
    while (alike < calibration->readings && calibration->best[alike].agree == best->agree &&
           calibration->best[alike].error - best->error < 1e-9)
        alike++;
    cli_print("measured: %u counts, %u of them of links that the configuration has", calibration->rows.count,
              calibration->judged);
    cli_print("as the platform has it: %u agree within 4 cells or 1 %%; best reading: %u, mean error %.2f %%",
              calibration->as_is.agree, best->agree, 100 * best->error);
    cli_print(alike > 1 ? "%u readings explain them equally well" : "no other reading explains them as well", alike);
    cli_print("%s", "");
    int code = show_rows(calibration);
    cli_print("%s", "");
    if (code == CLI_OK)
        code = show_readings(calibration);
    cli_print("%s", "");
    cli_print(
        "how sure: of 1000 draws of %u different counts, with repeats, the share whose best reading has the value",
        calibration->different);
    return code == CLI_OK ? show_properties(calibration) : code;
}

#define MEASURED_MAX (8u << 20)

static int compare_measured(const struct choice *choice, const char *path)
{
    struct opened *opened = calloc(1, sizeof *opened);
    struct calibration *calibration = calloc(1, sizeof *calibration);
    char *text = calloc(1, MEASURED_MAX + 2); /* one byte more shows that a file is larger */
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    FILE *in = fopen(choice->compare, "rb");
    size_t size = 0;
    int code = CLI_OK;
    if (opened == NULL || calibration == NULL || text == NULL)
        code = cli_error_memory();
    else if (in == NULL || (size = fread(text, 1, MEASURED_MAX + 1, in)) == 0)
        code = cli_error(CLI_INPUT, "%s: cannot be read, or is empty (expected a configuration or measured counts)",
                         choice->compare);
    else if (size > MEASURED_MAX || strlen(text) != size)
        code = cli_error(CLI_INPUT, "%s: is no text of at most %u MiB (expected measured counts)", choice->compare,
                         MEASURED_MAX >> 20);
    if (code == CLI_OK)
        code = sonic_open(&opened->config, &opened->model, path, choice->lookup, &choice->given);
    if (code == CLI_OK && (!calibrate_read(calibration, choice->compare, text, choice->rows, &error) ||
                           !calibrate_run(calibration, &opened->model, &error)))
        code = cli_report(&error);
    if (code == CLI_OK && choice->calibrated != NULL)
        code = write_calibrated(calibration, &opened->model, choice->calibrated);
    if (code == CLI_OK)
        code = show_calibration(calibration);
    if (in != NULL)
        fclose(in);
    if (calibration != NULL)
        calibrate_free(calibration);
    if (opened != NULL)
        release(opened);
    free(calibration);
    free(opened);
    free(text);
    return code;
}

static int run(int argc, char **argv)
{
    struct choice choice = {.json = false};
    struct cli_line line;
    struct opened *opened = calloc(2, sizeof *opened);
    sonic_given_init(&choice.given);
    sonic_wanted_traffic_init(&choice.traffic);
    if (opened == NULL)
        return cli_error_memory();
    if (!cli_read(&line, &cmd_evaluate, argc, argv, &choice)) {
        free(opened);
        return line.code;
    }
    if (choice.compare != NULL && calibrate_is_measured(choice.compare)) {
        free(opened);
        return compare_measured(&choice, line.operands[0]);
    }
    bool both = choice.compare != NULL || choice.sets > 0;
    const char *names[2] = {line.operands[0], choice.compare != NULL ? choice.compare : "the same with --set"};
    struct evaluate_wish wish = {.at_once = (uint32_t)choice.at_once, .quiet = choice.json};
    int code = sonic_traffic_of(&wish.traffic, &choice.traffic);
    for (uint32_t i = 0; code == CLI_OK && i < (both ? 2u : 1u); i++) {
        code = sonic_open(&opened[i].config, &opened[i].model, i == 1 && choice.compare != NULL ? names[1] : names[0],
                          choice.lookup, &choice.given);
        if (code == CLI_OK && i == 1 && choice.sets > 0)
            code = sonic_change(&opened[i].config, &opened[i].model, choice.set, choice.sets);
        if (code == CLI_OK)
            code = evaluation_make(&opened[i].evaluation, &opened[i].model, &wish);
    }
    if (code == CLI_OK)
        code = show(opened, both, &choice, names);
    release(&opened[0]);
    release(&opened[1]);
    free(opened);
    return code;
}
