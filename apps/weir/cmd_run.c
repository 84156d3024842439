/*
 * cmd_run.c - `weir run`: scenario files, run as experiments. This is the command line; files become runs in lab/plan/,
 * and lab/spread/ has one of them made in this process (single.c) or many elsewhere (sweep.c, makers.h), says what goes
 * with what among the files that it writes (outputs.c), and shows what came out (show.c and show/writers/).
 */
#include <stdlib.h>
#include <string.h>

#include "lab/spread/options.h"
#include "lab/spread/parts.h"
#include "lab/spread/ranks.h"

struct choice {
    struct spread_choice run;
};

/* A number below 2^32; moves *text behind it. */
static bool take_number(const char **text, uint32_t *number)
{
    uint64_t value = 0;
    const char *start = *text;
    for (; **text >= '0' && **text <= '9' && value <= UINT32_MAX; (*text)++)
        value = value * 10 + (uint64_t)(**text - '0');
    *number = (uint32_t)value;
    return *text > start && value <= UINT32_MAX;
}

static int read_trace(void *target, const struct cli_option *option, const char *text)
{
    struct spread_choice *choice = target;
    struct spread_trace_choice *trace = &choice->trace[choice->traces];
    (void)option;
    if (choice->traces == SPREAD_TRACES_MAX)
        return cli_error(CLI_USAGE, "run: --trace: too many (expected at most %u)", SPREAD_TRACES_MAX);
    *trace = (struct spread_trace_choice){.text = text};
    bool good = *text++ == 's' && take_number(&text, &trace->sw);
    if (good && *text == '.') {
        text++;
        good = take_number(&text, &trace->memory);
    }
    if (!good || text[0] != '=' || text[1] == '\0')
        return cli_error(CLI_USAGE, "--trace: '%s' names no MMU and file (expected s0=FILE or s0.1=FILE)", trace->text);
    trace->path = text + 1;
    if (output_is_stdout(trace->path))
        return cli_error(CLI_USAGE, "--trace: %s: a trace is not written to standard output", trace->text);
    for (uint32_t i = 0; i < choice->traces; i++)
        if (choice->trace[i].sw == trace->sw && choice->trace[i].memory == trace->memory)
            return cli_error(CLI_USAGE, "--trace: %s and %s trace the same MMU (expected one)", choice->trace[i].text,
                             trace->text);
    choice->traces++;
    return CLI_OK;
}

