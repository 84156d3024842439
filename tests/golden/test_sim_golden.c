/*
 * test_sim_golden.c - the digests of fixed simulations against sim.txt: same bits on every machine, with every
 * compiler.
 *
 * One scenario per policy, transport and kind of traffic, and some for what networks have besides. Each is the base
 * world with a few numbers changed. When a change of the simulator is meant to change results, rewrite the file with
 *
 *   WEIR_GOLDEN_WRITE=1 (this program)
 *
 * and look at the difference: the columns after the digest tell what has changed. The file is found under WEIR_ROOT, or
 * from the current folder.
 *
 * With 2, 3 and 4 threads every line is the same, and so is what the digest leaves out (sim_checks.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/forest/online.h"
#include "sim/digest.h"
#include "sim/sim.h"
#include "sim/transport/transport.h"
#include "tests/support/error_line.h"
#include "tests/support/ranks.h"
#include "tests/swarm/sim_checks.h"
#include "tests/swarm/sim_world.h"
#include "weir/policy.h"

#define CHANGES_MAX 12u
#define LINE_MAX_BYTES 256u
#define LINES_MAX 128u

/* Sets one number of the world. */
struct golden_change {
    size_t offset;
    int64_t value;
};

struct golden_scenario {
    const char *name;
    struct golden_change changes[CHANGES_MAX]; /* up to the first with value 0 at offset 0 */
};

#define AT(field, value)                                                                                               \
    {                                                                                                                  \
        offsetof(struct sim_world, field), value                                                                       \
    }

