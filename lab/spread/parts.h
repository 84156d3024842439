/*
 * parts.h - a sweep in parts that are made elsewhere, by as many processes on as many machines as there are.
 *
 * The folder NAME.db.runs beside the database is all that they share: the list of runs that were handed out, and a
 * parcel (parcel.h) for each run that is made. Parts never open the database, which is for one machine; files appear
 * whole, by renaming, on every file system. Whoever writes to the database next takes the parcels in. So a part may be
 * killed at any moment, started twice or never, and nothing is lost or wrong: what is not there is handed out again.
 */
#ifndef LAB_SPREAD_PARTS_H
#define LAB_SPREAD_PARTS_H

#include "lab/spread/spread.h"

#define SPREAD_SLURM_MAX 1000u /* jobs of an array, unless the options say otherwise */

/* "NAME.db.runs"; to be freed; null: out of memory. */
char *parts_folder(const struct plan *plan);

/* Writes down that these runs are to be made by parts. An exit code. */
int parts_hand_out(const struct plan *plan, const uint32_t *todo, uint32_t count);

/* Whether there is a parcel to take in. */
bool parts_have_come(const struct plan *plan);

/* Whether nobody makes more of what was handed out: the last round of Slurm has ended, or a job between two rounds has
 * failed. */
#define PARTS_OVER "over" /* the file that says so */
bool parts_are_over(const struct plan *plan);

/* All is done: list and marks are no longer needed, nor is a folder in which nothing is left. */
void parts_finish(const struct plan *plan);

/* Makes the part of the command line. An exit code. */
int spread_part(const struct plan *plan, const struct spread_choice *choice);

/* Reads --part K/N for the option table; the target is a struct spread_choice. */
int spread_read_part(void *target, const struct cli_option *option, const char *text);

/* Prints a script that makes `count` runs that were handed out as an array of jobs of Slurm. An exit code. */
int slurm_print(const struct plan *plan, const struct spread_choice *choice, uint32_t count);

#endif
