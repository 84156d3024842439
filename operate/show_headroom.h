/*
 * show_headroom.h - the page of `weir headroom CONFIG`.
 */
#ifndef OPERATE_SHOW_HEADROOM_H
#define OPERATE_SHOW_HEADROOM_H

#include "operate/model/model.h"

/* What each lossless group has, and what SONiC's formula, equation 1 of the DSH paper and the no-loss bound ask for;
 * how many groups a shared headroom pool is for. An exit code. */
int sonic_show_headroom(const struct sonic_model *model, bool json);

#endif