static const struct golden_scenario variants[] = {
    {"single", {AT(shape, WORLD_SINGLE)}},
    {"dumbbell", {AT(shape, WORLD_DUMBBELL), AT(core_bps, 20000000000)}},
    {"fat-tree", {AT(shape, WORLD_FAT_TREE), AT(hosts, 16)}},
    {"explicit", {AT(shape, WORLD_EXPLICIT), AT(switches, 5), AT(extra_links, 4), AT(wiring, 7), AT(mixed, 7)}},
    {"parallel-mixed", {AT(parallel, 3), AT(mixed, 3)}},
    {"no-delay", {AT(host_delay_ps, 0), AT(core_delay_ps, 0)}},
    {"spray", {AT(ecmp, SIM_ECMP_PACKET)}},
    {"nic-fifo", {AT(nic, SIM_NIC_FIFO)}},
    {"nic-strict", {AT(nic, SIM_NIC_STRICT)}},
    {"nic-queue", {AT(nic, SIM_NIC_QUEUE), AT(queue_packets, 20)}},
    {"nic-queue-drop", {AT(nic, SIM_NIC_QUEUE), AT(queue_packets, 20), AT(queue_drops, 1)}},
    {"nic-queue-per-flow", {AT(nic, SIM_NIC_QUEUE), AT(queue_per_flow, 3)}},
    {"jitter", {AT(jitter_ps, 100000)}},
    {"drift", {AT(drift_ppm, 100)}},
    {"device-queue", {AT(tier[0].device_packets, 3)}},
    {"memories", {AT(tier[0].ports_per_mmu, 2), AT(tier[0].policy, 13)}},
    {"failure",
     {AT(changes, 2), AT(change[0].link, 8), AT(change[0].when, 100000000), AT(change[1].link, 8),
      AT(change[1].when, 400000000), AT(change[1].up, 1), AT(reroute_ps, 50000000)}},
    {"host-failure",
     {AT(changes, 2), AT(change[0].link, 1), AT(change[0].when, 100000000), AT(change[1].link, 1),
      AT(change[1].when, 300000000), AT(change[1].up, 1)}},
    {"probes",
     {AT(probes, 2), AT(probe[0].tc, 9), AT(probe[0].until_ps, 500000000), AT(probe[1].sw, 1),
      AT(probe[1].interval_ps, 0), AT(probe[1].until_ps, 500000000)}},
    {"goodput", {AT(goodput_ps, 10000000)}},
    {"descriptors", {AT(tier[0].packets_max, 20)}},
    {"strict", {AT(tier[0].scheduler, WEIR_SCHED_STRICT)}},
    {"strict-drr", {AT(classes, 4), AT(tier[0].scheduler, WEIR_SCHED_STRICT_DRR), AT(tier[0].weights, 5)}},
    {"wrr", {AT(tier[0].scheduler, WEIR_SCHED_WRR), AT(tier[0].weights, 5)}},
    {"red", {AT(tier[0].marking, WEIR_MARK_RED)}},
    {"handshake", {AT(transport[0].handshake, 1)}},
    {"no-sack", {AT(transport[0].kind, 0), AT(transport[0].sack, 0)}},
    {"classic-ecn", {AT(transport[0].kind, 0), AT(transport[0].ecn, 1)}},
    {"delayed-acks", {AT(transport[0].ack_every, 2), AT(transport[0].ack_delay_ps, 5000000)}},
    {"whole-window", {AT(transport[0].initial_window, 0)}},
    {"long-endless", {AT(traffics, 1), AT(traffic[0].kind, TRAFFIC_LONG), AT(traffic[0].bytes, 0)}},
    {"published-sizes", {AT(traffic[0].sizes, 1), AT(traffic[0].load_percent, 90)}},
    {"requests", {AT(traffic[1].request_bytes, 100)}},
    {"spread-answers", {AT(traffic[1].spread_ps, 50000000), AT(traffic[1].request_bytes, 100)}},
    {"phased", {AT(traffics, 1), AT(traffic[0].kind, TRAFFIC_ALL_REDUCE), AT(traffic[0].phased, 1)}},
    {"permutation", {AT(traffic[0].pattern, TRAFFIC_PATTERN_PERMUTATION)}},
    {"lossless-sih", {AT(lossless, 2)}},
    {"lossless-dsh", {AT(lossless, 3), AT(tier[0].headroom, 1)}},
    {"lossless-adaptive", {AT(lossless, 3), AT(tier[0].headroom, 2)}},
    {"lossless-oversubscribed", {AT(lossless, 3), AT(tier[0].headroom, 3)}},
    {"lossless-sai-groups", {AT(lossless, 3), AT(tier[0].headroom, 4)}},
    {"lossless-memories", {AT(lossless, 3), AT(tier[0].headroom, 1), AT(tier[0].ports_per_mmu, 2)}},
    {"lossless-dcqcn", {AT(lossless, 3), AT(transport[0].kind, 5), AT(transport[1].kind, 5)}},
    {"adaptive", {AT(ecmp, SIM_ECMP_ADAPTIVE)}},
    {"flowlet", {AT(ecmp, SIM_ECMP_FLOWLET)}},
    {"weighted",
     {AT(ecmp, SIM_ECMP_WEIGHTED), AT(mixed, 7), AT(shape, WORLD_EXPLICIT), AT(switches, 5), AT(extra_links, 4)}},
    {"marks-leaving", {AT(tier[0].marks_leaving, 1)}},
    {"uet", {AT(transport[0].kind, 11), AT(transport[1].kind, 11), AT(traffic[0].load_percent, 90)}},
    {"uet-trim",
     {AT(transport[0].kind, 11), AT(transport[1].kind, 11), AT(classes, 3), AT(tier[0].trims, 3),
      AT(tier[0].trim_losses, 1), AT(traffic[0].load_percent, 90)}},
    {"uet-rccc",
     {AT(transport[0].kind, 11), AT(transport[1].kind, 11), AT(transport[0].control, 1), AT(transport[1].control, 2),
      AT(transport[1].oversubscribed, 1), AT(transport[0].paths, 2), AT(classes, 3), AT(tier[0].trims, 3),
      AT(tier[0].trim_losses, 1), AT(traffic[0].load_percent, 90)}},
    {"uet-sleek",
     {AT(transport[0].kind, 11), AT(transport[1].kind, 11), AT(transport[0].sleek, 1), AT(transport[1].sleek, 1),
      AT(traffic[0].load_percent, 90)}},
    {"watchdog",
     {AT(lossless, 3), AT(tier[0].alpha_divisor, 128), AT(watchdog_detect_ps, 20000000),
      AT(watchdog_restore_ps, 10000000)}},
};

