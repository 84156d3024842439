/*
 * mistakes.h - all mistakes of a scenario file, not only the first.
 */
#ifndef LAB_PLAN_MISTAKES_H
#define LAB_PLAN_MISTAKES_H

/* Prints them to standard error, a line each, or that there is none to standard output. An exit code. */
int plan_print_mistakes(const char *file);

#endif
