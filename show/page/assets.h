/*
 * assets.h - the script and the style of the page as constants, made by embed.py when weir is built. They never change
 * with the data, so that the page's content security policy can name them by their hashes.
 */
#ifndef SHOW_PAGE_ASSETS_H
#define SHOW_PAGE_ASSETS_H

#include <stddef.h>

struct asset {
    const unsigned char *bytes;
    size_t size;
    const char *hash; /* "sha256-..." */
};

extern const struct asset asset_script, asset_style;

/* "uPlot 1.6.32"; empty: built without it, charts are drawings only. */
extern const char asset_plotter[];

#endif
