/*
 * letters.c - see letters.h. The outlines are entries of the table `glyf` of TrueType (OpenType 1.9), which are put
 * into a font as they are; the other tables that a reader of PDF wants (ISO 32000-1, 9.9) follow from them.
 */
#include "show/draw/letters.h"

#include <stdlib.h>
#include <string.h>

struct letter {
    uint32_t character;
    uint16_t width;      /* in units */
    const char *outline; /* hexadecimal; empty: a space */
};

#define LETTER(character, width, outline) {character, width, outline},
static const struct letter regular[] = {
#include "show/draw/letters_regular.def"
};
static const struct letter bold[] = {
#include "show/draw/letters_bold.def"
};
#undef LETTER
#define REGULAR_COUNT (sizeof regular / sizeof regular[0])
#define BOLD_COUNT (sizeof bold / sizeof bold[0])
_Static_assert(REGULAR_COUNT < LETTERS_MAX && BOLD_COUNT < LETTERS_MAX, "a drawing has room for all");

static const struct letter *letter_at(const struct letters *letters, uint32_t number)
{
    return &(letters->bold ? bold : regular)[letters->used[number]];
}

uint32_t letters_use(struct letters *letters, uint32_t character)
{
    const struct letter *of = letters->bold ? bold : regular;
    size_t count = letters->bold ? BOLD_COUNT : REGULAR_COUNT;
    for (uint32_t number = 1; number <= letters->count; number++)
        if (letter_at(letters, number)->character == character)
            return number;
    for (size_t i = 0; i < count; i++) {
        if (of[i].character != character)
            continue;
        letters->used[++letters->count] = (uint16_t)i;
        return letters->count;
    }
    return 0;
}

uint32_t letters_character(const struct letters *letters, uint32_t number)
{
    return letter_at(letters, number)->character;
}

uint32_t letters_width(const struct letters *letters, uint32_t number)
{
    return letter_at(letters, number)->width;
}

/* A table of the font while it is written; numbers are big endian. */
struct bytes {
    uint8_t *at; /* null: only the size is wanted */
    size_t size;
};

static void put(struct bytes *out, uint32_t value, uint32_t bytes)
{
    for (uint32_t i = bytes; i-- > 0; out->size++)
        if (out->at != NULL)
            out->at[out->size] = (uint8_t)(value >> 8 * i);
}

static void put_words(struct bytes *out, const uint16_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put(out, words[i], 2);
}

static void put_head(struct bytes *out)
{
    static const uint16_t behind[] = {0x5f0f, 0x3cf5, 3, LETTERS_EM, 0, 0, 0, 0, 0, 0, 0, 0}; /* no dates */
    static const uint16_t box[] = {0xfc00, 0xfc00, 0x0c00, 0x0800, 0, 8, 2, 1, 0};            /* long offsets */
    put(out, 0x00010000, 4);
    put(out, 0x00010000, 4);
    put(out, 0, 4); /* the sum of the file: put_sum */
    put_words(out, behind, sizeof behind / sizeof behind[0]);
    put_words(out, box, sizeof box / sizeof box[0]);
}

static void put_hhea(struct bytes *out, uint32_t glyphs)
{
    static const uint16_t lines[] = {1854, (uint16_t)-434, 67, 2048, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
    put(out, 0x00010000, 4);
    put_words(out, lines, sizeof lines / sizeof lines[0]);
    put(out, glyphs, 2);
}

static void put_maxp(struct bytes *out, uint32_t glyphs)
{
    static const uint16_t most[] = {400, 16, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0};
    put(out, 0x00010000, 4);
    put(out, glyphs, 2);
    put_words(out, most, sizeof most / sizeof most[0]);
}

static uint32_t digit(char letter)
{
    return (uint32_t)(letter <= '9' ? letter - '0' : letter - 'a' + 10);
}

/* The outlines, each at an even place. */
static void put_glyf(struct bytes *out, const struct letters *letters)
{
    for (uint32_t number = 1; number <= letters->count; number++) {
        for (const char *hex = letter_at(letters, number)->outline; *hex != '\0'; hex += 2)
            put(out, digit(hex[0]) << 4 | digit(hex[1]), 1);
        put(out, 0, out->size % 2);
    }
}

static void put_loca(struct bytes *out, const struct letters *letters)
{
    uint32_t at = 0;
    put(out, 0, 4);
    for (uint32_t number = 1; number <= letters->count; number++) {
        put(out, at, 4);
        at += ((uint32_t)strlen(letter_at(letters, number)->outline) / 2 + 1) & ~1u;
    }
    put(out, at, 4);
}

/* Widths, and where outlines begin: their third word. */
static void put_hmtx(struct bytes *out, const struct letters *letters)
{
    put(out, LETTERS_EM / 2, 2);
    put(out, 0, 2);
    for (uint32_t number = 1; number <= letters->count; number++) {
        const struct letter *letter = letter_at(letters, number);
        put(out, letter->width, 2);
        for (uint32_t i = 4; i < 8; i += 2)
            put(out, letter->outline[0] != '\0' ? digit(letter->outline[i]) << 4 | digit(letter->outline[i + 1]) : 0,
                1);
    }
}

enum { GLYF, HEAD, HHEA, HMTX, LOCA, MAXP, TABLES };

static void put_table(struct bytes *out, uint32_t table, const struct letters *letters)
{
    switch (table) {
    case GLYF:
        put_glyf(out, letters);
        break;
    case HEAD:
        put_head(out);
        break;
    case HHEA:
        put_hhea(out, letters->count + 1);
        break;
    case HMTX:
        put_hmtx(out, letters);
        break;
    case LOCA:
        put_loca(out, letters);
        break;
    default:
        put_maxp(out, letters->count + 1);
    }
}

/* Of whole words. */
static uint32_t sum_of(const uint8_t *at, size_t size)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += (uint32_t)at[i] << 8 * (3 - i % 4);
    return sum;
}

/* The whole file; `out` has no memory when only the size is wanted. */
static void put_font(struct bytes *out, const struct letters *letters)
{
    static const char tags[TABLES][5] = {"glyf", "head", "hhea", "hmtx", "loca", "maxp"};
    static const uint16_t search[] = {TABLES, 64, 2, 16 * TABLES - 64};
    struct bytes rows = {out->at, 0};
    size_t head = 0;
    put(&rows, 0x00010000, 4);
    put_words(&rows, search, sizeof search / sizeof search[0]);
    out->size = rows.size + (size_t)16 * TABLES;
    for (uint32_t table = 0; table < TABLES; table++) {
        size_t start = out->size;
        put_table(out, table, letters);
        size_t size = out->size - start;
        put(out, 0, (4 - out->size % 4) % 4);
        for (uint32_t i = 0; i < 4; i++)
            put(&rows, (uint8_t)tags[table][i], 1);
        put(&rows, out->at != NULL ? sum_of(out->at + start, out->size - start) : 0, 4);
        put(&rows, (uint32_t)start, 4);
        put(&rows, (uint32_t)size, 4);
        head = table == HEAD ? start : head;
    }
    if (out->at != NULL) {
        struct bytes sum = {out->at, head + 8};
        put(&sum, 0xb1b0afba - sum_of(out->at, out->size), 4);
    }
}

uint8_t *letters_font(const struct letters *letters, size_t *size)
{
    struct bytes out = {NULL, 0};
    put_font(&out, letters);
    *size = out.size;
    out = (struct bytes){malloc(out.size), 0};
    if (out.at != NULL)
        put_font(&out, letters);
    return out.at;
}
