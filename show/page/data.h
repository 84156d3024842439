/*
 * data.h - the data of the page for its script: JSON inside a script element.
 */
#ifndef SHOW_PAGE_DATA_H
#define SHOW_PAGE_DATA_H

#include <jansson.h>

#include "show/charts/report.h"

/* A text of others: valid UTF-8, without control characters. A number: null when it is not finite. Null: out of memory.
 */
json_t *data_text(const char *text);
json_t *data_number(double number);

/* Writes the value so that nothing in it ends the script element or begins another; takes it over. False: out of
 * memory, or the value is null. */
bool data_put(json_t *value, FILE *out);

#endif
