/*
 * clock.h - how long something takes on this machine: the only clock of the command. No result depends on it; it serves
 * time limits, progress lines and the cost of runs.
 */
#ifndef CLI_CLOCK_H
#define CLI_CLOCK_H

/* Seconds since some moment; never goes back. */
double clock_seconds(void);

#endif
