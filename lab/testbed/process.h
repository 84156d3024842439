/*
 * process.h - programs that the testbed runs: inside of a namespace, on some of the processors, with their
 * words in a file. No shell has a part in it.
 *
 * Each has its own process group, so that an interrupt from the terminal reaches only the process that decides
 * their fate.
 */
#ifndef TESTBED_PROCESS_H
#define TESTBED_PROCESS_H

#include <sched.h>

#include "lab/testbed/testbed.h"

/* What else runs on the machine must not be seen in the times of these, where that can be had: testbed_real_time. */
#define TESTBED_PRIORITY_WATCH 30
#define TESTBED_PRIORITY_SWITCH 20
#define TESTBED_PRIORITY_HOST 10

struct testbed_program_run {
    const char *const *argv; /* ends with null; argv[0] is looked for on the path unless it has a slash */
    const char *space;       /* the namespace; null: this one */
    const char *log;         /* a new file for what it says; null: discarded */
    const char *input;       /* a text that it reads; null: nothing */
    const cpu_set_t *cpus;   /* null: all that are allowed */
    bool stays;              /* goes on when this process ends; else it is killed then */
    int priority; /* among those that go before all others on their processors, higher first; 0: an ordinary one */
};

/* The new process; 0 and one line in `error` when it cannot be started. */
int testbed_start(const struct testbed_program_run *run, struct weir_error *error);

/* Both. */
bool testbed_run(const struct testbed_program_run *run, struct weir_error *error);

/* Waits until a line of its log begins with "ready". False: it ended, or took too long. */
bool testbed_await_ready(const struct testbed_program_run *run, int pid, struct weir_error *error);

/* Whether this process could do something, tried in another one, which ends at once. */
bool testbed_try(bool (*attempt)(void));

/* True when it has ended; then *status is as wait gives it. */
bool testbed_has_ended(int pid, int *status);

/* The last line of a log that is not empty, in at most TESTBED_MESSAGE_MAX bytes; false: there is none. */
bool testbed_last_words(const char *log, char line[TESTBED_MESSAGE_MAX]);

/* The first line of a log that has `text` in it; false: there is none. */
bool testbed_log_line(const char *log, const char *text, char line[TESTBED_MESSAGE_MAX]);

/* Processors that are allowed: the switch has the last one, hosts have the others; where there is only one, both. */
void testbed_processors(cpu_set_t *of_switch, cpu_set_t *of_hosts);

/* True when programs may have a priority; else, in a few words, why this machine has none to give. */
bool testbed_real_time(struct weir_error *why_not);

/* From here on this process goes before those that it watches over; what it starts does not. */
void testbed_watch_over(void);

/* Waits `ms` milliseconds. */
void testbed_pause(uint32_t ms);

#endif
