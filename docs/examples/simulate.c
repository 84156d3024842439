/*
 * simulate.c - an incast of eight hosts in a simulation of one's own: step by step, then what came out.
 *
 *   cc simulate.c $(pkg-config --cflags --libs weir-sim) -o simulate
 */
#include <stdio.h>

#include <weir/sim.h>

static const char scenario[] = "until: 8ms\n"
                               "topology: {kind: single, hosts: 9, rate: 10Gbps, delay: 5us}\n"
                               "switch: {buffer: 100KB, policy: {name: dt, alpha: 1}}\n"
                               "transports: {dctcp: {kind: dctcp, min_rto: 1ms}}\n"
                               "traffic:\n"
                               "- {kind: incast, tag: burst, transport: dctcp, sources: h1-h8, destination: h0, "
                               "bytes: 400KB}\n";

int main(int argc, char **argv)
{
    const char *const change = argc > 1 ? argv[1] : "switch.policy.alpha=2";
    struct weir_sim_source source = {.size = sizeof source, .text = scenario, .set = &change, .set_count = 1};
    struct weir_error error;
    char line[WEIR_ERROR_LINE_MAX];
    double qct, lost;
    struct weir_sim *sim = weir_sim_create(&source, &error);
    enum weir_sim_state state = sim != NULL ? WEIR_SIM_RUNNING : WEIR_SIM_FAILED;
    for (weir_ps until = 0; state == WEIR_SIM_RUNNING; until += 100 * WEIR_PS_PER_US)
        state = weir_sim_step(sim, until, &error);
    if (state == WEIR_SIM_FAILED || !weir_sim_measure(sim, "burst.qct.max", &qct, &error) ||
        !weir_sim_measure(sim, "lost.total", &lost, &error)) {
        fprintf(stderr, "%s\n", weir_error_line(&error, line));
        weir_sim_free(sim);
        return 1;
    }
    printf("the burst took %.0f us, %.0f packets were lost, digest %016llx\n", qct * 1e6, lost,
           (unsigned long long)weir_sim_digest(sim));
    weir_sim_free(sim);
    return 0;
}
