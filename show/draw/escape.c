/*
 * escape.c - see escape.h. One reader of UTF-8 gives characters, each format says what becomes of them.
 */
#include "show/draw/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define REPLACEMENT UINT32_C(0xfffd)

/* The next character and the bytes it takes. Overlong forms, surrogates and numbers beyond Unicode are none. */
static uint32_t next_character(const unsigned char *text, uint32_t *bytes)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    *bytes = 1;
    if (text[0] < 0x80)
        return text[0];
    uint32_t length = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
    if (text[0] < 0xc0 || text[0] > 0xf7)
        return REPLACEMENT;
    uint32_t character = text[0] & (0x7fu >> length);
    for (uint32_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return REPLACEMENT;
        character = character << 6 | (text[i] & 0x3fu);
    }
    bool surrogate = character >= 0xd800 && character <= 0xdfff;
    if (character < least[length] || character > 0x10ffff || surrogate)
        return REPLACEMENT;
    *bytes = length;
    return character;
}

/* Control characters, also those that change the direction of the text around them. */
static bool is_control(uint32_t character)
{
    return character < 0x20 || (character >= 0x7f && character < 0xa0) || character == 0x2028 || character == 0x2029 ||
           (character >= 0x202a && character <= 0x202e) || (character >= 0x2066 && character <= 0x2069) ||
           (character & 0xfffe) == 0xfffe;
}

/* A character that no format treats in its own way. */
static void put_plain(uint32_t character, const unsigned char *text, uint32_t bytes, FILE *out)
{
    if (is_control(character))
        fputc(' ', out);
    else if (character == REPLACEMENT)
        fputs("\xef\xbf\xbd", out);
    else
        fwrite(text, 1, bytes, out);
}

static void put_markup(const char *text, bool lines, FILE *out)
{
    uint32_t bytes;
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at += bytes) {
        uint32_t character = next_character(at, &bytes);
        switch (character) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        case '\'':
            fputs("&#39;", out);
            break;
        case '\n':
            fputc(lines ? '\n' : ' ', out);
            break;
        default:
            put_plain(character, at, bytes, out);
        }
    }
}

void escape_markup(const char *text, FILE *out)
{
    put_markup(text, false, out);
}

void escape_markup_lines(const char *text, FILE *out)
{
    put_markup(text, true, out);
}

char *escape_clean(const char *text)
{
    char *clean = malloc(3 * strlen(text) + 1); /* each byte may become U+FFFD */
    size_t used = 0;
    uint32_t bytes;
    if (clean == NULL)
        return NULL;
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at += bytes) {
        uint32_t character = next_character(at, &bytes);
        const char *as = is_control(character) ? " " : character == REPLACEMENT ? "\xef\xbf\xbd" : (const char *)at;
        size_t length = is_control(character) ? 1 : character == REPLACEMENT ? 3 : bytes;
        memcpy(clean + used, as, length);
        used += length;
    }
    clean[used] = '\0';
    return clean;
}

void escape_gnuplot(const char *text, FILE *out)
{
    uint32_t bytes;
    fputc('\'', out);
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at += bytes) {
        uint32_t character = next_character(at, &bytes);
        if (character == '\'')
            fputs("''", out);
        else
            put_plain(character, at, bytes, out);
    }
    fputc('\'', out);
}

void escape_file_name(const char *text, char *name, size_t size)
{
    size_t used = 0;
    for (; *text != '\0' && used + 1 < size; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte >= 'A' && byte <= 'Z')
            byte = (unsigned char)(byte - 'A' + 'a');
        bool letter = (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9');
        if (letter)
            name[used++] = (char)byte;
        else if (used > 0 && name[used - 1] != '-')
            name[used++] = '-';
    }
    while (used > 0 && name[used - 1] == '-')
        used--;
    name[used] = '\0';
}
