/*
 * sim_judge.c - see sim_judge.h. The verdict comes from the judge's process through a pipe.
 */
#include "sim_judge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim_shrink.h"

#define SECONDS_MAX 1200u /* of one world */
#define SHRINK_TRIES 600u

bool verdict_set(struct verdict *v, const char *fault)
{
    snprintf(v->fault, sizeof v->fault, "%s", fault != NULL ? fault : "");
    return fault == NULL;
}

/* A crash is for the parent to see, not for cmocka to catch in the child. */
static void die_of_faults(void)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (uint32_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        signal(faults[i], SIG_DFL);
    alarm(SECONDS_MAX);
}

void sim_judge_apart(struct verdict *v, sim_judge *judge, const struct sim_world *world)
{
    int ends[2], status = 0;
    *v = (struct verdict){.fault = ""};
    if (pipe(ends) != 0)
        fail_msg("no pipe");
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        die_of_faults();
        judge(v, world);
        exit(write(ends[1], v, sizeof *v) == (ssize_t)sizeof *v ? 0 : 1);
    }
    close(ends[1]);
    bool told = read(ends[0], v, sizeof *v) == (ssize_t)sizeof *v;
    close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) != child)
        fail_msg("no process");
    if (told && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return;
    *v = (struct verdict){.message = "its process says why above"};
    bool signalled = WIFSIGNALED(status);
    snprintf(v->fault, sizeof v->fault, "a run %s %d", signalled ? "is not killed by signal" : "does not exit with",
             signalled ? WTERMSIG(status) : WEXITSTATUS(status));
}

struct trial {
    sim_judge *judge;
    struct verdict *verdict;
};

static const char *breaks(void *context, const struct sim_world *world)
{
    struct trial *trial = context;
    const char *fault = trial->verdict->fault;
    sim_judge_apart(trial->verdict, trial->judge, world);
    return fault[0] != '\0' && strcmp(fault, VERDICT_REFUSED) != 0 ? fault : NULL;
}

bool sim_judge_seed(struct verdict *v, sim_judge *judge, sim_world_drawer *draw, uint64_t seed)
{
    struct sim_world world;
    struct trial trial = {judge, v};
    draw(&world, seed);
    const char *fault = breaks(&trial, &world);
    if (fault == NULL)
        return v->fault[0] == '\0';
    char name[sizeof v->fault];
    snprintf(name, sizeof name, "%s", fault);
    fprintf(stderr, "seed 0x%" PRIx64 " breaks: %s (%s)\n", seed, name, v->message);
    sim_world_print(stderr, &world);
    uint32_t tries = sim_shrink(&world, breaks, &trial, SHRINK_TRIES);
    breaks(&trial, &world);
    fprintf(stderr, "after %u tries: %s (%s)\n", tries, v->fault, v->message);
    sim_world_print(stderr, &world);
    fail_msg("broken: %s. Replay with WEIR_SEED=0x%" PRIx64, name, seed);
    return false;
}

uint32_t sim_judge_rounds(uint32_t usual)
{
    const char *text = getenv("WEIR_TEST_ROUNDS");
    return text != NULL ? usual * (uint32_t)strtoul(text, NULL, 10) : usual;
}
