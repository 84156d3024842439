/*
 * slot_choice.h - what the command line of `weir slot run` asks for, checked as a whole before anything runs.
 */
#ifndef WEIR_SLOT_CHOICE_H
#define WEIR_SLOT_CHOICE_H

#include "slot/traffic.h"
#include "slot_comparison.h"
#include "weir/types.h"

#define SLOT_CHOICE_POLICIES_MAX (SLOT_COMPARISON_ROWS_MAX - 1) /* the optimum has a row too */

struct slot_choice {
    const char *policy[SLOT_CHOICE_POLICIES_MAX]; /* as typed; each can be parsed */
    uint32_t policies;
    uint64_t ports, buffer, slots, seed, burst, rate, width;
    bool width_given, in_turn, optimum, json;
    int64_t load;    /* Q16.16 */
    double interval; /* slots; 0: B / N */
    weir_q16 flip;
    const char *traffic;                    /* its name */
    const struct slot_generator *generator; /* null: from the file `arrivals` */
    const char *arrivals, *save, *trace, *rows, *csv;
};

/* Reads and checks the command line. An exit code; *stop with CLI_OK: the help was printed. */
int slot_choice_read(struct slot_choice *choice, int argc, char **argv, bool *stop);

#endif
