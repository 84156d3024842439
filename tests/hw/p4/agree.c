/*
 * agree.c - the records of the P4 program against the policy occamy-p4, or dt, that is fed with the same arrivals.
 *
 *   agree POLICY QUEUES CELL_BYTES BUFFER_CELLS SYNC_US PPS,PPS,... <DUMP
 *
 * DUMP is what simple_switch_CLI answers to register_read of record_count 0, record_event, record_state and
 * record_seen. Two questions:
 *
 * Did the program do what it says? Every decision in the records is made again from the numbers beside it, exactly.
 *
 * Is it the policy? An MMU with the policy gets the arrivals at their times; its ports send full packets at their
 * rates. Lengths of queues are compared at each arrival. Admission goes by old numbers: the policy's are one to two
 * rounds old, the program's as old as the last but one SYNC packet of the queue. So a queue may differ by what comes in
 * meanwhile: its own arrivals, and alpha times all arrivals, by which the threshold moves. To that two packets are
 * added, one of a port that sends at that moment and one of the drop. More is a failure. A turn that an expelled packet
 * left unused is one packet less sent.
 */
#define _GNU_SOURCE 1
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weir/mmu.h"
#include "weir/policy.h"

#define QUEUES_MAX 64u
#define RECORDS_MAX 131072u
#define PS_PER_US INT64_C(1000000)

enum kind { ENTERED, REFUSED_THRESHOLD, REFUSED_ROOM, SENT, EXPELLED, SYNCED, KINDS };

struct record {
    int64_t time_us;
    enum kind kind;
    uint32_t queue;
    int64_t cells;
    int64_t length, used;    /* before the event */
    int64_t seen, threshold; /* by which it was decided */
};

struct setting {
    const struct weir_policy *policy;
    struct weir_values values;
    uint32_t queues, cell_bytes;
    int64_t buffer_cells, sync_us;
    double pps[QUEUES_MAX];
    int64_t alpha_q16, admit_margin, drop_margin; /* margins in cells; dt: none */
};

static struct record records[RECORDS_MAX];
static uint32_t record_count;

static int give_up(const char *what)
{
    fprintf(stderr, "agree: %s\n", what);
    exit(2);
}

/* ---- reading ---- */

static uint64_t *words_of(const char *dump, const char *name)
{
    uint64_t *words = calloc(RECORDS_MAX, sizeof *words);
    const char *at = strstr(dump, name);
    if (words == NULL || at == NULL)
        give_up(name);
    char *rest = (char *)(uintptr_t)(at + strlen(name));
    for (uint32_t i = 0; i < record_count; i++) {
        words[i] = strtoull(rest, &rest, 10);
        rest += *rest == ',';
    }
    return words;
}

static char *read_all(FILE *in)
{
    size_t room = 1 << 20, size = 0, got;
    char *text = malloc(room + 1);
    while (text != NULL && (got = fread(text + size, 1, room - size, in)) > 0) {
        size += got;
        if (size == room)
            text = realloc(text, (room *= 2) + 1);
    }
    if (text == NULL)
        give_up("out of memory");
    text[size] = '\0';
    return text;
}

static void read_records(const struct setting *setting)
{
    char *dump = read_all(stdin);
    const char *count = strstr(dump, "record_count[0]=");
    if (count == NULL)
        give_up("no record_count");
    record_count = (uint32_t)strtoul(count + strlen("record_count[0]="), NULL, 10);
    if (record_count >= RECORDS_MAX)
        give_up("more records than the program has");
    uint64_t *event = words_of(dump, "record_event="), *state = words_of(dump, "record_state="),
             *seen = words_of(dump, "record_seen=");
    for (uint32_t i = 0; i < record_count; i++) {
        records[i] = (struct record){.time_us = (int64_t)(event[i] >> 32),
                                     .kind = (enum kind)(event[i] >> 28 & 0xf),
                                     .queue = (uint32_t)(event[i] >> 20 & 0xff),
                                     .cells = (int64_t)(event[i] & 0xfffff),
                                     .length = (int64_t)(state[i] >> 32),
                                     .used = (int64_t)(state[i] & 0xffffffff),
                                     .seen = (int64_t)(seen[i] >> 32),
                                     .threshold = (int64_t)(seen[i] & 0xffffffff)};
        if (records[i].kind >= KINDS || records[i].queue >= setting->queues)
            give_up("a record of no kind or queue");
    }
    free(event);
    free(state);
    free(seen);
    free(dump);
}

