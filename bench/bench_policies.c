/*
 * bench_policies.c - what a policy costs: nanoseconds per arrive + depart, beside complete sharing in the same run.
 *
 * The load is the same for all: packets of mixed sizes to uniformly random accounts and departures from uniformly
 * random ports, so that the buffer is full most of the time and every policy has decisions to make. Under the light
 * load each packet departs at once. The memory reads twice as fast as the ports send, so that Occamy expels.
 * Contenders are interleaved round by round and the median of the rounds is reported, in time of the processor, because
 * machines are noisy; what counts are the ratios within one run. Each row also says how the cost grows from 64 accounts
 * to 4096. Credence asks a forest of 4 trees of depth 4, which learnt that packets are lost when their queue and the
 * buffer are long.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/forest/train.h"
#include "weir/mmu.h"
#include "weir/oracle.h"
#include "weir/random.h"

#define ROUNDS 9
#define STEPS 200000u
#define DRAWS 65536u /* prepared random choices, reused cyclically */
#define FLOWS 16384u /* of them, in turn */
#define CELL_BYTES 208
#define CELLS_PER_ACCOUNT 40
#define POLICIES_MAX 32
#define TRAINING_ROWS 20000u

struct shape {
    const char *name;
    uint32_t ports, classes;
    bool light;
};

static const struct shape shapes[] = {
    {"8x8", 8, 8, false}, {"32x8", 32, 8, false}, {"32x8 light", 32, 8, true}, {"512x8", 512, 8, false}};
#define SHAPES (sizeof shapes / sizeof shapes[0])

/* Those of the egress side: headroom schemes are measured in the simulator. */
static const struct weir_policy *policies[POLICIES_MAX];
static uint32_t policy_count;

struct contender {
    const struct weir_policy *policy;
    void *memory;
    struct weir_mmu *mmu;
    weir_ps now;
    uint32_t draw;
    double ns[ROUNDS];
    double median_ns;
};

struct load {
    struct weir_packet packet[DRAWS];
    uint32_t port[DRAWS];
    struct weir_flow flow[FLOWS];
    weir_ps step_ps;
};

static double bench_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void contender_step(struct contender *c, const struct load *load)
{
    uint32_t draw = c->draw++ % DRAWS;
    c->now += load->step_ps;
    weir_mmu_arrive(c->mmu, &load->packet[draw], c->now);
    if (c->policy->needs & WEIR_NEED_EXPEL)
        weir_mmu_offer_expel(c->mmu, c->now);
    weir_mmu_depart(c->mmu, (weir_port){load->port[draw]}, c->now);
}

static bool contender_start(struct contender *c, const struct weir_policy *policy, const struct shape *shape,
                            const struct weir_oracle *oracle)
{
    struct weir_mmu_config config;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    uint32_t accounts = shape->ports * shape->classes;
    weir_mmu_config_init(&config, shape->ports, shape->classes, (weir_cells)accounts * CELLS_PER_ACCOUNT);
    config.cell_bytes = CELL_BYTES;
    config.packets_max = accounts * CELLS_PER_ACCOUNT;
    config.egress = policy;
    config.gives = WEIR_GIVES_FLOWS;
    config.oracle = oracle;
    config.scheduler.kind = WEIR_SCHED_DRR;
    config.memory_bps = 2 * shape->ports * config.rate_bps;
    if (!weir_mmu_config_check(&config, &error)) {
        fprintf(stderr, "bench: %s: %s\n", policy->name, error.text);
        return false;
    }
    *c = (struct contender){.policy = policy, .memory = aligned_alloc(64, weir_mmu_size(&config))};
    if (c->memory)
        c->mmu = weir_mmu_init(c->memory, &config);
    return c->memory != NULL;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Null: out of memory. */
static struct forest *forest_for(const struct shape *shape)
{
    struct weir_random random = weir_random_stream(1, "rows");
    struct forest_settings settings;
    struct forest_rows rows = {0};
    struct weir_error error = {0};
    uint32_t queue_bytes = 4 * CELLS_PER_ACCOUNT * CELL_BYTES;
    uint32_t buffer_bytes = shape->ports * shape->classes * CELLS_PER_ACCOUNT * CELL_BYTES;
    forest_settings_init(&settings);
    bool whole = true;
    for (uint32_t i = 0; whole && i < TRAINING_ROWS; i++) {
        const int64_t feature[WEIR_FEATURE_COUNT] = {
            [WEIR_FEATURE_QUEUE] = weir_random_below(&random, queue_bytes),
            [WEIR_FEATURE_QUEUE_AVERAGE] = weir_random_below(&random, queue_bytes),
            [WEIR_FEATURE_BUFFER] = weir_random_below(&random, buffer_bytes),
            [WEIR_FEATURE_BUFFER_AVERAGE] = weir_random_below(&random, buffer_bytes)};
        bool lost =
            feature[WEIR_FEATURE_QUEUE] > queue_bytes / 2 && feature[WEIR_FEATURE_BUFFER] > buffer_bytes / 10 * 9;
        whole = forest_rows_add(&rows, feature, lost != (weir_random_below(&random, 20) == 0), &error);
    }
    struct forest *forest = whole ? forest_train(&rows, &settings, NULL, NULL, &error) : NULL;
    forest_rows_free(&rows);
    return forest;
}

/* Runs every policy at one shape; false when memory is short. */
static bool shape_run(const struct shape *shape, struct contender *contenders, struct load *load)
{
    struct forest *forest = forest_for(shape);
    if (!forest)
        return false;
    struct weir_random random = weir_random_stream(1, shape->name);
    for (uint32_t i = 0; i < DRAWS; i++) {
        load->packet[i] = (struct weir_packet){
            .output = {weir_random_below(&random, shape->ports)},
            .tc = {weir_random_below(&random, shape->classes)},
            .bytes = 64 + weir_random_below(&random, 1437),
            .flow = &load->flow[i % FLOWS],
        };
        load->flow[i % FLOWS] = (struct weir_flow){.hash = weir_hash(1, i % FLOWS), .bytes = WEIR_FLOW_UNKNOWN};
        load->port[i] = shape->light ? load->packet[i].output.i : weir_random_below(&random, shape->ports);
    }
    /* One packet time of 780 B at 10 Gb/s for the whole switch: arrivals and departures at line rate. */
    load->step_ps = 624 * WEIR_PS_PER_NS / shape->ports;
    for (uint32_t i = 0; i < policy_count; i++) {
        if (!contender_start(&contenders[i], policies[i], shape, &forest->base))
            return false;
        for (uint32_t warm = 0; warm < 4 * STEPS; warm++)
            contender_step(&contenders[i], load);
    }
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < policy_count; i++) {
            double start = bench_seconds();
            for (uint32_t step = 0; step < STEPS; step++)
                contender_step(&contenders[i], load);
            contenders[i].ns[round] = (bench_seconds() - start) * 1e9 / STEPS;
        }
    }
    for (uint32_t i = 0; i < policy_count; i++) {
        qsort(contenders[i].ns, ROUNDS, sizeof(double), compare_doubles);
        contenders[i].median_ns = contenders[i].ns[ROUNDS / 2];
        free(contenders[i].memory);
    }
    forest_free(forest);
    return true;
}

