/*
 * decimal.c - see decimal.h.
 */
#include "scenario/yaml/decimal.h"

#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool decimal_read(const char *text, struct decimal *decimal)
{
    uint32_t digits = 0;
    bool fraction = false;
    *decimal = (struct decimal){.one = 1, .negative = *text == '-'};
    text += decimal->negative;
    if (!is_digit(*text))
        return false;
    for (;; text++) {
        if (*text == '.' && !fraction && is_digit(text[1])) {
            fraction = true;
            continue;
        }
        if (!is_digit(*text))
            break;
        if (++digits > DECIMAL_DIGITS_MAX)
            return false;
        decimal->mantissa = decimal->mantissa * 10 + (uint64_t)(*text - '0');
        decimal->one *= fraction ? 10 : 1;
    }
    const char *unit = text + strspn(text, " "); /* "5 ms" */
    decimal->rest = *unit != '\0' ? unit : text;
    return true;
}

const char *decimal_rate_unit(const char *rest)
{
    static const struct {
        const char *letter, *unit;
    } sizes[] = {{"", "bps"}, {"K", "Kbps"}, {"M", "Mbps"}, {"G", "Gbps"}, {"T", "Tbps"}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size_t length = strlen(sizes[i].letter);
        if (strncmp(rest, sizes[i].letter, length) != 0)
            continue;
        if ((length > 0 && rest[length] == '\0') || strcmp(rest + length, "b/s") == 0 ||
            strcmp(rest + length, "bit/s") == 0)
            return sizes[i].unit;
    }
    return rest;
}
