/*
 * cmd_init.c - `weir init`: a first scenario, commented, from a few options, or from questions on a terminal.
 */
#define _GNU_SOURCE 1
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/output.h"

enum network { NETWORK_SINGLE, NETWORK_LEAF_SPINE };
enum load { LOAD_INCAST, LOAD_BURST, LOAD_WEBSEARCH };

#define POLICIES_MAX 16u

struct choice {
    uint32_t network, load; /* the enums above */
    uint64_t hosts, seeds;
    const char *rate, *buffer, *policies, *transport, *output;
};

static const struct cli_option options[] = {
    {.name = "network",
     .value = "KIND",
     .help = "single: one switch (the default); leaf-spine: a fabric",
     .offer = CLI_WORDS("single leaf-spine"),
     CLI_WORD(struct choice, network)},
    {.name = "hosts",
     .value = "N",
     .help = "hosts in all, in leaf-spine eight per leaf; default: 16",
     CLI_NUMBER(struct choice, hosts, 4, 1024)},
    {.name = "rate", .value = "RATE", .help = "of every link; default: 10Gbps", CLI_TEXT(struct choice, rate)},
    {.name = "buffer",
     .value = "SIZE",
     .help = "of a switch, such as 400KB; default: 9.6KB per Gbps",
     CLI_TEXT(struct choice, buffer)},
    {.name = "policies",
     .value = "NAMES",
     .help = "to compare, with commas; default: dt,occamy,lqd",
     CLI_TEXT(struct choice, policies)},
    {.name = "transport",
     .value = "KIND",
     .help = "default: cubic; dctcp comes with marking",
     .offer = CLI_WORDS("newreno cubic dctcp"),
     CLI_TEXT(struct choice, transport)},
    {.name = "traffic",
     .value = "KIND",
     .help = "incast: hosts answer one together; burst: that, beside long flows (the default); websearch: flows at "
             "a load with queries on top",
     .offer = CLI_WORDS("incast burst websearch"),
     CLI_WORD(struct choice, load)},
    {.name = "seeds", .value = "N", .help = "runs per point; default: 10", CLI_NUMBER(struct choice, seeds, 1, 1000)},
    {.name = NULL},
};

static const struct cli_operand operands[] = {
    {.name = "FILE", .what = "file", .expected = "the scenario to write, such as mine.yaml", .offer = CLI_SCENARIOS},
    {.name = NULL},
};

static int run(int argc, char **argv);

const struct cli_command cmd_init = {
    .name = "init",
    .summary = "write a first scenario, with comments",
    .about = "Writes a scenario that runs as it is: a network, a switch, policies to compare, traffic, a sweep and "
             "figures, each with a comment. On a terminal and without options it asks a few questions first. It never "
             "replaces a file.",
    .options = options,
    .operands = operands,
    .status = "0 ok, 2 wrong usage, 3 unknown policy or a file that is there, 4 cannot write",
    .examples = "weir init mine.yaml\nweir init --network leaf-spine --policies dt,abm --traffic websearch fabric.yaml",
    .run = run,
};

/* A question on the terminal; an empty answer leaves *text as it is. The answer stays until the program ends. */
static void ask(const char *question, const char **text)
{
    char *line = NULL;
    size_t room = 0;
    printf("%s [%s]: ", question, *text);
    fflush(stdout);
    ssize_t length = getline(&line, &room, stdin);
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == ' '))
        line[--length] = '\0';
    if (length > 0)
        *text = line;
    else
        free(line);
}

static uint32_t ask_word(const char *question, const char *const words[], uint32_t now)
{
    const char *text = words[now];
    ask(question, &text);
    for (uint32_t i = 0; words[i] != NULL; i++)
        if (strcmp(words[i], text) == 0)
            return i;
    printf("'%s' is none of them: %s\n", text, words[now]);
    return now;
}

