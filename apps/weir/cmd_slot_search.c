/*
 * cmd_slot_search.c - `weir slot search`: inputs on which a policy falls far behind the optimum.
 *
 * Islands are evolved side by side, as many as there are processors. With --state each finished one is noted in a file,
 * and a search that was stopped goes on from there: an island depends on nothing but its number.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "show/writers/printout.h"
#include "sim/slot/evolve.h"

#define ISLANDS_MAX 4096u
#define THREADS_MAX 256u

struct choice {
    const char *policy, *state, *save, *csv;
    uint64_t ports, buffer, slots, islands, tries, seed, threads;
    bool json;
};

static const struct cli_option options[] = {
    {.name = "policy",
     .value = "NAME[:PARAMETER=VALUE...]",
     .help = "look for bad inputs of this policy (lqd)",
     .offer = CLI_POLICIES,
     CLI_TEXT(struct choice, policy)},
    CLI_POLICY_FILE,
    {.name = "ports", .value = "N", .help = "ports (8)", CLI_NUMBER(struct choice, ports, 2, 1024)},
    {.name = "buffer", .value = "B", .help = "packets (64)", CLI_NUMBER(struct choice, buffer, 2, 16384)},
    {.name = "slots",
     .value = "S",
     .help = "most slots of an input (400)",
     CLI_NUMBER(struct choice, slots, 1, 100000)},
    {.name = "islands",
     .value = "I",
     .help = "searches that know nothing of one another (8)",
     CLI_NUMBER(struct choice, islands, 1, ISLANDS_MAX)},
    {.name = "tries",
     .value = "T",
     .help = "inputs that each of them tries (2000)",
     CLI_NUMBER(struct choice, tries, 1, 100000000)},
    {.name = "seed", .value = "X", .help = "seed of all draws (1)", CLI_NUMBER(struct choice, seed, 0, UINT32_MAX)},
    {.name = "threads",
     .value = "K",
     .help = "islands at once; default: as many as processors",
     CLI_NUMBER(struct choice, threads, 1, THREADS_MAX)},
    {.name = "state",
     .value = "FILE",
     .help = "note finished islands there, and go on from what it notes",
     CLI_FILE(struct choice, state)},
    {.name = "save-arrivals",
     .value = "FILE",
     .help = "write the worst input for weir slot run --arrivals",
     CLI_FILE(struct choice, save)},
    CLI_CSV_FILE(struct choice, "table"),
    CLI_JSON(struct choice),
    {.name = NULL},
};

static int run(int argc, char **argv);

const struct cli_command cmd_slot_search = {
    .name = "slot search",
    .summary = "inputs on which a policy falls far behind the optimum",
    .about = "Evolves sequences of bursts on which the offline optimum sends as many times as much as a policy as "
             "possible. What is found is a lower bound on the policy's competitive ratio, and a sequence to look at. "
             "The result depends on the numbers given here alone, and not on the number of threads or of stops.",
    .options = options,
    .examples = "weir slot search --policy dt:alpha=0.5 --save-arrivals bad.txt\n"
                "weir slot run --policy dt:alpha=0.5 --optimum --ports 8 --buffer 64 --traffic file --arrivals bad.txt",
    .run = run,
};

struct search {
    const struct choice *choice;
    struct slot_evolution evolution;
    struct slot_algorithm algorithm;
    struct slot_island island[ISLANDS_MAX];
    bool known[ISLANDS_MAX];
    pthread_mutex_t lock; /* of what follows, and of `known` */
    uint32_t next, done;
    enum weir_error_code status;
    struct weir_error error;
};

/* What a state file begins with: islands of other numbers are of no use. */
static void state_title(const struct search *s, char *title, size_t size)
{
    const struct choice *c = s->choice;
    snprintf(title, size,
             "weir slot search 1: %s, ports %" PRIu64 ", buffer %" PRIu64 ", slots %" PRIu64 ", tries %" PRIu64
             ", seed %" PRIu64 "\n",
             c->policy, c->ports, c->buffer, c->slots, c->tries, c->seed);
}

/* "NUMBER OPTIMUM SENT ROUNDS PORT,SPAN,SLOTS,EACH ..." */
static bool state_read_island(struct search *s, char *line)
{
    struct slot_island island = {.optimum = 0};
    uint32_t number;
    int at;
    if (sscanf(line, "%" SCNu32 " %" SCNu64 " %" SCNu64 " %" SCNu32 "%n", &number, &island.optimum, &island.sent,
               &island.genome.rounds, &at) != 4 ||
        number >= ISLANDS_MAX || island.genome.rounds == 0)
        return false;
    for (const char *from = line + at; *from == ' '; from += at) {
        struct slot_gene *gene = &island.genome.gene[island.genome.count];
        if (island.genome.count == SLOT_GENES_MAX ||
            sscanf(from, " %" SCNu16 ",%" SCNu16 ",%" SCNu16 ",%" SCNu16 "%n", &gene->port, &gene->span, &gene->slots,
                   &gene->each, &at) != 4 ||
            gene->port >= s->evolution.ports || gene->span == 0 || gene->slots == 0 || gene->each == 0)
            return false;
        island.genome.count++;
        if (from[at] != ' ' && from[at] != '\n')
            return false;
    }
    if (island.genome.count == 0)
        return false;
    s->done += !s->known[number] && number < s->choice->islands;
    s->known[number] = true;
    s->island[number] = island;
    return true;
}