static void read_setting(struct setting *setting, char **argv)
{
    char policy[64], *part, *rest = policy;
    struct weir_error error;
    snprintf(policy, sizeof policy, "%s", argv[1]);
    part = strsep(&rest, ":");
    setting->policy = weir_policy_find(part);
    if (setting->policy == NULL)
        give_up("no such policy");
    weir_values_init(&setting->values, setting->policy);
    while ((part = strsep(&rest, ":")) != NULL) {
        char *value = strchr(part, '=');
        *value++ = '\0';
        if (!weir_values_set(&setting->values, setting->policy, part, value, &error))
            give_up(error.text);
    }
    setting->queues = (uint32_t)strtoul(argv[2], NULL, 10);
    setting->cell_bytes = (uint32_t)strtoul(argv[3], NULL, 10);
    setting->buffer_cells = strtoll(argv[4], NULL, 10);
    setting->sync_us = strtoll(argv[5], NULL, 10);
    if (setting->queues > QUEUES_MAX)
        give_up("too many queues");
    part = argv[6];
    for (uint32_t i = 0; i < setting->queues; i++) {
        setting->pps[i] = strtod(part, &part);
        part += *part == ',';
    }
    setting->alpha_q16 = setting->values.of[weir_param_find(setting->policy, "alpha")][0];
    bool expels = weir_param_find(setting->policy, "sync") >= 0;
    if (expels) {
        char sync[32];
        snprintf(sync, sizeof sync, "%" PRId64 "us", setting->sync_us);
        if (!weir_values_set(&setting->values, setting->policy, "sync", sync, &error))
            give_up(error.text);
        setting->admit_margin = 1600 / setting->cell_bytes;
        setting->drop_margin = 3200 / setting->cell_bytes;
    } else {
        setting->drop_margin = INT64_MAX / 2;
    }
}

/* ---- does the program do what it says? ---- */

static uint32_t wrong;

static void expect(bool good, uint32_t at, const char *what)
{
    const struct record *r = &records[at];
    if (good || wrong++ >= 10)
        return;
    printf("record %u (kind %d, queue %u, %" PRId64 " cells, length %" PRId64 ", used %" PRId64 ", seen %" PRId64
           " against %" PRId64 "): %s\n",
           at, (int)r->kind, r->queue, r->cells, r->length, r->used, r->seen, r->threshold, what);
}

/* Lengths follow from entries, sends and expulsions; what is booked is freed at once and dropped later. */
static void check_rules(const struct setting *setting)
{
    int64_t owed[QUEUES_MAX] = {0}, used = 0, length[QUEUES_MAX] = {0};
    int halvings = 1;
    for (int64_t alpha = setting->alpha_q16 / WEIR_Q16_ONE; alpha > 1; alpha /= 2)
        halvings++;
    for (uint32_t i = 0; i < record_count; i++) {
        const struct record *r = &records[i];
        bool over = r->seen + setting->admit_margin > r->threshold;
        expect(r->kind > REFUSED_ROOM || (r->kind == REFUSED_THRESHOLD) == over, i,
               "refused although the threshold allows it, or the other way round");
        expect(r->kind != REFUSED_ROOM || r->used + r->cells > setting->buffer_cells, i, "refused, with room");
        expect(r->kind != ENTERED || r->used + r->cells <= setting->buffer_cells, i, "entered, without room");
        if (r->kind == ENTERED) {
            length[r->queue] += r->cells;
            used += r->cells;
        } else if (r->kind == SENT || r->kind == EXPELLED) {
            int64_t excess = r->seen - r->threshold - setting->drop_margin;
            int64_t booked = excess > 0 ? (excess >> halvings) + 1 : 0, debt = owed[r->queue] + booked;
            int64_t freed = booked + (r->cells > debt ? r->cells - debt : 0);
            expect(r->threshold == setting->alpha_q16 * (setting->buffer_cells - r->used) / WEIR_Q16_ONE, i,
                   "not alpha times the free buffer");
            expect((r->kind == EXPELLED) == (debt > 0), i, "expelled without reason, or sent in spite of one");
            owed[r->queue] = debt > r->cells ? debt - r->cells : 0;
            length[r->queue] -= freed;
            used -= freed;
        }
        expect(length[r->queue] >= 0 && used >= 0, i, "lengths do not add up");
    }
}

