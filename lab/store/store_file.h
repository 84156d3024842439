/*
 * store_file.h - what the files of the store share: the open file, its statements, and errors of SQLite as messages.
 */
#ifndef LAB_STORE_STORE_FILE_H
#define LAB_STORE_STORE_FILE_H

#include <sqlite3.h>

#include "lab/store/seal.h"
#include "lab/store/store.h"

#define STORE_APPLICATION 0x77656972 /* "weir", in SQLite's field for it */
#define STORE_LAYOUT 3               /* of the tables */
#define STORE_LAYOUT_WITHOUT_SEALS 2 /* these are read too, and brought up to date by a writer; others are refused */
#define STORE_LAYOUT_WITHOUT_CODE 1

/* Of a writer; prepared once. */
enum store_statement {
    STORE_BEGIN,
    STORE_COMMIT,
    STORE_FIND_RUN,
    STORE_FIND_DIGEST,
    STORE_PUT_EXPERIMENT,
    STORE_PUT_PLACE,
    STORE_PUT_LABEL,
    STORE_PUT_RUN,
    STORE_PUT_MEASURE,
    STORE_PUT_CURVE,
    STORE_PUT_COST,
    STORE_PUT_FAILURE,
    STORE_DROP_RUN,
    STORE_DROP_COST,
    STORE_DROP_MEASURES,
    STORE_DROP_CURVES,
    STORE_DROP_FAILURE,
    STORE_STATEMENTS
};

struct store {
    char *path; /* as typed */
    char *real; /* the same with symbolic links resolved: SQLite's other files are beside this one; null: not known */
    sqlite3 *db;
    int lock;     /* descriptor that holds the flock; -1 of a reader */
    bool writes;  /* opened to write */
    bool created; /* the file was not there before */
    sqlite3_stmt *statements[STORE_STATEMENTS];
    sqlite3_stmt *seals[SEAL_STATEMENTS]; /* prepared when first used */
};

/* Each returns false, for the caller to return. */
bool store_fail(struct weir_error *status, enum weir_error_code error, const char *path, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* What SQLite said last; an open transaction is rolled back. */
bool store_fail_sql(struct store *store, struct weir_error *status);

/* False: the file of a writer was removed, or another one has its name. */
bool store_is_in_place(const struct store *store);

/* True when neither a plan nor a run was ever stored. */
bool store_is_empty(struct store *store);

/* That of the tables now; the head of the file may be older than its WAL. -1: an error. */
int64_t store_layout(struct store *store);

/* False: the file defines something that no weir did, such as a view or a trigger. */
bool store_check_definitions(struct store *store, struct weir_error *status);

/* Creates the tables or brings them up to date, in the transaction that the caller has open. */
bool store_create_tables(struct store *store);
bool store_prepare(struct store *store);

#endif
