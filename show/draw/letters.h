/*
 * letters.h - letters as outlines, for drawings that have to bring their own: papers are refused whose fonts are not
 * embedded. A drawing collects the letters that it uses; they become a small TrueType font.
 */
#ifndef REPORT_DRAW_LETTERS_H
#define REPORT_DRAW_LETTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define LETTERS_EM 2048u /* units of an em */
#define LETTERS_MAX 320u /* of one weight, and more */

/* The letters of one weight that a drawing uses. */
struct letters {
    bool bold;
    uint16_t used[LETTERS_MAX]; /* by number in the font, from 1: which of ours; 0 is none */
    uint32_t count;
};

/* Its number in the font, to which it is added if it is new; 0: there is no such letter. */
uint32_t letters_use(struct letters *letters, uint32_t character);

/* Of a number in the font. */
uint32_t letters_character(const struct letters *letters, uint32_t number);
uint32_t letters_width(const struct letters *letters, uint32_t number); /* in units */

/* The font as a file of TrueType, to be freed; null: out of memory. */
uint8_t *letters_font(const struct letters *letters, size_t *size);

#endif
