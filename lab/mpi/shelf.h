/*
 * shelf.h - letters between ranks of one machine, in memory that they share. Each rank has a shelf with a place for
 * every other one, and puts there what it has for it, round by round; who finds the shelf takes its letters from there.
 *
 * A place has room for SHELF_ROUNDS letters, of as many rounds. Who puts the letter of a round has those of the last
 * round but one from everybody, who had those of the last but three then: so nobody looks at that any more. Nobody says
 * that a letter was read.
 *
 * The shelf is a file without a name, which others find by the number that it has in its process. It is gone with the
 * last process that has it.
 */
#ifndef LAB_MPI_SHELF_H
#define LAB_MPI_SHELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sim/engine/beacon.h"

/* Where to find one. It is there for who is on the machine, and reads the mark in it. */
struct shelf_address {
    char machine[128]; /* "": nowhere */
    pid_t process;
    int file;
    uint64_t mark[2];
};

#define SHELF_ROUNDS 4u

struct shelf; /* of this rank, or of another one */

/* Null: there is none, and `address` says so. */
struct shelf *shelf_make(uint32_t ranks, struct shelf_address *address);

/* Null: not on this machine, or cannot be reached. */
struct shelf *shelf_find(uint32_t ranks, const struct shelf_address *address);

void shelf_free(struct shelf *shelf);

/* False: out of memory. At most SHELF_LETTER_MAX. */
bool shelf_put(struct shelf *shelf, uint32_t rank, uint64_t round, const void *bytes, size_t size);
#define SHELF_LETTER_MAX (size_t) INT32_MAX

/* The letter of a round for a rank. False: not there, after a sleep of at most so long; 0: after a look. */
bool shelf_await(struct shelf *shelf, uint32_t rank, uint64_t round, struct patience *patience, uint32_t sleep_ns);

/* Null: out of memory. */
const uint8_t *shelf_letter(struct shelf *shelf, uint32_t rank, uint64_t round, size_t *size);

#endif