/* Every name is a policy; prints them as a list of YAML. */
static int put_policies(const struct choice *choice, FILE *out)
{
    char names[512], *rest = NULL;
    snprintf(names, sizeof names, "%s", choice->policies);
    uint32_t count = 0;
    for (const char *name = strtok_r(names, ", ", &rest); name != NULL; name = strtok_r(NULL, ", ", &rest)) {
        if (cli_find_policy(name) == NULL)
            return CLI_INPUT;
        fprintf(out, "%s%s", count++ > 0 ? ", " : "", name);
    }
    return count > 0 ? CLI_OK : cli_error(CLI_USAGE, "init: --policies: none (expected such as dt,lqd)");
}

/* Times and rates that leave a query of the whole buffer time to end, a retransmission timeout included. The default
 * buffer grows with the ports, and so does how long a port takes to send it: 77 us for each. */
struct pace {
    unsigned interval_ms, rate; /* between rounds; queries per second */
    unsigned until_ms;          /* of the last query */
};

static struct pace find_pace(const struct choice *choice)
{
    unsigned ports = choice->network == NETWORK_SINGLE ? (unsigned)choice->hosts : 12;
    struct pace pace = {.interval_ms = 10 + ports / 6, .rate = ports <= 16 ? 100 : 1600 / ports};
    pace.until_ms = choice->load == LOAD_INCAST ? 5 * pace.interval_ms : choice->load == LOAD_BURST ? 100 : 20;
    pace.rate = pace.rate == 0 ? 1 : pace.rate;
    return pace;
}

static void put_traffic(const struct choice *choice, FILE *out)
{
    unsigned last = (unsigned)choice->hosts - 1;
    struct pace pace = find_pace(choice);
    fputs("# Who sends what. Every kind is in docs/reference/scenarios.md.\ntraffic:\n", out);
    if (choice->load == LOAD_INCAST)
        fprintf(
            out,
            "  # All others answer h0 at once; a query is done when the last of them is.\n"
            "  - {kind: incast, tag: query, transport: short, sources: h1-h%u, destination: h0, bytes: 40%% buffer,\n"
            "     rounds: 5, interval: %ums}\n",
            last, pace.interval_ms);
    if (choice->load == LOAD_BURST)
        fprintf(out,
                "  # Two long flows keep the port to h2 congested, and hold the buffer.\n"
                "  - {kind: long, tag: long, transport: long, sources: h0-h1, destinations: h2, concurrency: 2}\n"
                "  # Now and then the hosts from h4 on answer h3 together: a burst into an idle port.\n"
                "  - {kind: query, tag: query, transport: short, sources: h4-h%u, destinations: h3, rate: %u/s,\n"
                "     bytes: 40%% buffer, from: 5ms, until: %ums}\n",
                last > 4 ? last : 5, pace.rate, pace.until_ms);
    if (choice->load == LOAD_WEBSEARCH)
        fprintf(out,
                "  # Flows of the web-search workload at 40 %% of what the hosts' links carry.\n"
                "  - {kind: poisson, tag: web, transport: long, sizes: websearch, load: 40%%, until: %ums}\n"
                "  # Queries on top: %u hosts answer one, which may be any.\n"
                "  - {kind: query, tag: query, transport: short, bytes: 40%% buffer, fan_out: %u, rate: 40/s,\n"
                "     until: %ums}\n",
                pace.until_ms, last < 8 ? last : 8, last < 8 ? last : 8, pace.until_ms);
}

