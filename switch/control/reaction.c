/*
 * reaction.c - see reaction.h. A second sees what happens often; what is rarer, the running switch reports
 * (dataplane_status.away_ps_max), and the doubled figure is the margin until then.
 */
#define _GNU_SOURCE 1
#include "switch/control/reaction.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "cli/clock.h"
#include "switch/dpdk/dataplane.h"

#define MEASURED_S 1.0
#define MARGIN 2
#define SLEEP_NS 50000 /* as in switch/dpdk/lcores.c */

struct probe {
    pthread_t thread;
    uint32_t cpu;
    bool sleeps;
    double longest_s;
};

static void *probe_run(void *argument)
{
    struct probe *probe = argument;
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(probe->cpu, &own);
    pthread_setaffinity_np(pthread_self(), sizeof own, &own); /* one that does not exist is refused at the start */
    double begin_s = clock_seconds(), last_s = begin_s;
    while (last_s - begin_s < MEASURED_S) {
        if (probe->sleeps)
            nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, NULL);
        double now_s = clock_seconds();
        if (now_s - last_s > probe->longest_s)
            probe->longest_s = now_s - last_s;
        last_s = now_s;
    }
    return NULL;
}

weir_ps switch_reaction_measure(const struct dataplane_config *config)
{
    static struct probe probe[DATAPLANE_LCORES_MAX];
    uint32_t cpus[DATAPLANE_LCORES_MAX], count = dataplane_cpus(config, cpus), made = 0;
    double longest_s = 0;
    for (; made < count; made++) {
        probe[made] = (struct probe){.cpu = cpus[made], .sleeps = config->sleeps};
        if (pthread_create(&probe[made].thread, NULL, probe_run, &probe[made]) != 0)
            break;
    }
    for (uint32_t i = 0; i < made; i++) {
        pthread_join(probe[i].thread, NULL);
        if (probe[i].longest_s > longest_s)
            longest_s = probe[i].longest_s;
    }
    return made < count ? -1 : MARGIN * ((weir_ps)(longest_s * 1e6) + 1) * WEIR_PS_PER_US;
}
