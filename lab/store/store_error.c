/*
 * store_error.c - errors of SQLite and of the system as sentences that say what to do.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lab/store/store_file.h"

#define DAMAGED "is damaged (delete it and run the experiment again, or use a copy)"

bool store_fail(struct weir_error *error, enum weir_error_code code, const char *path, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    weir_fail_list(error, code, format, arguments);
    va_end(arguments);
    return weir_fail_at(error, path, 0, 0);
}

static bool system_is_full(int number)
{
    return number == ENOSPC || number == EDQUOT || number == EFBIG;
}

static bool fail_full(struct store *store, struct weir_error *status)
{
    return store_fail(status, WEIR_ERROR_WRITE, store->path,
                      "the disk is full (make room and start again: finished runs are kept)");
}

/* The file is there, but SQLite cannot open it or what belongs to it. */
static bool fail_open(struct store *store, struct weir_error *status)
{
    if (store->writes)
        return store_fail(status, WEIR_ERROR_WRITE, store->path,
                          "cannot be written: its folder must be writable too (choose another file)");
    return store_fail(status, WEIR_ERROR_INPUT, store->path,
                      "cannot be read: runs that an interrupted process left in %.100s-wal can only be read where the "
                      "folder is writable (copy both files to such a folder)",
                      store->real != NULL ? store->real : store->path);
}

/* SQLite keeps the system's error for some calls only; of the others the last one that failed is left in errno. */
static bool fail_io(struct store *store, int last, struct weir_error *status)
{
    int number = sqlite3_system_errno(store->db);
    if (system_is_full(number) || system_is_full(last))
        return fail_full(store, status);
    return store_fail(status, store->writes ? WEIR_ERROR_WRITE : WEIR_ERROR_INPUT, store->path,
                      "reading or writing it failed: %s (see whether the disk is in order, then start again)",
                      number != 0 ? strerror(number) : sqlite3_errmsg(store->db));
}

static bool fail_by_code(struct store *store, int code, struct weir_error *status)
{
    int last = errno;
    switch (code & 0xff) {
    case SQLITE_NOMEM:
        return weir_fail_memory(status);
    case SQLITE_FULL:
        return fail_full(store, status);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return store_fail(status, WEIR_ERROR_BUSY, store->path, "another process uses it (wait until that has ended)");
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return fail_open(store, status);
    case SQLITE_IOERR:
        if (code == SQLITE_IOERR_NOMEM)
            return weir_fail_memory(status);
        return code == SQLITE_IOERR_SHORT_READ ? store_fail(status, WEIR_ERROR_INPUT, store->path, DAMAGED)
                                               : fail_io(store, last, status);
    case SQLITE_TOOBIG:
        return store_fail(status, WEIR_ERROR_WRITE, store->path, "a result is too large for the file");
    default: /* corrupt, not a database, or tables that are not there: in a file that says it is ours */
        return store_fail(status, WEIR_ERROR_INPUT, store->path, DAMAGED);
    }
}

bool store_is_in_place(const struct store *store)
{
    struct stat held, named;
    return store->lock < 0 || fstat(store->lock, &held) != 0 ||
           (stat(store->path, &named) == 0 && named.st_ino == held.st_ino && named.st_dev == held.st_dev);
}

static bool fail_out_of_place(const struct store *store, struct weir_error *status)
{
    struct stat named;
    bool replaced = stat(store->path, &named) == 0;
    return store_fail(status, WEIR_ERROR_WRITE, store->path, "was %s while it was written to (%s)",
                      replaced ? "replaced by another file" : "removed or renamed",
                      replaced ? "choose another file" : "start again: its runs are repeated");
}

bool store_fail_sql(struct store *store, struct weir_error *status)
{
    if (store_is_in_place(store))
        fail_by_code(store, sqlite3_extended_errcode(store->db), status);
    else
        fail_out_of_place(store, status);
    if (!sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}