/* DCTCP flows of two classes over a small leaf-spine network, and bursts that overflow its buffers. */
static void golden_base(struct sim_world *w)
{
    sim_world_init(w);
    w->until_ps = WEIR_PS_PER_MS;
    w->shape = WORLD_LEAF_SPINE;
    w->hosts = 8;
    w->switches = w->spines = 2;
    w->host_bps = w->core_bps = 10000000000;
    w->mss_bytes = 1460;
    w->gap_bytes = 20;
    w->classes = 2;
    w->transports = w->traffics = 2;
    w->tier[0].policy = 3;
    w->tier[0].cell_bytes = 200;
    w->tier[0].buffer_cells = 300;
    w->tier[0].scheduler = WEIR_SCHED_DRR;
    w->tier[0].marking = WEIR_MARK_STEP;
    w->tier[0].mark_low_cells = 50;
    w->tier[0].mark_high_cells = 150;
    w->transport[0].kind = w->transport[1].kind = 2;
    w->transport[1].data_class = 1;
    w->transport[0].min_rto_ps = w->transport[1].min_rto_ps = 200 * WEIR_PS_PER_US;
    w->traffic[0].kind = TRAFFIC_POISSON;
    w->traffic[0].until_ps = w->traffic[1].until_ps = WEIR_PS_PER_MS / 2;
    w->traffic[0].bytes = 30000;
    w->traffic[0].fan_out = 5;
    w->traffic[0].listed = 40;
    w->traffic[0].list = 11;
    w->traffic[0].on_ps = w->traffic[0].off_ps = 20 * WEIR_PS_PER_US;
    w->traffic[0].long_percent = 10;
    w->traffic[1].kind = TRAFFIC_INCAST;
    w->traffic[1].transport = 1;
    w->traffic[1].tag = 1;
    w->traffic[1].fan_out = 7;
    w->traffic[1].bytes = 200000;
    w->traffic[1].rounds = 2;
    w->traffic[1].interval_ps = 150 * WEIR_PS_PER_US;
}

struct golden_lines {
    char line[LINES_MAX][LINE_MAX_BYTES];
    uint64_t all[LINES_MAX]; /* sim_check_digest */
    uint32_t count;
    uint32_t threads;
    uint32_t ranks; /* 0: no others */
    bool late;      /* networks are made node by node */
};

/* The line of a scenario: its name, the digest, and what it came to. `oracle` null: the world's; `training` null: no
 * rows. */
static void golden_line(struct golden_lines *lines, const char *name, const struct sim_world *world,
                        const struct weir_oracle *oracle, const struct sim_training *training)
{
    assert_true(lines->count < LINES_MAX);
    char *line = lines->line[lines->count];
    static struct built_world built;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    uint64_t finished = 0, again = 0;
    if (!sim_world_build(&built, world, &error))
        fail_msg("%s: %s", name, ERROR_LINE(&error));
    if (oracle != NULL)
        built.config.tiers[0].mmu.oracle = oracle;
    built.config.training = training;
    built.config.threads = lines->threads;
    if (lines->late)
        built.config.whole_nodes = 0;
    struct ranks_run run = {.letters = 0};
    if (lines->ranks > 0) {
        ranks_run(&run, &built.config, lines->ranks);
        error = run.error[0];
    } else {
        run.sim[0] = sim_create(&built.config, &error);
    }
    struct sim *sim = run.sim[0];
    if (sim == NULL)
        fail_msg("%s: %s", name, ERROR_LINE(&error));
    if ((lines->ranks > 0 ? run.status[0] : sim_run(sim, NULL, NULL)) != SIM_DONE)
        fail_msg("%s: %s", name, sim_error(sim)->text);
    const struct records *records = sim_records(sim);
    for (uint32_t i = 0; i < records->count; i++) {
        finished += records->at[i].finish_ps != WEIR_NEVER;
        again += records->at[i].again;
    }
    snprintf(line, LINE_MAX_BYTES,
             "%-24s %016" PRIx64 " flows %" PRIu32 " finished %" PRIu64 " again %" PRIu64 " packets %" PRIu64
             " hops %" PRIu64,
             name, sim_digest(sim), records->count, finished, again, sim_measure(sim)->made,
             sim_totals(sim).packet_hops);
    lines->all[lines->count++] = sim_check_digest(sim);
    ranks_run_free(&run);
    sim_world_release(&built);
}

