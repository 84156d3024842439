/*
 * mistakes.h - all mistakes of a scenario file, not only the first.
 */
#ifndef EXPERIMENT_MISTAKES_H
#define EXPERIMENT_MISTAKES_H

/* Prints them to standard error, a line each, or that there is none to standard output. An exit code. */
int mistakes_print(const char *file);

#endif