/* ---- is it the policy? ---- */

struct port {
    weir_ps free_ps; /* when it may send again */
    uint64_t sent, refused, dropped;
    uint64_t program[KINDS];   /* what the program did with its packets */
    int64_t most_off, sum_off; /* of lengths, in cells */
};

struct model {
    struct weir_mmu *mmu;
    struct port port[QUEUES_MAX];
    const struct setting *setting;
};

static int64_t length_of(const struct model *model, uint32_t queue)
{
    return weir_view_shared(weir_mmu_view(model->mmu), (weir_account){queue});
}

static void send_at(struct model *model, uint32_t port, weir_ps now)
{
    const struct weir_effects *fx = weir_mmu_depart(model->mmu, (weir_port){port}, now);
    model->port[port].dropped += fx->lost_count;
    model->port[port].sent += fx->departed;
    if (fx->departed)
        model->port[port].free_ps = now + (weir_ps)(1e12 / model->setting->pps[port]);
}

/* All that ports send before `now`. */
static void send_until(struct model *model, weir_ps now)
{
    for (;;) {
        uint32_t next = QUEUES_MAX;
        for (uint32_t i = 0; i < model->setting->queues; i++)
            if (length_of(model, i) > 0 && model->port[i].free_ps < now &&
                (next == QUEUES_MAX || model->port[i].free_ps < model->port[next].free_ps))
                next = i;
        if (next == QUEUES_MAX)
            return;
        send_at(model, next, model->port[next].free_ps);
    }
}

static void arrive(struct model *model, const struct record *r)
{
    weir_ps now = r->time_us * PS_PER_US;
    const struct weir_packet packet = {
        .handle = 1, .output = {r->queue}, .bytes = (uint32_t)r->cells * model->setting->cell_bytes};
    const struct weir_effects *fx = weir_mmu_arrive(model->mmu, &packet, now);
    model->port[r->queue].refused += !fx->accepted;
    if (model->port[r->queue].free_ps <= now && length_of(model, r->queue) > 0)
        send_at(model, r->queue, now);
}

/* Cells that arrived before each record, in the order of time; [queues] are those of all queues. */
static int64_t arrived_before[RECORDS_MAX][QUEUES_MAX + 1];

static void add_up(void)
{
    for (uint32_t i = 0; i + 1 < record_count; i++) {
        memcpy(arrived_before[i + 1], arrived_before[i], sizeof arrived_before[i]);
        if (records[i].kind > REFUSED_ROOM)
            continue;
        arrived_before[i + 1][records[i].queue] += records[i].cells;
        arrived_before[i + 1][QUEUES_MAX] += records[i].cells;
    }
}

/*
 * The most that `queue` can be off: over all its arrivals, what came in since the numbers were read that decided it,
 * by the policy two rounds ago at most, by the program at the last but one SYNC packet.
 */
static int64_t allowed_for(const struct setting *setting, uint32_t queue, int64_t *oldest_us)
{
    uint32_t last = 0, before = 0, rounds = 0; /* records */
    int64_t most = 0, largest = 0;
    *oldest_us = 0;
    for (uint32_t i = 0; i < record_count; i++) {
        const struct record *r = &records[i];
        if (r->queue != queue)
            continue;
        if (r->kind == SYNCED) {
            before = last;
            last = i;
        }
        if (r->kind > REFUSED_ROOM)
            continue;
        while (records[rounds].time_us + 2 * setting->sync_us < r->time_us)
            rounds++;
        uint32_t from = rounds < before ? rounds : before;
        int64_t own = arrived_before[i][queue] - arrived_before[from][queue];
        int64_t all = arrived_before[i][QUEUES_MAX] - arrived_before[from][QUEUES_MAX];
        int64_t sum = own + setting->alpha_q16 * all / WEIR_Q16_ONE;
        most = sum > most ? sum : most;
        largest = r->cells > largest ? r->cells : largest;
        *oldest_us =
            r->time_us - records[before].time_us > *oldest_us ? r->time_us - records[before].time_us : *oldest_us;
    }
    return most + 2 * largest;
}