static bool table_write(const char *path, struct contender results[SHAPES][POLICIES_MAX])
{
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    fputs("[", file);
    for (size_t s = 0; s < SHAPES; s++)
        for (uint32_t i = 0; i < policy_count; i++)
            fprintf(file,
                    "%s\n  {\"name\": \"arrive+depart %s %s\", \"value\": %.2f, \"unit\": \"ns\", "
                    "\"compared_with\": \"arrive+depart cs %s\", \"ratio\": %.3f}",
                    s + i ? "," : "", policies[i]->name, shapes[s].name, results[s][i].median_ns, shapes[s].name,
                    results[s][i].median_ns / results[s][0].median_ns);
    for (uint32_t i = 0; i < policy_count; i++)
        fprintf(file,
                ",\n  {\"name\": \"growth %s\", \"value\": %.2f, \"unit\": \"ns\", "
                "\"compared_with\": \"arrive+depart %s %s\", \"ratio\": %.3f}",
                policies[i]->name, results[SHAPES - 1][i].median_ns, policies[i]->name, shapes[0].name,
                results[SHAPES - 1][i].median_ns / results[0][i].median_ns);
    fputs("\n]\n", file);
    return fclose(file) == 0;
}

int main(int argc, char **argv)
{
    static struct contender results[SHAPES][POLICIES_MAX];
    static struct load load;
    for (uint32_t i = 0; i < weir_policy_count && policy_count < POLICIES_MAX; i++)
        if (!(weir_policies[i]->needs & WEIR_NEED_INGRESS))
            policies[policy_count++] = weir_policies[i];
    for (size_t s = 0; s < SHAPES; s++) {
        if (!shape_run(&shapes[s], results[s], &load)) {
            fprintf(stderr, "bench: out of memory\n");
            return 4;
        }
    }
    printf("%-12s", "ns/pair");
    for (size_t s = 0; s < SHAPES; s++)
        printf(" %10s %7s", shapes[s].name, "x cs");
    printf(" %10s\n", "64->4096");
    for (uint32_t i = 0; i < policy_count; i++) {
        printf("%-12s", policies[i]->name);
        for (size_t s = 0; s < SHAPES; s++)
            printf(" %10.1f %7.2f", results[s][i].median_ns, results[s][i].median_ns / results[s][0].median_ns);
        printf(" %10.2f\n", results[SHAPES - 1][i].median_ns / results[0][i].median_ns);
    }
    if (argc > 1 && !table_write(argv[1], results)) {
        fprintf(stderr, "bench: cannot write %s: %s\n", argv[1], strerror(errno));
        return 4;
    }
    return 0;
}
