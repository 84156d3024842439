/*
 * store_open.c - opening and closing of files of results.
 *
 * A file is known by SQLite's application_id, which is looked at before any statement runs: what is not ours is never
 * touched, not even by a journal. It is read through SQLite's own descriptor, because closing any other descriptor of
 * the file would drop the locks that SQLite holds on it in this process (POSIX); the descriptor of our own lock is
 * closed last for the same reason.
 *
 * The tables are created in one transaction with a rollback journal, so that the identity stands in the file itself
 * from the first commit on; WAL begins after that. A process that is killed in between leaves an empty file or a
 * journal that SQLite rolls back to one, and an empty file counts as new.
 */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lab/store/store_file.h"

#define BUSY_MS 5000      /* readers hold a plain file for moments only */
#define CLOSE_BUSY_MS 500 /* a reader that stays keeps us from leaving WAL: then the file stays in it */
#define LOCK_TRIES 10
#define LOCK_MOMENTS 20
#define LOCK_MOMENT_NS 25000000
#define VALUE_BYTES_MAX (1 << 28)
#define HEAD_BYTES 100 /* of a SQLite file */
#define URI_EXTRA 64u

static uint32_t big_endian(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* `first` bytes of a text and then `end`; to be freed. */
static char *text_make(const char *text, size_t first, const char *end)
{
    size_t room = first + strlen(end) + 1;
    char *made = malloc(room);
    if (made != NULL)
        snprintf(made, room, "%.*s%s", (int)first, text, end);
    return made;
}

/* "file:" and the path with everything escaped that means something in a URI; to be freed. */
static char *uri_make(const char *path, const char *options)
{
    size_t room = strlen(path) * 3 + strlen(options) + URI_EXTRA, used;
    char *uri = malloc(room);
    if (uri == NULL)
        return NULL;
    used = (size_t)snprintf(uri, room, "%s", path[0] == '/' ? "file://" : "file:./");
    for (const char *at = path; *at != '\0'; at++) {
        bool plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') ||
                     strchr("/._-", *at) != NULL;
        used += (size_t)snprintf(uri + used, room - used, plain ? "%c" : "%%%02X", (unsigned char)*at);
    }
    snprintf(uri + used, room - used, "%s", options);
    return uri;
}

static bool file_open(struct store *store, const char *options, struct weir_error *status)
{
    char *uri = uri_make(store->path, options);
    if (uri == NULL)
        return weir_fail_memory(status);
    int flags = (store->writes ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    int code = sqlite3_open_v2(uri, &store->db, flags, NULL);
    free(uri);
    if (store->db == NULL)
        return weir_fail_memory(status);
    sqlite3_extended_result_codes(store->db, 1);
    if (code != SQLITE_OK)
        return store_fail_sql(store, status);
    sqlite3_busy_timeout(store->db, BUSY_MS);
    /* The file may be anybody's: nothing that it defines is run, and no value of it is larger than ours can be. */
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_limit(store->db, SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX);
    sqlite3_exec(store->db, "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0", NULL, NULL, NULL);
    return true;
}

static bool fail_errno(struct weir_error *status, const char *path, bool writes, int number)
{
    enum weir_error_code error = writes ? WEIR_ERROR_WRITE : WEIR_ERROR_INPUT;
    if (number == ENOMEM)
        return weir_fail_memory(status);
    if (number == EISDIR)
        return store_fail(status, error, path, "is a folder (expected a file)");
    if (number == ENOENT && writes)
        return store_fail(status, error, path, "cannot be created: the folder does not exist (create it first)");
    if (number == ENOENT)
        return store_fail(status, error, path, "no such file");
    if (number == ENOSPC || number == EDQUOT)
        return store_fail(status, error, path, "cannot be created: the disk is full (make room)");
    return store_fail(status, error, path, "cannot be %s: %s (choose another file, or change its permissions)",
                      writes ? "written" : "read", strerror(number));
}

/* False: not a file of this layout. An empty file leaves `head` zero. */
static bool file_check(struct store *store, unsigned char head[HEAD_BYTES], struct weir_error *status)
{
    static const unsigned char sqlite_magic[16] = "SQLite format 3";
    sqlite3_file *file = NULL;
    struct stat about;
    if (sqlite3_file_control(store->db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || file == NULL ||
        file->pMethods == NULL)
        return store_fail_sql(store, status);
    if (stat(store->path, &about) != 0) /* not xFileSize, for which a single byte is nothing */
        return fail_errno(status, store->path, store->writes, errno);
    memset(head, 0, HEAD_BYTES);
    if (about.st_size == 0)
        return store->writes || store_fail(status, WEIR_ERROR_INPUT, store->path, "is empty (no run was stored in it)");
    int code = file->pMethods->xRead(file, head, HEAD_BYTES, 0);
    if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ)
        return store_fail(status, WEIR_ERROR_INPUT, store->path, "cannot be read (see whether the disk is in order)");
    if (code != SQLITE_OK || memcmp(head, sqlite_magic, sizeof sqlite_magic) != 0 ||
        big_endian(head + 68) != STORE_APPLICATION)
        return store_fail(status, WEIR_ERROR_INPUT, store->path, "is not a file of weir's results%s",
                          store->writes ? " and stays as it is (choose another file)" : "");
    uint32_t layout = big_endian(head + 60);
    if (layout > STORE_LAYOUT || layout < STORE_LAYOUT_WITHOUT_CODE)
        return store_fail(status, WEIR_ERROR_INPUT, store->path,
                          "was made by another version of weir (its tables have layout %u, this version has %d: use "
                          "that version, or another file)",
                          layout, STORE_LAYOUT);
    return true;
}

/* The children of a writer that was killed have its lock until they end too, moments later. */
static bool lock_wait(int descriptor)
{
    const struct timespec moment = {0, LOCK_MOMENT_NS};
    for (uint32_t i = 0; i < LOCK_MOMENTS; i++) {
        if (flock(descriptor, LOCK_EX | LOCK_NB) == 0)
            return true;
        if (errno != EWOULDBLOCK)
            return false;
        nanosleep(&moment, NULL);
    }
    errno = EWOULDBLOCK;
    return false;
}

/* Never a standard descriptor, even where the process was started without them: messages go there. */
static int lock_open(const char *path, int more)
{
    int got = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | more, 0666);
    if (got < 0 || got > STDERR_FILENO)
        return got;
    int descriptor = fcntl(got, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), error = errno;
    close(got);
    errno = error;
    return descriptor;
}

/* One try; the lock is on the file that has the name now, or -1 to try again, when another process removed it. */
static bool lock_try(struct store *store, struct weir_error *status)
{
    struct stat held;
    store->created = false;
    store->lock = lock_open(store->path, 0);
    bool missing = store->lock < 0 && errno == ENOENT;
    if (missing)
        store->lock = lock_open(store->path, O_CREAT);
    if (store->lock < 0 || fstat(store->lock, &held) != 0)
        return fail_errno(status, store->path, true, errno);
    if (!S_ISREG(held.st_mode))
        return store_fail(status, WEIR_ERROR_WRITE, store->path, "is not a plain file (choose another one)");
    if (!lock_wait(store->lock))
        return errno == EWOULDBLOCK
                   ? store_fail(status, WEIR_ERROR_BUSY, store->path,
                                "another process is writing to it (wait until that has ended, or choose another file)")
                   : fail_errno(status, store->path, true, errno);
    store->created = missing && fstat(store->lock, &held) == 0 && held.st_size == 0; /* not what another filled since */
    if (!store_is_in_place(store)) {
        close(store->lock);
        store->lock = -1;
    }
    return true;
}

static bool run_sql(struct store *store, const char *sql)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

/* Where SQLite puts the files that it needs besides: it follows a symbolic link first. */
static bool find_real(struct store *store, struct weir_error *status)
{
    struct stat about;
    bool link = lstat(store->path, &about) == 0 && S_ISLNK(about.st_mode);
    store->real = link ? realpath(store->path, NULL) : text_make(store->path, strlen(store->path), "");
    if (store->real != NULL)
        return true;
    return !link || errno == ENOMEM ? weir_fail_memory(status) : fail_errno(status, store->path, store->writes, errno);
}

/* A new file has no WAL: what has the name belongs to a file that was removed while a process wrote to it. */
static bool drop_leftovers(const struct store *store)
{
    static const char *const ends[] = {"-wal", "-shm"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        char *name = text_make(store->real, strlen(store->real), ends[i]);
        if (name == NULL)
            return false;
        unlink(name);
        free(name);
    }
    return true;
}

static bool writer_begin(struct store *store, struct weir_error *status)
{
    unsigned char head[HEAD_BYTES];
    for (uint32_t i = 0; i < LOCK_TRIES && store->lock < 0; i++)
        if (!lock_try(store, status))
            return false;
    if (store->lock < 0)
        return store_fail(status, WEIR_ERROR_BUSY, store->path, "another process creates and removes it (try again)");
    if (!find_real(store, status))
        return false;
    if (store->created && !drop_leftovers(store))
        return weir_fail_memory(status);
    if (!file_open(store, "?mode=rw", status) || !file_check(store, head, status) ||
        !store_check_definitions(store, status))
        return false;
    bool good = run_sql(store, "BEGIN IMMEDIATE") && store_create_tables(store) && run_sql(store, "COMMIT") &&
                run_sql(store, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL") && store_prepare(store);
    return good || store_fail_sql(store, status);
}

static struct store *store_make(const char *path, bool writes, struct weir_error *status)
{
    *status = (struct weir_error){.code = WEIR_ERROR_NONE};
    struct store *store = calloc(1, sizeof *store);
    char *copy = text_make(path, strlen(path), "");
    if (store == NULL || copy == NULL) {
        free(store);
        free(copy);
        weir_fail_memory(status);
        return NULL;
    }
    *store = (struct store){.path = copy, .lock = -1, .writes = writes};
    return store;
}

static void store_release(struct store *store)
{
    for (uint32_t i = 0; i < STORE_STATEMENTS; i++)
        sqlite3_finalize(store->statements[i]);
    for (uint32_t i = 0; i < SEAL_STATEMENTS; i++)
        sqlite3_finalize(store->seals[i]);
    sqlite3_close(store->db);
    if (store->lock >= 0)
        close(store->lock);
    free(store->path);
    free(store->real);
    free(store);
}

struct store *store_open_to_write(const char *path, struct weir_error *status)
{
    struct store *store = store_make(path, true, status);
    if (store == NULL || writer_begin(store, status))
        return store;
    if (store->created && store->lock >= 0 && store->real != NULL && store_is_in_place(store))
        unlink(store->real);
    store_release(store);
    return NULL;
}

static bool has_wal(const char *path)
{
    char *name = text_make(path, strlen(path), "-wal");
    bool there = name == NULL || access(name, F_OK) == 0;
    free(name);
    return there;
}

static bool folder_is_writable(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = text_make(path, slash != NULL ? (size_t)(slash - path) : 0, slash != NULL ? "/" : ".");
    bool writable = folder == NULL || access(folder, W_OK) == 0;
    free(folder);
    return writable;
}

/* A file in WAL mode without a WAL (it was copied alone) cannot get one in a read-only folder: there nothing changes it
 * while we read. */
static bool reader_begin(struct store *store, struct weir_error *status)
{
    unsigned char head[HEAD_BYTES];
    struct stat about;
    if (stat(store->path, &about) != 0)
        return fail_errno(status, store->path, false, errno);
    if (!S_ISREG(about.st_mode))
        return S_ISDIR(about.st_mode) ? fail_errno(status, store->path, false, EISDIR)
                                      : store_fail(status, WEIR_ERROR_INPUT, store->path, "is not a plain file");
    if (access(store->path, R_OK) != 0)
        return fail_errno(status, store->path, false, errno);
    if (!find_real(store, status) || !file_open(store, "?mode=ro", status) || !file_check(store, head, status))
        return false;
    if (head[18] != 2 || has_wal(store->real) || folder_is_writable(store->real))
        return store_check_definitions(store, status);
    sqlite3_close(store->db);
    store->db = NULL;
    return file_open(store, "?mode=ro&immutable=1", status) && store_check_definitions(store, status);
}

struct store *store_open_to_read(const char *path, struct weir_error *status)
{
    struct store *store = store_make(path, false, status);
    if (store == NULL || reader_begin(store, status))
        return store;
    store_release(store);
    return NULL;
}

/* Out of WAL mode, so that nothing stays beside the file. */
static bool writer_end(struct store *store, struct weir_error *status)
{
    if (!store_is_in_place(store)) {
        /* Our file has lost its name, and its WAL is of no use: SQLite lets it be. It is removed, unless another
         * process writes to a file of this name by now: then it has one of its own there. */
        int other = lock_open(store->path, 0);
        if (other < 0 ? errno == ENOENT : flock(other, LOCK_EX | LOCK_NB) == 0)
            drop_leftovers(store);
        if (other >= 0)
            close(other);
        return store_fail_sql(store, status);
    }
    sqlite3_busy_timeout(store->db, CLOSE_BUSY_MS);
    bool good = run_sql(store, "PRAGMA wal_checkpoint(TRUNCATE)") && run_sql(store, "PRAGMA journal_mode=DELETE");
    good = good || (sqlite3_errcode(store->db) & 0xff) == SQLITE_BUSY;
    return (good && store_is_in_place(store)) || store_fail_sql(store, status);
}

bool store_close(struct store *store, struct weir_error *status)
{
    *status = (struct weir_error){.code = WEIR_ERROR_NONE};
    bool good = !store->writes || writer_end(store, status);
    store_release(store);
    return good;
}

void store_abandon(struct store *store)
{
    struct weir_error status;
    bool unused = store->created && store_is_empty(store);
    if (writer_end(store, &status) && unused)
        unlink(store->real); /* while the lock is held, so no other process has it */
    store_release(store);
}