static int compare_times(const void *a, const void *b)
{
    int64_t left = ((const struct record *)a)->time_us, right = ((const struct record *)b)->time_us;
    return (left > right) - (left < right);
}

static void make_model(struct model *model, const struct setting *setting)
{
    struct weir_mmu_config config;
    struct weir_error error;
    weir_mmu_config_init(&config, setting->queues, 1, setting->buffer_cells);
    config.cell_bytes = setting->cell_bytes;
    config.egress = setting->policy;
    config.egress_values = &setting->values;
    if (!weir_mmu_config_check(&config, &error))
        give_up(error.text);
    *model =
        (struct model){.mmu = weir_mmu_init(aligned_alloc(64, weir_mmu_size(&config)), &config), .setting = setting};
}

/* All arrivals, and then what ports sent until the last packet of the program left. */
static void feed(struct model *model)
{
    weir_ps end = 0;
    for (uint32_t i = 0; i < record_count; i++) {
        const struct record *r = &records[i];
        struct port *port = &model->port[r->queue];
        weir_ps now = r->time_us * PS_PER_US;
        port->program[r->kind]++;
        end = r->kind == SYNCED ? end : now;
        if (r->kind > REFUSED_ROOM)
            continue;
        send_until(model, now);
        int64_t off = llabs(length_of(model, r->queue) - r->length);
        port->most_off = off > port->most_off ? off : port->most_off;
        port->sum_off += off;
        arrive(model, r);
    }
    send_until(model, end + 1);
}

static void judge(const struct setting *setting, const struct port *port, uint32_t queue)
{
    const uint64_t *program = port->program;
    uint64_t refused = program[REFUSED_THRESHOLD] + program[REFUSED_ROOM], arrived = program[ENTERED] + refused;
    int64_t oldest_us, allowed = allowed_for(setting, queue, &oldest_us);
    if (arrived == 0)
        return;
    printf("%5u  %7" PRIu64 "  %6" PRIu64 "/%-6" PRIu64 "  %6" PRIu64 "/%-6" PRIu64 "  %6" PRIu64 "/%-6" PRIu64
           "  %5.0f  %5" PRId64 "  %7" PRId64 "  %5.1f\n",
           queue, arrived, refused, port->refused, program[EXPELLED], port->dropped, program[SENT], port->sent,
           (double)port->sum_off / (double)arrived, port->most_off, allowed, (double)oldest_us / 1000);
    if (port->most_off <= allowed)
        return;
    printf("queue %u differs by more than the SYNC delay explains\n", queue);
    wrong++;
}

static void compare(const struct setting *setting)
{
    struct model model;
    make_model(&model, setting);
    qsort(records, record_count, sizeof *records, compare_times);
    add_up();
    feed(&model);
    printf("queue  arrived  refused        dropped        sent           length differs by (cells)  oldest\n");
    printf("                program/model  program/model  program/model  mean   most   allowed     numbers, ms\n");
    for (uint32_t i = 0; i < setting->queues; i++)
        judge(setting, &model.port[i], i);
    free(model.mmu);
}

int main(int argc, char **argv)
{
    struct setting setting = {.queues = 0};
    if (argc != 7)
        give_up("usage: agree POLICY QUEUES CELL_BYTES BUFFER_CELLS SYNC_US PPS,... <DUMP");
    read_setting(&setting, argv);
    read_records(&setting);
    printf("%u events\n", record_count);
    check_rules(&setting);
    compare(&setting);
    if (wrong > 0)
        printf("%u contradictions\n", wrong);
    return wrong > 0;
}