static const struct cli_option options[] = {
    SPREAD_OPTIONS(struct choice),
    CLI_POLICY_FILE,
    {.name = "print-config",
     .help = "print every effective value as a scenario; run nothing",
     .more = "The values come from the file, the command line and the defaults; the sections of the experiment follow. "
             "The scenario gives the same runs from every folder: file names become absolute.",
     CLI_FLAG(struct choice, run.print_config)},
    {.name = "reference",
     .help = "print the keys of scenario files as Markdown",
     .more = "Units, defaults and ranges included.",
     .alone = true,
     CLI_FLAG(struct choice, run.reference)},
    {.name = "schema",
     .help = "print the JSON Schema of scenario files, for editors",
     .alone = true,
     CLI_FLAG(struct choice, run.schema)},
    {.name = "records",
     .value = "FILE",
     .help = "write one row per flow as CSV",
     .more = "Times are in picoseconds; hosts are numbers. For a sweep, a row begins with the run, its labels and its "
             "seed, as those of weir-export(1); an axis of numbers has a column AXIS.number, in s, B, bit/s or plain. "
             "FILE appears whole or not at all: all runs of the sweep must be made now (--again, or a new "
             "database), none may fail, and --only narrows them down.",
     CLI_FILE(struct choice, run.records)},
    {.name = "slurm",
     .value = "N",
     .heading = "On many machines that share a folder:",
     .help = "print a shell script that makes what is missing as an array of N Slurm jobs; run nothing",
     .more = "`weir run --slurm N FILE | sh` submits them. Each job makes a part (--part), with `--jobs` times "
             "`--threads` processors; a job after them takes their results into the database and submits what is "
             "missing then, two more times at most. Options of sbatch are in its variables: SBATCH_TIMELIMIT, "
             "SBATCH_PARTITION and so on.",
     .not_with = "part",
     CLI_NUMBER(struct choice, run.slurm, 1, SPREAD_SLURM_MAX)},
    {.name = "part",
     .value = "K/N",
     .help = "make only part K of N, from 1, and leave the results in NAME.db.runs for the next weir run",
     .more =
         "Parts may be made at the same time, anywhere, more than once; they do not open the database. Of runs that "
         "--slurm handed out, else of all.",
     CLI_READ(struct choice, run, spread_read_part)},
    {.name = "collect",
     .help = "make nothing here: take in what parts make until all is there, with the time left",
     .more =
         "What others take in counts too. The exit status is 4 when runs have failed, or are missing after the last "
         "round of --slurm.",
     .not_with = "part",
     CLI_FLAG(struct choice, run.collect)},
    {.name = "series",
     .value = "FILE",
     .heading = "For a single run (an experiment of one run, or --only), shown in detail:",
     .help = "write queue and goodput series as CSV",
     .more = "These are the series of `measure`: length and threshold of probed queues with the buffer and the read "
             "bandwidth in use, and goodput by tag.",
     CLI_FILE(struct choice, run.series)},
    {.name = "losses",
     .value = "FILE",
     .help = "write one row per queue that lost or marked packets as CSV",
     .more = "Counts packets by reason of refusal and by cause of loss after acceptance, losses to a PFC watchdog, and "
             "marked packets.",
     CLI_FILE(struct choice, run.losses)},
    {.name = "pauses",
     .value = "FILE",
     .help = "write one row per port and class that paused or was paused as CSV",
     .more =
         "Ports are those of switches and hosts. A row has what the port told its peer (pauses, resumes, refreshes, "
         "pauses of the whole port), what it was told, how long it was held, and the most headroom used by packets "
         "that came in there.",
     CLI_FILE(struct choice, run.pauses)},
    {.name = "timeline",
     .value = "FILE",
     .help = "write what ranks of jobs did over time, and the critical path; .json, .csv, else a page",
     .more =
         "A page shows for each rank when it computed, communicated and waited for others, with zoom. JSON has trace "
         "events, which Perfetto and chrome://tracing open. CSV has a row per operation.",
     CLI_FILE(struct choice, run.timeline)},
    {.name = "flows",
     .value = "FILE",
     .help = "write the flows as a list that other simulators read; .cm: htsim's, else CSV",
     .more = "Each with its start, source, destination and bytes, as they came about here. `kind: list` reads both.",
     CLI_FILE(struct choice, run.flows)},
    {.name = "rows",
     .value = "FILE",
     .help = "write training rows of the switches for weir train; .zst: compressed",
     .more = "What LQD would lose, with the state of the switch at each arrival. See `measure.rows` and "
             "weir-train(1).",
     CLI_FILE(struct choice, run.rows)},
    {.name = "trace",
     .value = "sK=FILE",
     .help = "record switch K's MMU for weir replay; sK.M: its MMU M",
     .more = "Each MMU once. See weir-replay(1).",
     .offer = CLI_FILES,
     .repeats = true,
     CLI_READ(struct choice, run, read_trace)},
    {.name = "packets",
     .value = "FILE",
     .help = "write what happens to each packet, from end to end: .csv, or .pcapng for Wireshark",
     .more =
         "An event a row: sent, queued and left at each switch, received, refused, trimmed, or lost and why; with the "
         "packet's name, flow, number in the flow, links behind it, and queue, and how long that is then. In "
         "pcapng a place is an interface, what happens is a comment, and headers are made up: TCP, RoCEv2 or UDP. Of "
         "every flow, which is much: --follow chooses. May be given for both forms. PAUSE frames are left out.",
     .offer = CLI_FILES,
     .repeats = true,
     CLI_READ(struct choice, run, spread_read_packets)},
    {.name = "follow",
     .value = "WHAT",
     .help = "packets of these flows alone: 12, 12-20, a tag, a host h3, two hosts h3-h7; with commas",
     .more = "Feedback of a flow is followed with it. Numbers of flows are those of --records.",
     .with = "packets",
     CLI_TEXT(struct choice, run.follow)},
    {.name = "csv",
     .value = "FILE",
     .help = "write the table of tags as CSV; -: print it instead of the tables",
     .more = "A tag with flows in several size ranges has a row per range.",
     CLI_FILE(struct choice, run.csv)},
    {.name = "profile",
     .help = "tell on standard error where the time of the run, or of the sweep, went",
     .more =
         "For each thread: its nodes, how long it ran them, and how long it waited for others; windows of time, "
         "what one thread does between them, links that were cut, and packets that crossed. With mpirun, the same of "
         "each rank: also how long it waited for the letters of others, and what it sent. Of a sweep, for this "
         "machine or each rank: its runs, how many it made at a time, how busy it was with them, and the longest.",
     CLI_FLAG(struct choice, run.profile)},
    {.name = "json", .help = "print everything as JSON", CLI_FLAG(struct choice, run.json)},
    {.name = NULL},
};

static const struct cli_operand operands[] = {
    {.name = "FILE", .what = "scenario", .expected = "a file", .offer = CLI_SCENARIOS, .repeats = true},
    {.name = NULL},
};