static void golden_add(struct golden_lines *lines, const char *kind, const char *name, const struct sim_world *world)
{
    char title[64];
    snprintf(title, sizeof title, "%s%s%s", kind, kind[0] != '\0' ? "-" : "", name);
    golden_line(lines, title, world, NULL, NULL);
}

static void golden_policies(struct golden_lines *lines)
{
    struct sim_world world;
    for (uint32_t i = 0; i < weir_policy_count; i++) {
        golden_base(&world);
        world.tier[0].policy = i;
        if ((weir_policies[i]->needs & WEIR_NEED_INGRESS) == 0)
            golden_add(lines, "policy", weir_policies[i]->name, &world);
    }
}

static void golden_transports(struct golden_lines *lines)
{
    struct sim_world world;
    for (uint32_t i = 0; transport_table[i] != NULL; i++) {
        golden_base(&world);
        world.transport[0].kind = world.transport[1].kind = i;
        world.transport[0].poisson = 1;
        world.transport[1].exponential_sizes = 1;
        golden_add(lines, "transport", transport_table[i]->name, &world);
    }
}

static void golden_traffic(struct golden_lines *lines)
{
    struct sim_world world;
    for (uint32_t i = 0; i < TRAFFIC_COUNT; i++) {
        if (i == TRAFFIC_MESSAGES) /* it makes nothing by itself */
            continue;
        golden_base(&world);
        world.traffics = 1;
        world.traffic[0].kind = i;
        if (i == TRAFFIC_PACKETS)
            world.transport[0].kind = 3;
        golden_add(lines, "traffic", traffic_kind_names[i], &world);
    }
}

static void golden_variants(struct golden_lines *lines)
{
    struct sim_world world;
    for (uint32_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        golden_base(&world);
        for (const struct golden_change *c = variants[i].changes; c->offset != 0; c++)
            *world_at(&world, c->offset) = c->value;
        golden_add(lines, "", variants[i].name, &world);
    }
}

static void golden_path(char path[1024], const char *file)
{
    const char *root = getenv("WEIR_ROOT");
    snprintf(path, 1024, "%s/tests/golden/%s", root != NULL ? root : ".", file);
}

static bool learn_row(void *context, uint32_t sw, uint32_t memory, const struct weir_training_row *row)
{
    (void)sw;
    (void)memory;
    return forest_online_take(context, row->feature, row->lost);
}

/* Credence with a forest that learns from the rows of all switches while it is asked by them. */
static void golden_online(struct golden_lines *lines, const struct sim_world *world)
{
    static const struct forest_online_settings settings = {.every = 500, .rows = 2000, .trees = 4, .depth = 4};
    struct forest_online online;
    forest_online_init(&online, &settings, 1, NULL);
    const struct sim_training training = {.take = learn_row, .context = &online, .average_ps = 24 * WEIR_PS_PER_US};
    golden_line(lines, "credence-online", world, &online.base, &training);
    assert_true(online.forests > 10);
    forest_online_free(&online);
}

