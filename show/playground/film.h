/*
 * film.h - the recording of an MMU becomes the rows of a film.
 */
#ifndef SHOW_PLAYGROUND_FILM_H
#define SHOW_PLAYGROUND_FILM_H

#include "show/playground/play.h"
#include "weir/trace.h"

/* The bytes of a whole trace; what it says is compared with what the replay does. */
bool film_develop(struct play_film *film, const uint8_t *bytes, size_t size, struct weir_error *error);

#endif
