/*
 * screen.c - see screen.h.
 */
#define _GNU_SOURCE 1 /* fopencookie */
#include "cli/screen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHARACTER_BYTES 4u

struct screen {
    int fd;
    bool closes;                 /* fd belongs to the stream */
    bool plain;                  /* our own sequences are being written */
    char begun[CHARACTER_BYTES]; /* of a character whose other bytes come with the next write */
    size_t begun_count;
};

static struct screen screen_out = {.fd = STDOUT_FILENO}, screen_err = {.fd = STDERR_FILENO};

size_t screen_decode(const char *text, size_t count, uint32_t *character)
{
    const unsigned char *bytes = (const unsigned char *)text;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = bytes[0] < 0x80         ? 1
                    : (bytes[0] >> 5) == 6  ? 2
                    : (bytes[0] >> 4) == 14 ? 3
                    : (bytes[0] >> 3) == 30 ? 4
                                            : 0;
    *character = SCREEN_INVALID;
    if (length == 0)
        return 1;
    uint32_t value = length == 1 ? bytes[0] : bytes[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (i == count)
            return 0;
        if ((bytes[i] & 0xc0) != 0x80)
            return i; /* the next character begins here */
        value = value << 6 | (bytes[i] & 0x3f);
    }
    if (value >= least[length] && value <= 0x10ffff && (value < 0xd800 || value > 0xdfff))
        *character = value;
    return length;
}

bool screen_is_control(uint32_t character)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {
        {0, 0x1f},
        {0x7f, 0x9f}, /* C0, delete, C1 */
        {0x61c, 0x61c},
        {0x200e, 0x200f}, /* marks of direction */
        {0x2028, 0x202e}, /* separators of lines; embeddings and overrides of direction */
        {0x2066, 0x206f}, /* isolates of direction, and what Unicode has given up */
        {0xfff9, 0xfffb},
        {0xe0000, 0xe007f}, /* interlinear notes and tags: not shown */
        {0x110000, SCREEN_INVALID},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (character >= ranges[i].first && character <= ranges[i].last)
            return true;
    return false;
}

void screen_mask(char *text)
{
    char *out = text;
    size_t count = strlen(text);
    while (count > 0) {
        uint32_t character;
        size_t length = screen_decode(text, count, &character);
        if (length == 0)
            length = count;
        if (screen_is_control(character))
            *out++ = '?';
        else
            out = (char *)memmove(out, text, length) + length;
        text += length;
        count -= length;
    }
    *out = '\0';
}

static bool write_all(int fd, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t written = write(fd, bytes, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        bytes += written;
        count -= (size_t)written;
    }
    return true;
}

/* Writes `count` bytes filtered. Those of a character that is not complete are kept for the next call. */
static bool write_filtered(struct screen *screen, const char *bytes, size_t count)
{
    char out[BUFSIZ];
    size_t used = 0;
    while (count > 0) {
        uint32_t character;
        size_t length = screen_decode(bytes, count, &character);
        if (length == 0) {
            memcpy(screen->begun, bytes, count);
            screen->begun_count = count;
            break;
        }
        if (used + CHARACTER_BYTES > sizeof out) {
            if (!write_all(screen->fd, out, used))
                return false;
            used = 0;
        }
        if (screen_is_control(character) && character != '\n' && character != '\t')
            out[used++] = '?';
        else
            used += (size_t)((char *)memcpy(out + used, bytes, length) + length - (out + used));
        bytes += length;
        count -= length;
    }
    return write_all(screen->fd, out, used);
}

/* The first bytes complete the character that the last write began. */
static size_t complete(struct screen *screen, const char *bytes, size_t count, bool *good)
{
    char joined[2 * CHARACTER_BYTES];
    size_t before = screen->begun_count, more = count < CHARACTER_BYTES ? count : CHARACTER_BYTES;
    uint32_t character;
    memcpy(joined, screen->begun, before);
    memcpy(joined + before, bytes, more);
    size_t length = screen_decode(joined, before + more, &character);
    screen->begun_count = 0;
    if (length == 0) { /* still not complete */
        *good = write_filtered(screen, joined, before + more);
        return more;
    }
    *good = character == SCREEN_INVALID ? write_all(screen->fd, "?", 1) : write_filtered(screen, joined, length);
    return length - before;
}

static ssize_t screen_write(void *cookie, const char *bytes, size_t count)
{
    struct screen *screen = cookie;
    bool good = true;
    size_t taken = 0;
    if (screen->plain)
        good = write_all(screen->fd, bytes, count);
    else {
        if (screen->begun_count > 0)
            taken = complete(screen, bytes, count, &good);
        good = good && write_filtered(screen, bytes + taken, count - taken);
    }
    return good ? (ssize_t)count : 0;
}

static int screen_close(void *cookie)
{
    struct screen *screen = cookie;
    bool good = screen->begun_count == 0 || write_all(screen->fd, "?", 1);
    screen->begun_count = 0;
    if (!screen->closes)
        return good ? 0 : -1;
    good = close(screen->fd) == 0 && good;
    free(screen);
    return good ? 0 : -1;
}

static FILE *screen_open(struct screen *screen)
{
    return fopencookie(screen, "w", (cookie_io_functions_t){.write = screen_write, .close = screen_close});
}

FILE *screen_stream(int fd)
{
    struct screen *screen = calloc(1, sizeof *screen);
    if (screen == NULL)
        return NULL;
    *screen = (struct screen){.fd = fd, .closes = true};
    FILE *stream = screen_open(screen);
    if (stream == NULL)
        free(screen);
    return stream;
}

bool screen_install(void)
{
    static FILE *out, *err;
    static char out_buffer[BUFSIZ];
    if (out == NULL)
        out = screen_open(&screen_out);
    if (err == NULL)
        err = screen_open(&screen_err);
    if (out == NULL || err == NULL)
        return false;
    if (stdout == out)
        return true;
    fflush(stdout);
    setvbuf(out, out_buffer, isatty(STDOUT_FILENO) == 1 ? _IOLBF : _IOFBF, sizeof out_buffer);
    setvbuf(err, NULL, _IONBF, 0);
    stdout = out;
    stderr = err;
    return true;
}

void screen_command(FILE *stream, const char *sequence)
{
    struct screen *screen = stream == stderr ? &screen_err : &screen_out;
    fflush(stream);
    screen->plain = true;
    fputs(sequence, stream);
    fflush(stream);
    screen->plain = false;
}