static int state_read(struct search *s)
{
    const char *path = s->choice->state;
    char title[512], line[1024];
    FILE *in = path ? fopen(path, "r") : NULL;
    if (!in)
        return !path || errno == ENOENT ? CLI_OK : cli_error(CLI_INPUT, "%s: cannot read: %s", path, strerror(errno));
    state_title(s, title, sizeof title);
    int code = CLI_OK;
    for (uint32_t number = 1; code == CLI_OK && fgets(line, sizeof line, in); number++) {
        if (number == 1 && strcmp(line, title) != 0)
            code = cli_error(CLI_INPUT, "%s:1: a search with other numbers (expected %.*s)", path,
                             (int)strlen(title) - 1, title);
        else if (number > 1 && !state_read_island(s, line))
            code = cli_error(CLI_INPUT, "%s:%u: not an island of this search (expected a file of weir slot search)",
                             path, number);
    }
    if (code == CLI_OK && ferror(in))
        code = cli_error(CLI_INPUT, "%s: cannot read", path);
    fclose(in);
    return code;
}

/* All islands that are known, in order: the file is the same whoever was first. */
static bool state_write(struct search *s)
{
    char title[512];
    struct output_file file = OUTPUT_FILE_NONE;
    if (!s->choice->state)
        return true;
    state_title(s, title, sizeof title);
    if (!output_file_open(&file, s->choice->state) || !output_file_stream(&file))
        return false;
    fputs(title, file.stream);
    for (uint32_t i = 0; i < ISLANDS_MAX; i++) {
        const struct slot_genome *g = &s->island[i].genome;
        if (!s->known[i])
            continue;
        fprintf(file.stream, "%u %" PRIu64 " %" PRIu64 " %u", i, s->island[i].optimum, s->island[i].sent, g->rounds);
        for (uint32_t k = 0; k < g->count; k++)
            fprintf(file.stream, " %u,%u,%u,%u", g->gene[k].port, g->gene[k].span, g->gene[k].slots, g->gene[k].each);
        fputc('\n', file.stream);
    }
    return output_file_flush(&file) && output_file_commit(&file);
}

/* Claims the next free island; false: none is left, or something is wrong. */
static bool search_take(struct search *s, uint32_t *number)
{
    pthread_mutex_lock(&s->lock);
    while (s->next < s->choice->islands && s->known[s->next])
        s->next++;
    *number = s->next++;
    bool more = *number < s->choice->islands && s->status == WEIR_ERROR_NONE;
    pthread_mutex_unlock(&s->lock);
    return more;
}

static void *search_work(void *context)
{
    static char title[] = "slot search, islands";
    struct search *s = context;
    uint32_t number;
    while (search_take(s, &number)) {
        struct slot_island island;
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        enum weir_error_code status = slot_evolve(&s->evolution, &s->algorithm, number, &island, &error);
        pthread_mutex_lock(&s->lock);
        if (status == WEIR_ERROR_NONE) {
            s->island[number] = island;
            s->known[number] = true;
            s->done++;
            if (cli_progress_is_seen())
                cli_progress(title, s->done, (uint32_t)s->choice->islands);
            if (!state_write(s))
                s->status = WEIR_ERROR_SYSTEM;
        } else if (s->status == WEIR_ERROR_NONE) {
            s->status = status;
            s->error = error;
        }
        pthread_mutex_unlock(&s->lock);
    }
    return NULL;
}

static int search_all(struct search *s)
{
    pthread_t thread[THREADS_MAX];
    uint32_t started = 0;
    while (started + 1 < s->choice->threads && pthread_create(&thread[started], NULL, search_work, s) == 0)
        started++;
    search_work(s);
    while (started > 0)
        pthread_join(thread[--started], NULL);
    if (s->status == WEIR_ERROR_SYSTEM && s->error.code == WEIR_ERROR_NONE)
        return CLI_INTERNAL; /* the file has said why */
    return cli_report_code(s->status, &s->error);
}

