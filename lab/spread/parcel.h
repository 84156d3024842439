/*
 * parcel.h - a run that was made elsewhere, as bytes on their way to the process that stores it: a message of another
 * rank, or a file in the folder of results beside the database.
 *
 * A parcel says what it is: the id of the run and the code that made it, so that nothing is stored under a wrong name,
 * and a checksum.
 */
#ifndef LAB_SPREAD_PARCEL_H
#define LAB_SPREAD_PARCEL_H

#include "lab/plan/plan.h"
#include "lab/spread/pool.h"

struct parcel {
    char id[EXPERIMENT_ID_MAX];
    const char *code;      /* what made it (lab/store/code.h) */
    const char *version;   /* of the program that made it */
    struct pool_done done; /* what came out; `item` is not part of the parcel */
};

/* To be freed; null: out of memory. */
uint8_t *parcel_pack(const struct parcel *parcel, size_t *size);

/* What is in it points into the bytes, and is not to be freed. False: that is no parcel, or a damaged one. */
bool parcel_unpack(struct parcel *parcel, uint8_t *bytes, size_t size);

/* Whether the run gave a result. */
bool parcel_is_finished(const struct parcel *parcel);

/*
 * The folder of a database, "NAME.db.runs" (parts.h): parcels of runs that were made elsewhere, each a file called by
 * the id of its run. A parcel that has been stored becomes a mark, an empty file: whoever would make the run again,
 * since it was started again, sees that it is done.
 */

/* Writes a parcel; it appears whole. False after a message. */
bool parcel_save(const char *folder, const struct parcel *parcel);

enum parcel_file {
    PARCEL_GOOD,
    PARCEL_STORED,  /* there is a mark */
    PARCEL_MISSING, /* there is none, or it cannot be used */
    PARCEL_NO_MEMORY
};

/* The parcel of this run. *bytes holds it, to be freed either way. */
enum parcel_file parcel_load(const char *folder, const char *id, struct parcel *parcel, uint8_t **bytes);

void parcel_mark(const char *folder, const char *id); /* it has been stored */
bool parcel_is_marked(const char *folder, const char *id);
void parcel_unmark(const char *folder, const char *id); /* removes a mark, and nothing but that */
void parcel_remove(const char *folder, const char *id);

/* Renames it to ID.differs, for a person to look at. False after a message. */
bool parcel_set_aside(const char *folder, const char *id);

/* Whether a file of this name is a parcel. */
bool parcel_is_name(const char *name);

#endif