/* What is said in the scenario. */
static const struct cli_instead instead[] = {{"policy", "--set switch.policy=NAME"},
                                             {"alpha", "--set switch.policy.alpha=VALUE"},
                                             {"buffer", "--set switch.buffer=SIZE"},
                                             {"until", "--set until=TIME"},
                                             {"time", "--set until=TIME"},
                                             {"transport", "--set transports.NAME.kind=KIND"},
                                             {"load", "--set traffic.0.load=VALUE"},
                                             {"hosts", "--set topology.hosts=N"},
                                             {"where", "--only AXIS=LABEL"},
                                             {"format", "weir show --format, weir export or weir report --format"},
                                             {"j", "--jobs N"},
                                             {NULL, NULL}};

static int run(int argc, char **argv);

const struct cli_command cmd_run = {
    .name = "run",
    .summary = "run the experiment of a scenario file, packet by packet",
    .about =
        "Runs the experiment of a scenario file: every point of its sweep with every seed, packet by packet, on all "
        "processors. Results go to NAME.db as runs finish; the same command resumes after a stop and makes only what "
        "is missing. The same file and seed give the same results on every machine. Runs on real packets "
        "(testbed.use) are left to 'weir testbed run'.",
    .options = options,
    .operands = operands,
    .instead = instead,
    .notes =
        "Under mpirun (Open MPI, MPICH), or srun --mpi=pmix, the ranks share out the runs of a sweep; of one run, they "
        "simulate its network together, each a part of it with --threads threads.\n\n"
        "SIGINT stops: finished runs are kept, and the exit status is 130. A single run shows what it has measured; "
        "its files end in .partial, and nothing is stored.",
    .examples = "weir run scenarios/examples/incast.yaml --set switch.policy=lqd\n"
                "mpirun -n 16 weir run sweep.yaml\n"
                "weir run --slurm 16 sweep.yaml | sh",
    .before = spread_ranks_begin,
    .run = run,
};

/* What runs are made by several processes, on other machines. */
static int check_elsewhere(const struct cli_line *line, const struct spread_choice *c)
{
    static const char *const ways[] = {"slurm", "part", "collect"};
    static const char *const not_there[] = {"records", "series",  "losses",   "pauses",      "rows",
                                            "trace",   "packets", "timeline", "flows",       "csv",
                                            "json",    "profile", "list",     "print-config"};
    const char *way = NULL;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        way = cli_given(line, ways[i]) ? ways[i] : way;
    for (size_t i = 0; way != NULL && i < sizeof not_there / sizeof not_there[0]; i++)
        if (cli_given(line, not_there[i]))
            return cli_error(CLI_USAGE, "run: --%s does not go with --%s", not_there[i], way);
    if (way != NULL && c->ranks != NULL)
        return cli_error(CLI_USAGE, "run: --%s does not go with mpirun, which hands the runs out itself", way);
    if (way != NULL && c->again && c->slurm == 0)
        return cli_error(CLI_USAGE, "run: --again does not go with --%s (expected it with --slurm)", way);
    for (uint32_t i = 0; i < c->file_count; i++)
        if ((way != NULL || c->ranks != NULL) && strcmp(c->files[i], "-") == 0)
            return cli_error(CLI_USAGE, "run: -: the other machines cannot read it (expected a file that all see)");
    return CLI_OK;
}

static int check(const struct cli_line *line, const struct spread_choice *c)
{
    static const char *const of_one[] = {"output", "only", "print-config", "slurm"};
    int code = spread_check_outputs(c);
    for (uint32_t i = 0; code == CLI_OK && i < c->changes.sets; i++)
        if (strchr(c->changes.set[i], '=') == NULL)
            code = cli_error(CLI_INPUT, "--set %s: no value (expected key.path=value)", c->changes.set[i]);
    if (code == CLI_OK)
        code = check_elsewhere(line, c);
    if (code == CLI_OK && c->rows != NULL && output_is_stdout(c->rows))
        code = cli_error(CLI_USAGE, "run: --rows %s: rows are not written to standard output", c->rows);
    for (size_t i = 0; code == CLI_OK && i < sizeof of_one / sizeof of_one[0]; i++)
        if (c->file_count > 1 && cli_given(line, of_one[i]))
            code = cli_error(CLI_USAGE, "run: --%s goes with one scenario (expected one file, found %u)", of_one[i],
                             c->file_count);
    for (uint32_t i = 0; code == CLI_OK && i < c->file_count; i++)
        code = spread_check_input(c, strcmp(c->files[i], "-") == 0 ? "/dev/stdin" : c->files[i]);
    return code;
}