static int put_scenario(const struct choice *choice, FILE *out)
{
    bool marks = strcmp(choice->transport, "dctcp") == 0;
    char until[16];
    snprintf(until, sizeof until, "%ums", find_pace(choice).until_ms + 20);
    fprintf(out,
            "# Written by weir init. Try: weir check FILE, weir run FILE, weir report NAME.db.\n"
            "title: My first comparison\n"
            "until: %-5s       # simulated time\n"
            "seeds: %-3u         # runs per point: intervals come from these\n\n",
            until, (unsigned)choice->seeds);
    if (choice->network == NETWORK_SINGLE)
        fprintf(out,
                "# All hosts on one switch: h0, h1, ...\n"
                "topology: {kind: single, hosts: %u, rate: %s, delay: 2us}\n\n",
                (unsigned)choice->hosts, choice->rate);
    else
        fprintf(out,
                "# Every leaf is joined to every spine; hosts are numbered leaf by leaf.\n"
                "topology: {kind: leaf-spine, leaves: %u, spines: 2, hosts_per_leaf: 8, parallel: 2,\n"
                "           host_rate: %s, spine_rate: %s, host_delay: 2us, spine_delay: 2us}\n\n",
                (unsigned)((choice->hosts + 7) / 8 > 1 ? (choice->hosts + 7) / 8 : 2), choice->rate, choice->rate);
    fprintf(out, "switch:\n  buffer: %s\n  policy: dt       # replaced by the sweep below; weir policies lists all\n",
            choice->buffer);
    if (marks)
        fputs("  ecn: {kind: step, low: 65pkt}\n", out);
    fprintf(
        out,
        "\n# How hosts send. Answers are small: each goes out at once (`initial_window: 10` would start slowly, and\n"
        "# hardly lose a packet). A lost last packet costs a timeout of 5 ms.\n"
        "transports:\n  long: {kind: %s, min_rto: 5ms}\n  short: {kind: %s, min_rto: 5ms, initial_window: flow}\n\n",
        choice->transport, choice->transport);
    put_traffic(choice, out);
    fputs("\n# One queue over time, for a figure of kind evolution.\n"
          "measure:\n  probes:\n",
          out);
    fprintf(out, "    - {at: s0, to: %s, interval: 20us}\n\n",
            choice->load == LOAD_BURST && choice->network == NETWORK_SINGLE ? "h3" : "h0");
    fputs("# Every policy with every size, each with every seed.\nsweep:\n  policy:\n    title: Buffer policy\n"
          "    switch.policy: [",
          out);
    int code = put_policies(choice, out);
    fputs(
        "]\n  size:\n    title: Size of a query\n"
        "    traffic.query.bytes: [40% buffer, 60% buffer, 80% buffer, 100% buffer]\n\n"
        "figures:\n"
        "  - {kind: line, title: Mean completion time of queries, x: size, lines: policy, y: query.qct.mean, log: y}\n"
        "  - {kind: line, title: 99th percentile, x: size, lines: policy, y: query.qct.p99, log: y}\n"
        "  - {kind: bar, title: Packets lost, x: policy, y: lost.total}\n"
        "  - {kind: cdf, title: Queries of 60 % of the buffer, curve: query.qct.cdf, lines: policy,\n"
        "     where: {size: 60% buffer}, log: x}\n"
        "  - {kind: evolution, title: Queue and threshold, lines: policy, where: {size: 60% buffer}}\n",
        out);
    return code;
}

static int run(int argc, char **argv)
{
    struct choice choice = {.hosts = 16,
                            .seeds = 10,
                            .load = LOAD_BURST,
                            .rate = "10Gbps",
                            .buffer = "9.6KB per Gbps",
                            .policies = "dt,occamy,lqd",
                            .transport = "cubic"};
    struct cli_line line;
    struct stat about;
    if (!cli_read(&line, &cmd_init, argc, argv, &choice))
        return line.code;
    choice.output = line.operands[0];
    if (stat(choice.output, &about) == 0)
        return cli_error(CLI_INPUT, "init: %s is there already (expected a new file)", choice.output);
    bool asked = argc == 2 && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
    if (asked) {
        static const char *const networks[] = {"single", "leaf-spine", NULL};
        static const char *const loads[] = {"incast", "burst", "websearch", NULL};
        choice.network = ask_word("Network, single or leaf-spine", networks, choice.network);
        ask("Rate of the links", &choice.rate);
        ask("Buffer of a switch", &choice.buffer);
        ask("Policies to compare, with commas", &choice.policies);
        ask("Transport: newreno, cubic or dctcp", &choice.transport);
        choice.load = ask_word("Traffic: incast, burst or websearch", loads, choice.load);
    }
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    int code = out != NULL ? put_scenario(&choice, out) : CLI_OK;
    if (out == NULL || fclose(out) != 0 || text == NULL)
        code = cli_error_memory();
    if (code == CLI_OK && !output_file_save(choice.output, text, size))
        code = CLI_INTERNAL;
    if (code == CLI_OK) {
        cli_print("%s", choice.output);
        cli_print("next: weir check %s; weir run %s", CLI_PASTE(choice.output), CLI_PASTE(choice.output));
    }
    free(text);
    return code;
}
