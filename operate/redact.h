/*
 * redact.h - a copy of a configuration that can be shown to others: without names, addresses and whatever else is not
 * about buffers. It lints as the original does: numbers stay, and a name becomes another one wherever it is used.
 */
#ifndef OPERATE_REDACT_H
#define OPERATE_REDACT_H

#include "operate/model/model.h"

/* All files as one tree. Null: out of memory. */
json_t *sonic_redact(const struct sonic_model *model);

#endif
