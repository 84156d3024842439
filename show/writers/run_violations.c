/*
 * run_violations.c - see run_violations.h.
 */
#include "show/writers/run_violations.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/output.h"

#define RUNS_NAMED 20u

static const struct measure_deadlock *deadlock_of(const struct run_result *result)
{
    return &sim_measure(result->sim)->deadlock;
}

const char *run_loss_term(const struct pfc_loss *loss)
{
    if (loss->term == PFC_NOT_OBEYED)
        return "none: it was sent after its sender should have stopped";
    return weir_headroom_term_name((enum weir_headroom_term)loss->term);
}

const char *run_cycle_text(const struct run_result *result, char text[RUN_CYCLE_MAX])
{
    const struct measure_deadlock *deadlock = deadlock_of(result);
    uint32_t named = deadlock->length < MEASURE_CYCLE_MAX ? deadlock->length : MEASURE_CYCLE_MAX;
    size_t used = 0;
    for (uint32_t i = 0; i <= named; i++) {
        char name[16];
        scenario_node_name(&result->scenario->topology, deadlock->node[i < named ? i : 0], name);
        if (i == named && named < deadlock->length)
            snprintf(name, sizeof name, "...");
        int length = snprintf(text + used, RUN_CYCLE_MAX - used, "%s%s", i > 0 ? " -> " : "", name);
        if (length < 0 || used + (size_t)length + sizeof " -> ..." + sizeof name > RUN_CYCLE_MAX) {
            snprintf(text + used, RUN_CYCLE_MAX - used, " -> ...");
            return text;
        }
        used += (size_t)length;
    }
    return text;
}

static void report_times(const struct pfc_loss *loss)
{
    char since[32], sent[32];
    if (loss->decided_ps == WEIR_NEVER) {
        cli_error(CLI_VIOLATION, "  its class was not paused");
        return;
    }
    if (loss->sent_ps == WEIR_NEVER)
        snprintf(sent, sizeof sent, "had not left");
    else
        snprintf(sent, sizeof sent, "left at %s", output_time((double)loss->sent_ps, (char[32]){""}));
    cli_error(CLI_VIOLATION, "  its class was paused at %s, the PAUSE %s; the term of the headroom it is in: %s",
              output_time((double)loss->decided_ps, since), sent, run_loss_term(loss));
}

/* "waiting 1518B, ...": what each term needs on the link by which the packet came. */
static void report_terms(const struct run_result *result, const struct topology_link *link)
{
    const struct sim_wire *wire = &result->scenario->config.wire;
    const struct weir_headroom_link shape = {link->rate_bps, link->delay_ps, wire->mss_bytes + wire->header_bytes, 0,
                                             0};
    int64_t bytes[WEIR_HEADROOM_COUNT];
    char text[512];
    size_t used = 0;
    weir_headroom_terms(&shape, bytes);
    bytes[WEIR_HEADROOM_PROCESSING] = sim_pfc_processing_bytes(&result->scenario->config.pfc, link->rate_bps);
    for (uint32_t term = 0; term < WEIR_HEADROOM_SLOWER && used < sizeof text; term++) {
        char size[32];
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %s", term > 0 ? ", " : "",
                                 weir_headroom_term_name((enum weir_headroom_term)term),
                                 output_size((double)bytes[term], size));
    }
    cli_error(CLI_VIOLATION, "  the terms of its link at most: %s", text);
}

static void report_loss(const struct run_result *result)
{
    const struct pfc_loss *loss = &result->pfc.first;
    const struct topology *topology = &result->scenario->topology;
    /* The link of a switch's port: ports are numbered as the links are listed. */
    uint32_t port = loss->input;
    uint32_t node = topology->hosts + loss->sw;
    const struct topology_link *link = topology->links;
    while ((link->a != node && link->b != node) || port-- > 0)
        link++;
    int64_t cell = sim_config_tier(&result->scenario->config, topology->tier[loss->sw])->mmu.cell_bytes;
    char when[32], at[16], from[16], used[32], size[32], pool[32], reserved[32];
    scenario_node_name(topology, topology->hosts + loss->sw, at);
    scenario_node_name(topology, link->a == topology->hosts + loss->sw ? link->b : link->a, from);
    cli_error(CLI_VIOLATION,
              "%s: %" PRIu64 " packets of lossless classes were lost, the first at %s at %s from %s, class %u, %u B "
              "(expected none; `pfc: {loss: expected}` if the run is about it)",
              result->scenario->origin, result->pfc.lost, output_time((double)loss->when, when), at, from, loss->tc,
              loss->bytes);
    cli_error(
        CLI_VIOLATION, "  headroom in use: %s by its queue, of %s; %s in the headroom pool, of %s",
        output_size((double)(loss->headroom_cells * cell), used), output_size((double)(loss->queue_limit * cell), size),
        output_size((double)(loss->pool_cells * cell), pool), output_size((double)(loss->pool_limit * cell), reserved));
    report_times(loss);
    report_terms(result, link);
}

int run_violations_report(const struct run_result *result)
{
    if (run_loss_violates(result))
        report_loss(result);
    if (run_deadlock_violates(result)) {
        const struct measure_deadlock *deadlock = deadlock_of(result);
        char onset[32], found[32], text[RUN_CYCLE_MAX];
        cli_error(
            CLI_VIOLATION,
            "%s: deadlock from %s on, found at %s: %s, class %u (expected none; `pfc: {deadlock: expected}` if the "
            "run is about it)",
            result->scenario->origin, output_time((double)deadlock->onset_ps, onset),
            output_time((double)deadlock->found_ps, found), run_cycle_text(result, text), deadlock->tc);
    }
    return run_violations_count(result) > 0 ? CLI_VIOLATION : CLI_OK;
}

int run_violations_report_sweep(const struct table *table)
{
    uint32_t count = violations_count(table), named = 0;
    char text[VIOLATION_TEXT_MAX];
    for (uint32_t run = violations_next(table, 0); run != UINT32_MAX && named < RUNS_NAMED; named++) {
        cli_error(CLI_VIOLATION, "%s: %s (--only %s says more)", table->path, violation_text(table, run, text),
                  table->runs[run].id);
        run = violations_next(table, run + 1);
    }
    if (count > RUNS_NAMED)
        cli_error(CLI_VIOLATION, "%s: and %u more runs", table->path, count - RUNS_NAMED);
    if (count > 0)
        cli_error(CLI_VIOLATION, "%s: %u of %u runs lost packets of lossless classes or found a deadlock unexpectedly",
                  table->path, count, table->finished);
    return count > 0 ? CLI_VIOLATION : CLI_OK;
}

int run_violations_print(const struct table *table)
{
    uint32_t count = violations_count(table), named = 0;
    char text[VIOLATION_TEXT_MAX];
    if (count == 0)
        return CLI_OK;
    cli_print("VIOLATED: %u of %u runs lost packets of lossless classes or found a deadlock unexpectedly", count,
              table->finished);
    for (uint32_t run = violations_next(table, 0); run != UINT32_MAX && named < RUNS_NAMED; named++) {
        cli_print("  %s (run %s)", violation_text(table, run, text), table->runs[run].id);
        run = violations_next(table, run + 1);
    }
    if (count > RUNS_NAMED)
        printf("  and %u more\n", count - RUNS_NAMED);
    putchar('\n');
    return CLI_VIOLATION;
}
