/*
 * decimal.c - see decimal.h.
 */
#include "scenario/yaml/decimal.h"

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
    decimal->rest = text;
    return true;
}