static int run_experiment(const struct plan *plan, const struct spread_choice *choice)
{
    if (choice->print_config)
        return spread_print_config(plan);
    if (choice->list)
        return spread_print_list(plan);
    if (choice->slurm > 0 || choice->collect)
        return spread_sweep(plan, choice);
    spread_warn_threads(choice, plan->threads);
    if (choice->part > 0)
        return spread_part(plan, choice);
    spread_ranks_warn(choice);
    bool one = plan->runs == 1 || (choice->only.count > 0 && plan->todo_count == 1);
    if (!one)
        return spread_sweep(plan, choice);
    uint32_t run = plan->todo[0];
    if (plan->real[run])
        return cli_error(CLI_INPUT, "%s: run %s is for the testbed ('weir testbed run' makes it)", plan->file,
                         plan->ids[run]);
    return spread_single(plan, choice, run);
}

/* Before anything runs: results of two files must not go to one place, and some things are of one run only. */
static int check_plans(const struct plan *plans, const struct spread_choice *choice)
{
    for (uint32_t i = 0; i < choice->file_count; i++) {
        for (uint32_t j = 0; j < i; j++)
            if (output_same_file(plans[i].database, plans[j].database))
                return cli_error(CLI_USAGE, "run: the results of %s and %s would both be %s (expected other names)",
                                 plans[j].file, plans[i].file, plans[i].database);
        bool many =
            choice->file_count > 1 || (plans[i].runs > 1 && !(choice->only.count > 0 && plans[i].todo_count == 1));
        int code = many ? spread_check_many(choice, &plans[i]) : CLI_OK;
        if (code != CLI_OK)
            return code;
    }
    return CLI_OK;
}

/* What the processes of one run cannot give together. */
static int check_split(const struct spread_choice *choice)
{
    const char *option = choice->traces > 0         ? "trace"
                         : choice->packet_files > 0 ? "packets"
                         : choice->rows != NULL     ? "rows"
                                                    : NULL;
    if (option == NULL)
        return CLI_OK;
    return cli_error(CLI_USAGE,
                     "run: --%s does not go with mpirun and one run, whose switches are in several processes (expected "
                     "--threads instead)",
                     option);
}

static int run_files(const struct spread_choice *choice)
{
    struct plan *plans = calloc(choice->file_count, sizeof *plans);
    int code = plans != NULL ? CLI_OK : cli_error_memory();
    uint32_t made = 0;
    for (; code == CLI_OK && made < choice->file_count; made++) {
        code = plan_make(&plans[made], choice->files[made], &choice->changes, choice->output);
        if (code == CLI_OK)
            code = plan_choose(&plans[made], &choice->only, &choice->again_only);
    }
    if (code == CLI_OK)
        code = check_plans(plans, choice);
    if (code == CLI_OK && spread_ranks_split(choice, plans))
        code = check_split(choice);
    if (code == CLI_OK && spread_ranks_split(choice, plans) && choice->ranks->cluster.job.rank > 0)
        code = spread_fabric_serve(choice->ranks, choice, plans);
    else if (choice->ranks != NULL && choice->ranks->cluster.job.rank > 0)
        code = spread_ranks_serve(choice->ranks, choice, plans, code);
    else if (code == CLI_OK) {
        code = CLI_OK;
        for (uint32_t i = 0; i < choice->file_count; i++) {
            if (choice->ranks != NULL)
                spread_ranks_plan(choice->ranks, plans, choice->file_count, i);
            int done = run_experiment(&plans[i], choice);
            code = done > code ? done : code;
            if (done == CLI_INTERRUPTED) /* a file that fails keeps no other from running */
                break;
        }
    }
    for (uint32_t i = 0; i < made; i++)
        plan_free(&plans[i]);
    free(plans);
    return code;
}

static int run_line(int argc, char **argv)
{
    struct choice choice = {.run = {.files = NULL}};
    struct cli_line line;
    int code;
    if (!cli_read(&line, &cmd_run, argc, argv, &choice))
        return line.code;
    if (choice.run.reference)
        return scenario_reference(stdout) ? CLI_OK : cli_error_memory();
    if (choice.run.schema)
        return experiment_schema(stdout) ? CLI_OK : cli_error_memory();
    choice.run.files = line.operands;
    choice.run.file_count = line.count;
    choice.run.changes.seed_given = cli_given(&line, "seed");
    choice.run.changes.seeds_given = cli_given(&line, "seeds");
    choice.run.ranks = spread_ranks_find(&code);
    choice.run.changes.in_parts = choice.run.ranks != NULL;
    choice.run.changes.keeps = line.count == 1 && !choice.run.list && !choice.run.print_config;
    if (code == CLI_OK)
        code = check(&line, &choice.run);
    return code == CLI_OK ? run_files(&choice.run) : code;
}

static int run(int argc, char **argv)
{
    int code = run_line(argc, argv);
    spread_ranks_end(code);
    return code;
}