/* The one on which the policy is furthest behind, the first of equals. */
static uint32_t search_worst(const struct search *s)
{
    uint32_t worst = 0;
    for (uint32_t i = 1; i < s->choice->islands; i++)
        if (slot_ratio(s->island[i].optimum, s->island[i].sent) >
            slot_ratio(s->island[worst].optimum, s->island[worst].sent))
            worst = i;
    return worst;
}

static struct data_frame *make_frame(const struct search *s)
{
    static const struct data_column columns[] = {
        DATA_COLUMN("island", "island", INTEGER), DATA_COLUMN("optimum", "OPT", INTEGER),
        DATA_COLUMN("sent", "sent", INTEGER), DATA_COLUMN("ratio", "OPT/ALG", NUMBER, .digits = 4),
        DATA_COLUMN("bursts", "bursts", INTEGER)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t i = 0; i < s->choice->islands; i++) {
        const struct slot_island *island = &s->island[i];
        data_row(frame, cell_integer(i), cell_integer((int64_t)island->optimum), cell_integer((int64_t)island->sent),
                 cell_number(slot_ratio(island->optimum, island->sent)), cell_integer(island->genome.count));
    }
    return frame;
}

static int save_arrivals(const struct search *s)
{
    struct slot_arrivals arrivals;
    struct output_file file = OUTPUT_FILE_NONE;
    if (!s->choice->save)
        return CLI_OK;
    slot_arrivals_init(&arrivals, s->evolution.ports);
    slot_genome_write(&s->evolution, &s->island[search_worst(s)].genome, &arrivals);
    int code = arrivals.failed ? cli_error_memory() : CLI_OK;
    if (code == CLI_OK && !(output_file_open(&file, s->choice->save) && output_file_stream(&file)))
        code = CLI_INTERNAL;
    if (code == CLI_OK) {
        slot_arrivals_write(&arrivals, file.stream);
        code = output_file_flush(&file) && output_file_commit(&file) ? CLI_OK : CLI_INTERNAL;
    }
    slot_arrivals_free(&arrivals);
    return code;
}

static int show(const struct search *s)
{
    const struct choice *c = s->choice;
    const struct slot_island *worst = &s->island[search_worst(s)];
    struct printout out = {.result = NULL};
    struct data_frame *frame = make_frame(s);
    struct data_frame *result =
        data_object({"policy", cell_text(c->policy)}, {"ports", cell_integer((int64_t)c->ports)},
                    {"buffer", cell_integer((int64_t)c->buffer)}, {"slots", cell_integer((int64_t)c->slots)},
                    {"seed", cell_integer((int64_t)c->seed)},
                    {"worst", cell_number(slot_ratio(worst->optimum, worst->sent))}, {"rows", cell_frame(frame)});
    int code = printout_make(&out, result, frame, c->csv, c->json);
    code = printout_close(&out, code);
    if (code == CLI_OK && !c->json && !(c->csv && output_is_stdout(c->csv)))
        cli_print("%s: N = %" PRIu64 " ports, B = %" PRIu64 " packets, %" PRIu64 " slots, seed %" PRIu64
                  ": the optimum sends up to %.4f times as much",
                  c->policy, c->ports, c->buffer, c->slots, c->seed, slot_ratio(worst->optimum, worst->sent));
    printout_put(&out);
    printout_free(&out);
    return code;
}

static int run(int argc, char **argv)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct choice choice = {.policy = "lqd",
                            .ports = 8,
                            .buffer = 64,
                            .slots = 400,
                            .islands = 8,
                            .tries = 2000,
                            .seed = 1,
                            .threads = processors > 0 && processors < (long)THREADS_MAX ? (uint64_t)processors : 1};
    struct cli_line line;
    struct cli_policy parsed;
    if (!cli_read(&line, &cmd_slot_search, argc, argv, &choice))
        return line.code;
    int code = printout_check(cmd_slot_search.name, choice.csv, choice.json);
    if (code == CLI_OK)
        code = cli_parse_policy(choice.policy, &parsed);
    if (code != CLI_OK)
        return code;
    struct search *s = calloc(1, sizeof *s);
    if (s == NULL)
        return cli_error_memory();
    s->choice = &choice;
    s->evolution = (struct slot_evolution){(uint32_t)choice.ports, (uint32_t)choice.buffer, (uint32_t)choice.slots,
                                           (uint32_t)choice.tries, choice.seed};
    s->algorithm = (struct slot_algorithm){.name = choice.policy, .policy = parsed.policy, .values = parsed.values};
    pthread_mutex_init(&s->lock, NULL);
    code = state_read(s);
    if (code == CLI_OK)
        code = search_all(s);
    if (code == CLI_OK)
        code = save_arrivals(s);
    if (code == CLI_OK)
        code = show(s);
    pthread_mutex_destroy(&s->lock);
    free(s);
    return code;
}
