/*
 * cmd_testbed.h - what the parts of `weir testbed` share: the command line.
 */
#ifndef WEIR_CMD_TESTBED_H
#define WEIR_CMD_TESTBED_H

#include "experiment/run.h"
#include "testbed/testbed.h"
#include "testbed/work.h"

struct bed_choice {
    struct run_choice run; /* as of `weir run`, as far as it goes */
    struct run_testbed testbed;
    char scale[48]; /* a --set */
    bool all, json;
};

/* Each reads its own options; `stop`: there is nothing more to do, return the code. */
int bed_choice_up(struct bed_choice *choice, int argc, char **argv, bool *stop);
int bed_choice_run(struct bed_choice *choice, int argc, char **argv, bool *stop);
int bed_choice_down(struct bed_choice *choice, int argc, char **argv, bool *stop);
int bed_choice_status(struct bed_choice *choice, int argc, char **argv, bool *stop);

#endif
