/*
 * cmd_evaluate.c - `weir evaluate`: what a configured switch does. The parts are in operate/: evaluate.h, probe.h.
 */
#include <stdlib.h>

#include "cli/command.h"
#include "cli/output.h"
#include "operate/evaluate/evaluate.h"
#include "operate/options.h"
#include "show/writers/write.h"

#define SETS_MAX 64u

struct choice {
    struct sonic_given given;
    struct sonic_wanted_traffic traffic;
    const char *set[SETS_MAX];
    uint32_t sets;
    const char *lookup, *compare, *qos, *html;
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
     .value = "CONFIG",
     .help = "evaluate another configuration too, and show both",
     .offer = CLI_FILES,
     .not_with = "set",
     CLI_TEXT(struct choice, compare)},
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
