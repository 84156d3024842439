/*
 * shelf.c - see shelf.h. The file has holes: places first, then 2 GB for each letter, of which memory is taken and
 * mapped as letters grow.
 */
#define _GNU_SOURCE 1
#include "lab/mpi/shelf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sim/engine/lines.h"

#define NAME "weir-letters"
#define LETTER_ROOM (UINT64_C(1) << 31)
#define FIRST_ROOM (UINT64_C(1) << 16)
#define PLACES_ROOM(ranks) (((ranks) + 1) * sizeof(struct place) / FIRST_ROOM * FIRST_ROOM + FIRST_ROOM)

/* What is known of one place beside its letters. The first of a shelf has its mark instead. */
struct place {
    _Alignas(LINES_APART) struct beacon put; /* the round of its latest letter */
    union {
        uint64_t size[SHELF_ROUNDS]; /* of letters, by round */
        uint64_t mark[2];
    };
};

struct letter {
    uint8_t *at;
    uint64_t room; /* that is mapped */
};

struct shelf {
    int file;
    bool own;
    uint32_t ranks;
    struct place *places;    /* [ranks + 1] */
    struct letter letters[]; /* [SHELF_ROUNDS * ranks] */
};

/* The machine, as long as it runs. Two names make two machines of one, for who tries that. */
static void name_machine(char name[128])
{
    char text[64] = "";
    const char *named = getenv("WEIR_MACHINE");
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t got = file >= 0 ? read(file, text, sizeof text - 1) : 0;
    if (file >= 0)
        close(file);
    snprintf(name, 128, "%s%.60s", text, got > 0 && named != NULL ? named : "");
}

void shelf_free(struct shelf *shelf)
{
    if (shelf == NULL)
        return;
    for (uint32_t i = 0; i < SHELF_ROUNDS * shelf->ranks; i++)
        if (shelf->letters[i].room > 0)
            munmap(shelf->letters[i].at, shelf->letters[i].room);
    if (shelf->places != NULL)
        munmap(shelf->places, PLACES_ROOM(shelf->ranks));
    if (shelf->file >= 0)
        close(shelf->file);
    free(shelf);
}

/* Of this file, which is the shelf's from now on. */
static struct shelf *open_shelf(int file, uint32_t ranks, bool own)
{
    struct shelf *shelf =
        file >= 0 ? calloc(1, sizeof *shelf + SHELF_ROUNDS * (size_t)ranks * sizeof shelf->letters[0]) : NULL;
    if (shelf == NULL) {
        if (file >= 0)
            close(file);
        return NULL;
    }
    shelf->file = file;
    shelf->own = own;
    shelf->ranks = ranks;
    void *places = mmap(NULL, PLACES_ROOM(ranks), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    shelf->places = places != MAP_FAILED ? places : NULL;
    if (shelf->places != NULL)
        return shelf;
    shelf_free(shelf);
    return NULL;
}

/* Where a signal interrupts it, older kernels give up. */
static bool take_pages(int file, off_t start, size_t size)
{
    int taken;
    do
        taken = fallocate(file, 0, start, (off_t)size);
    while (taken != 0 && errno == EINTR);
    return taken == 0;
}

struct shelf *shelf_make(uint32_t ranks, struct shelf_address *address)
{
    memset(address, 0, sizeof *address);
    /* Where files have a limit, to pass it is a signal. */
    struct rlimit limit;
    int file = (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY)
                   ? -1
                   : memfd_create(NAME, MFD_CLOEXEC);
    if (file >= 0 && (ftruncate(file, (off_t)(PLACES_ROOM(ranks) + SHELF_ROUNDS * ranks * LETTER_ROOM)) != 0 ||
                      !take_pages(file, 0, PLACES_ROOM(ranks)))) {
        close(file);
        file = -1;
    }
    struct shelf *shelf = open_shelf(file, ranks, true);
    if (shelf == NULL || getrandom(address->mark, sizeof address->mark, 0) != sizeof address->mark) {
        shelf_free(shelf);
        return NULL;
    }
    memcpy(shelf->places[0].mark, address->mark, sizeof address->mark);
    address->process = getpid();
    address->file = file;
    name_machine(address->machine);
    return shelf;
}

struct shelf *shelf_find(uint32_t ranks, const struct shelf_address *address)
{
    char here[128];
    name_machine(here);
    if (here[0] == '\0' || strncmp(here, address->machine, sizeof here) != 0)
        return NULL;
    /* Looks at what it is before it opens it: under this number may be anything, in another container. */
    char path[64], name[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)address->process, address->file);
    ssize_t size = readlink(path, name, sizeof name - 1);
    name[size > 0 ? size : 0] = '\0';
    struct shelf *shelf = open_shelf(
        (strcmp(name, "/memfd:" NAME " (deleted)") == 0 ? open(path, O_RDWR | O_CLOEXEC) : -1), ranks, false);
    if (shelf != NULL && memcmp(shelf->places[0].mark, address->mark, sizeof address->mark) == 0)
        return shelf;
    shelf_free(shelf);
    return NULL;
}

/* A letter with so much room; null: out of memory. */
static struct letter *letter_reserve(struct shelf *shelf, uint32_t rank, uint64_t round, size_t size)
{
    uint64_t number = SHELF_ROUNDS * (uint64_t)rank + round % SHELF_ROUNDS, room = FIRST_ROOM;
    struct letter *letter = &shelf->letters[number];
    off_t start = (off_t)(PLACES_ROOM(shelf->ranks) + number * LETTER_ROOM);
    if (letter->room >= size && letter->room > 0)
        return letter;
    while (room < size)
        room *= 2;
    if (shelf->own && !take_pages(shelf->file, start, room))
        return NULL;
    void *at = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED, shelf->file, start);
    if (at == MAP_FAILED)
        return NULL;
    if (letter->room > 0)
        munmap(letter->at, letter->room);
    *letter = (struct letter){at, room};
    return letter;
}

bool shelf_put(struct shelf *shelf, uint32_t rank, uint64_t round, const void *bytes, size_t size)
{
    struct place *place = &shelf->places[rank + 1];
    const struct letter *letter = letter_reserve(shelf, rank, round, size);
    if (letter == NULL)
        return false;
    if (size > 0)
        memcpy(letter->at, bytes, size);
    place->size[round % SHELF_ROUNDS] = size;
    beacon_raise_apart(&place->put, (uint32_t)round);
    return true;
}

bool shelf_await(struct shelf *shelf, uint32_t rank, uint64_t round, struct patience *patience, uint32_t sleep_ns)
{
    struct beacon *put = &shelf->places[rank + 1].put;
    return sleep_ns > 0 ? beacon_await_apart(put, (uint32_t)round, patience, sleep_ns)
                        : beacon_is_at(put, (uint32_t)round);
}

const uint8_t *shelf_letter(struct shelf *shelf, uint32_t rank, uint64_t round, size_t *size)
{
    *size = shelf->places[rank + 1].size[round % SHELF_ROUNDS];
    const struct letter *letter = letter_reserve(shelf, rank, round, *size);
    return letter != NULL ? letter->at : NULL;
}