/* Credence with a forest that learnt from the rows of policy-lqd, and with the same forest made wrong. */
static void golden_forest(struct golden_lines *lines)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct weir_flip_oracle wrong;
    struct sim_world world;
    char path[1024];
    golden_path(path, "credence.forest");
    struct forest *forest = forest_open(path, &error);
    if (forest == NULL)
        fail_msg("%s; set WEIR_ROOT to the root of the project", ERROR_LINE(&error));
    weir_flip_oracle_init(&wrong, &forest->base, WEIR_Q16_ONE / 10, 1);
    golden_base(&world);
    while (strcmp(weir_policies[world.tier[0].policy]->name, "credence") != 0)
        world.tier[0].policy++;
    golden_line(lines, "credence-forest", &world, &forest->base, NULL);
    golden_line(lines, "credence-flips", &world, &wrong.base, NULL);
    forest_free(forest);
    /* Left out where the network is divided: all switches ask and teach this one forest, whose answers depend on who
     * comes first, so that it belongs to one thread (lib/forest/online.h), and ranks refuse it. Scenarios have a forest
     * for each switch instead: rows__are_those_of_one_thread. */
    if (lines->threads <= 1 && lines->ranks == 0)
        golden_online(lines, &world);
}

static void golden_write(const struct golden_lines *lines)
{
    char path[1024];
    golden_path(path, "sim.txt");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (uint32_t i = 0; i < lines->count; i++)
        fprintf(file, "%s\n", lines->line[i]);
    assert_int_equal(fclose(file), 0);
    print_message("%s: %u lines written\n", path, lines->count);
}

static void golden_compare(const struct golden_lines *lines)
{
    char path[1024], line[LINE_MAX_BYTES];
    uint32_t count = 0, different = 0;
    golden_path(path, "sim.txt");
    FILE *file = fopen(path, "r");
    if (file == NULL)
        fail_msg("%s cannot be read; set WEIR_ROOT to the root of the project", path);
    for (; fgets(line, sizeof line, file) != NULL; count++) {
        line[strcspn(line, "\n")] = '\0';
        bool same = count < lines->count && strcmp(line, lines->line[count]) == 0;
        different += !same;
        if (!same)
            print_message("expected %s\n  result %s\n", line, count < lines->count ? lines->line[count] : "(none)");
    }
    fclose(file);
    assert_int_equal(count, lines->count);
    assert_int_equal(different, 0);
}

static void golden_make(struct golden_lines *lines, uint32_t threads, uint32_t ranks, bool late)
{
    *lines = (struct golden_lines){.threads = threads, .ranks = ranks, .late = late};
    golden_policies(lines);
    golden_transports(lines);
    golden_traffic(lines);
    golden_variants(lines);
    golden_forest(lines);
}

static struct golden_lines by_one;

static void sim__results_are_those_of_the_file(void **state)
{
    (void)state;
    golden_make(&by_one, 1, 0, false);
    if (getenv("WEIR_GOLDEN_WRITE") != NULL)
        golden_write(&by_one);
    else
        golden_compare(&by_one);
}

/* How many lines differ. */
static uint32_t golden_differ(uint32_t threads, uint32_t ranks, bool late)
{
    static struct golden_lines lines;
    uint32_t different = 0;
    golden_make(&lines, threads, ranks, late);
    assert_true(lines.count > 80);
    for (uint32_t i = 0; i < lines.count; i++) {
        bool same = strcmp(lines.line[i], by_one.line[i]) == 0 && lines.all[i] == by_one.all[i];
        different += !same;
        if (!same)
            print_message("%u threads, %u ranks:\nexpected %s %016" PRIx64 "\n  result %s %016" PRIx64 "\n", threads,
                          ranks, by_one.line[i], by_one.all[i], lines.line[i], lines.all[i]);
    }
    return different;
}

static void sim__results_are_those_of_one_thread(void **state)
{
    (void)state;
    for (uint32_t threads = 2; threads <= 4; threads++)
        assert_int_equal(golden_differ(threads, 0, false), 0);
}

static void sim__results_are_those_of_one_rank(void **state)
{
    (void)state;
    assert_int_equal(golden_differ(1, 1, false), 0);
    assert_int_equal(golden_differ(1, 2, false), 0);
    assert_int_equal(golden_differ(1, 4, false), 0);
    assert_int_equal(golden_differ(2, 3, false), 0);
}

/* A node that is made when something first comes to it is the one that was there from the start. */
static void sim__results_are_those_of_nodes_made_late(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads++)
        assert_int_equal(golden_differ(threads, 0, true), 0);
    assert_int_equal(golden_differ(1, 2, true), 0);
    assert_int_equal(golden_differ(2, 2, true), 0);
}

/* A forest for each switch, which learns from its rows, and the rows of all. */
struct taught {
    struct forest_online online[8];
    const struct weir_oracle *oracle[8];
    const struct weir_oracle *const *by_switch[8];
    struct digest digest;
    uint64_t rows;
};

static bool teach_row(void *context, uint32_t sw, uint32_t memory, const struct weir_training_row *row)
{
    struct taught *taught = context;
    (void)memory;
    return forest_online_take(&taught->online[sw], row->feature, row->lost);
}

static bool take_row(void *context, uint32_t sw, uint32_t memory, const struct weir_training_row *row)
{
    struct taught *taught = context;
    taught->rows++;
    digest_u64(&taught->digest, sw);
    digest_u64(&taught->digest, memory);
    digest_u64(&taught->digest, row->index);
    digest_u64(&taught->digest, row->lost);
    for (uint32_t i = 0; i < WEIR_FEATURE_COUNT; i++)
        digest_u64(&taught->digest, (uint64_t)row->feature[i]);
    return true;
}

/* The digest of the run, of its rows in their order, and of what was learnt. */
static uint64_t taught_digest(const struct sim_world *world, uint32_t threads)
{
    static const struct forest_online_settings settings = {.every = 200, .rows = 1000, .trees = 4, .depth = 4};
    static struct built_world built;
    static struct taught taught;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    assert_true(sim_world_build(&built, world, &error));
    uint32_t switches = built.config.topology->switches;
    assert_in_range(switches, 2, 8);
    digest_init(&taught.digest);
    taught.rows = 0;
    for (uint32_t sw = 0; sw < switches; sw++) {
        forest_online_init(&taught.online[sw], &settings, sw, NULL);
        taught.oracle[sw] = &taught.online[sw].base;
        taught.by_switch[sw] = &taught.oracle[sw];
    }
    const struct sim_training training = {
        .take = take_row, .teach = teach_row, .context = &taught, .average_ps = 24 * WEIR_PS_PER_US};
    built.config.training = &training;
    built.config.oracles = taught.by_switch;
    built.config.threads = threads;
    struct sim *sim = sim_create(&built.config, &error);
    assert_non_null(sim);
    assert_int_equal(sim_run(sim, NULL, NULL), SIM_DONE);
    digest_u64(&taught.digest, sim_check_digest(sim));
    uint64_t forests = 0;
    for (uint32_t sw = 0; sw < switches; sw++) {
        forests += taught.online[sw].forests;
        digest_u64(&taught.digest, taught.online[sw].taken);
        forest_online_free(&taught.online[sw]);
    }
    assert_true(taught.rows > 1000 && forests > 5);
    digest_u64(&taught.digest, forests);
    sim_free(sim);
    sim_world_release(&built);
    return digest_value(&taught.digest);
}

static void rows__are_those_of_one_thread(void **state)
{
    struct sim_world world;
    (void)state;
    golden_base(&world);
    while (strcmp(weir_policies[world.tier[0].policy]->name, "credence") != 0)
        world.tier[0].policy++;
    uint64_t expected = taught_digest(&world, 1);
    for (uint32_t threads = 2; threads <= 4; threads++)
        assert_int_equal(taught_digest(&world, threads), expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sim__results_are_those_of_the_file), cmocka_unit_test(sim__results_are_those_of_one_thread),
        cmocka_unit_test(sim__results_are_those_of_one_rank),
        cmocka_unit_test(sim__results_are_those_of_nodes_made_late), cmocka_unit_test(rows__are_those_of_one_thread)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
