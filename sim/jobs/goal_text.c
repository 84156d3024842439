/*
 * goal_text.c - GOAL as text (spcl/LogGOPSim, txt2bin):
 *
 *   num_ranks 2
 *   rank 0 {
 *   l1: calc 500 cpu 0                          // nanoseconds
 *   l2: send 1048576b to 1 tag 7
 *   l2 requires l1                              // l2 starts when l1 has ended; irequires: when it has started
 *   }
 *
 * A statement is a line. Reading is strict: the first thing that is not so ends it, with line and column. Ranks come in
 * order. A label is defined before a dependency names it, and belongs to its rank.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/jobs/goal.h"
#include "weir/random.h"

#define WORD_SHOWN 40

struct label {
    const char *name; /* null: free */
    uint32_t length, op;
};

struct text {
    const char *at, *end, *line_start;
    uint32_t line;
    struct weir_error *error;
    struct goal_writer writer;
    struct label *labels; /* of this rank: open addressing, at most half full */
    uint32_t label_count, label_room;
    uint32_t ranks;
    struct goal_place wanted; /* stop at this operation, whose line is wanted */
};

static bool fail(struct text *text, const char *at, const char *what)
{
    return weir_fail(text->error, WEIR_ERROR_MALFORMED, "line %" PRIu32 ", column %td: %s", text->line,
                     at - text->line_start + 1, what);
}

/* "what: 'word' is here (expected ...)". */
static bool fail_word(struct text *text, const char *expected)
{
    char what[WEIR_MESSAGE_MAX], word[WORD_SHOWN + 1];
    int length = 0;
    const char *from = text->at;
    for (const char *c = from; c < text->end && length<WORD_SHOWN && * c> ' ' && *c < 127; c++)
        word[length++] = *c;
    word[length] = '\0';
    if (from == text->end)
        snprintf(what, sizeof what, "the file ends here (expected %s)", expected);
    else if (length == 0)
        snprintf(what, sizeof what, "%s here (expected %s)",
                 *from == '\n' || *from == '\r' ? "the line ends" : "an odd byte is", expected);
    else
        snprintf(what, sizeof what, "'%s' is here (expected %s)", word, expected);
    return fail(text, from, what);
}

/* Blanks and comments; of several lines with `lines`. */
static bool skip(struct text *text, bool lines)
{
    while (text->at < text->end) {
        char c = *text->at, next = text->at + 1 < text->end ? text->at[1] : '\0';
        if (c == '/' && next == '/') {
            while (text->at < text->end && *text->at != '\n')
                text->at++;
        } else if (c == '/' && next == '*') {
            const char *open = text->at;
            for (text->at += 2; text->end - text->at >= 2 && !(text->at[0] == '*' && text->at[1] == '/'); text->at++)
                if (*text->at == '\n') {
                    text->line++;
                    text->line_start = text->at + 1;
                }
            if (text->end - text->at < 2)
                return fail(text, open > text->line_start ? open : text->at, "a comment does not end (expected '*/')");
            text->at += 2;
        } else if (c == '\n' && lines) {
            text->at++;
            text->line++;
            text->line_start = text->at;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            text->at++;
        } else {
            break;
        }
    }
    return true;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The name at this place, not taken; 0: there is none. */
static uint32_t name_here(const struct text *text)
{
    const char *c = text->at;
    if (c < text->end && is_letter(*c))
        while (c < text->end && (is_letter(*c) || is_digit(*c) || *c == '_'))
            c++;
    return (uint32_t)(c - text->at);
}

static bool word_is(const struct text *text, const char *word)
{
    uint32_t length = name_here(text);
    return length == strlen(word) && memcmp(text->at, word, length) == 0;
}

/* Takes the word and the blanks behind it, if it is here. */
static bool take_word(struct text *text, const char *word)
{
    if (!word_is(text, word))
        return false;
    text->at += strlen(word);
    return skip(text, false);
}

static bool take_number(struct text *text, const char *what, uint64_t most, uint64_t *value)
{
    const char *from = text->at;
    if (text->at == text->end || !is_digit(*text->at))
        return fail_word(text, what);
    for (*value = 0; text->at < text->end && is_digit(*text->at); text->at++) {
        uint64_t digit = (uint64_t)(*text->at - '0');
        if (*value > (most - digit) / 10) {
            char message[120];
            snprintf(message, sizeof message, "%s is too large (expected at most %" PRIu64 ")", what, most);
            return fail(text, from, message);
        }
        *value = *value * 10 + digit;
    }
    return skip(text, false);
}

/* A number, or "-1", which stands for any. */
static bool take_any(struct text *text, const char *what, uint64_t *value)
{
    if (text->end - text->at >= 2 && text->at[0] == '-' && text->at[1] == '1') {
        text->at += 2;
        *value = GOAL_ANY;
        return skip(text, false);
    }
    return take_number(text, what, UINT32_MAX, value);
}

static bool line_over(struct text *text, const char *expected)
{
    return text->at == text->end || *text->at == '\n' || fail_word(text, expected);
}

/* Labels. */

static struct label *label_place(const struct text *text, const char *name, uint32_t length)
{
    uint64_t hash = length;
    for (uint32_t i = 0; i < length; i++)
        hash = hash * UINT64_C(0x100000001b3) + (unsigned char)name[i];
    uint32_t mask = text->label_room - 1, at = (uint32_t)(weir_hash(0, hash) >> 32) & mask;
    while (text->labels[at].name &&
           !(text->labels[at].length == length && memcmp(text->labels[at].name, name, length) == 0))
        at = (at + 1) & mask;
    return &text->labels[at];
}

static bool label_define(struct text *text, const char *name, uint32_t length, uint32_t op)
{
    if (2 * (text->label_count + 1) > text->label_room) {
        struct label *before = text->labels;
        uint32_t room = text->label_room, more = room ? 2 * room : 1024;
        struct label *labels = calloc(more, sizeof *labels);
        if (!labels)
            return weir_fail_memory(text->error);
        text->labels = labels;
        text->label_room = more;
        for (uint32_t i = 0; i < room; i++)
            if (before[i].name)
                *label_place(text, before[i].name, before[i].length) = before[i];
        free(before);
    }
    struct label *label = label_place(text, name, length);
    if (label->name)
        return fail(text, name, "this label is there twice (expected one of each name in a rank)");
    *label = (struct label){name, length, op};
    text->label_count++;
    return true;
}

static bool label_take(struct text *text, uint32_t *op)
{
    uint32_t length = name_here(text);
    if (length == 0)
        return fail_word(text, "a label");
    const struct label *label = text->label_count ? label_place(text, text->at, length) : NULL;
    if (!label || !label->name)
        return fail_word(text, "a label that a line of this rank above defines");
    *op = label->op;
    text->at += length;
    return skip(text, false);
}

/* Statements. */

static bool read_send_or_recv(struct text *text, struct goal_op *op)
{
    uint64_t value;
    bool send = op->type == GOAL_SEND;
    if (!take_number(text, "a number of bytes", INT64_MAX / 2, &op->size))
        return false;
    const char *after = text->at;
    if (text->at == text->end || *text->at != 'b' || name_here(text) != 1)
        return fail_word(text, "'b' behind the number of bytes: 4096b");
    text->at++;
    if (op->size == 0)
        return fail(text, after, "a message of 0 bytes (expected at least 1)");
    if (!skip(text, false))
        return false;
    if (!take_word(text, send ? "to" : "from"))
        return fail_word(text, send ? "'to' and a rank" : "'from' and a rank");
    const char *peer_at = text->at;
    if (!(send ? take_number(text, "a rank", UINT32_MAX, &value) : take_any(text, "a rank, or -1 for any", &value)))
        return false;
    op->peer = (uint32_t)value;
    if (op->peer >= text->ranks && !(op->peer == GOAL_ANY && !send)) {
        char what[120];
        snprintf(what, sizeof what, "rank %" PRIu32 " is not there (expected 0 to %" PRIu32 ", as num_ranks says)",
                 op->peer, text->ranks - 1);
        return fail(text, peer_at, what);
    }
    if (take_word(text, "tag")) {
        if (!(send ? take_number(text, "a tag", UINT32_MAX - 1, &value)
                   : take_any(text, "a tag, or -1 for any", &value)))
            return false;
        op->tag = (uint32_t)value;
    }
    return true;
}

/* An operation, with its label in front or without. */
static bool read_operation(struct text *text, const char *label, uint32_t label_length)
{
    struct goal_op op = {.type = 0};
    uint64_t value;
    const char *from = text->at;
    op.type = take_word(text, "send") ? GOAL_SEND : take_word(text, "recv") ? GOAL_RECV : GOAL_CALC;
    if (op.type == GOAL_CALC) {
        if (!take_word(text, "calc"))
            return fail_word(text, "send, recv or calc");
        if (!take_number(text, "a number of nanoseconds", (uint64_t)WEIR_TIME_MAX / 1000, &op.size))
            return false;
    } else if (!read_send_or_recv(text, &op)) {
        return false;
    }
    if (take_word(text, "cpu")) {
        if (!take_number(text, "a cpu", UINT8_MAX, &value))
            return false;
        op.cpu = (uint8_t)value;
    }
    if (op.type != GOAL_CALC && take_word(text, "nic")) {
        if (!take_number(text, "a nic", UINT8_MAX, &value))
            return false;
        op.nic = (uint8_t)value;
    }
    if (!line_over(text, op.type == GOAL_CALC ? "'cpu', or the end of the line"
                                              : "'tag', 'cpu', 'nic' in this order, or the end of the line"))
        return false;
    if (text->wanted.known && text->wanted.rank == text->writer.rank && text->wanted.op == text->writer.op_count) {
        text->at = from;
        return false;
    }
    uint32_t number = goal_add(&text->writer, &op);
    return label_length == 0 || label_define(text, label, label_length, number);
}

static bool read_statement(struct text *text)
{
    const char *name = text->at;
    uint32_t length = name_here(text), op, requires;
    text->at += length;
    if (length > 0 && skip(text, false) && text->at < text->end && *text->at == ':') {
        text->at++;
        return skip(text, false) && read_operation(text, name, length);
    }
    if (length > 0 && (word_is(text, "requires") || word_is(text, "irequires"))) {
        bool start = word_is(text, "irequires");
        text->at = name;
        if (!label_take(text, &op) || !take_word(text, start ? "irequires" : "requires") ||
            !label_take(text, &requires) || !line_over(text, "the end of the line"))
            return false;
        goal_after(&text->writer, op, requires, start);
        return true;
    }
    text->at = name;
    if (word_is(text, "send") || word_is(text, "recv") || word_is(text, "calc"))
        return read_operation(text, NULL, 0);
    return fail_word(text, "send, recv, calc, 'A requires B', 'A irequires B' or '}'");
}

static bool read_rank(struct text *text, uint32_t rank)
{
    uint64_t number;
    char expected[64];
    snprintf(expected, sizeof expected, "'rank %" PRIu32 " {'", rank);
    if (!take_word(text, "rank"))
        return fail_word(text, expected);
    const char *at = text->at;
    if (!take_number(text, "the number of the rank", UINT32_MAX, &number))
        return false;
    if (number != rank) {
        text->at = at;
        return fail_word(text, expected);
    }
    if (text->at == text->end || *text->at != '{')
        return fail_word(text, "'{'");
    text->at++;
    if (!skip(text, false) || !line_over(text, "the end of the line behind '{'"))
        return false;
    if (text->labels && text->label_count > 0)
        memset(text->labels, 0, text->label_room * sizeof *text->labels);
    text->label_count = 0;
    for (;;) {
        if (!skip(text, true))
            return false;
        if (text->at < text->end && *text->at == '}')
            break;
        if (!read_statement(text))
            return false;
        if (text->writer.failed)
            return weir_fail_memory(text->error);
    }
    text->at++;
    goal_end_rank(&text->writer);
    return true;
}

static bool read_ranks(struct text *text)
{
    uint64_t ranks;
    if (!skip(text, true))
        return false;
    if (!take_word(text, "num_ranks"))
        return fail_word(text, "'num_ranks' and how many there are");
    const char *at = text->at;
    if (!take_number(text, "a number of ranks", UINT32_MAX - 1, &ranks))
        return false;
    /* Each has a line at least, so that a wrong number takes no memory. */
    if (ranks == 0 || ranks > (uint64_t)(text->end - text->line_start))
        return fail(text, at, ranks == 0 ? "no ranks (expected at least 1)" : "more ranks than the file has");
    text->ranks = (uint32_t)ranks;
    goal_begin(&text->writer, text->ranks);
    for (uint32_t rank = 0; rank < text->ranks; rank++)
        if (!skip(text, true) || !read_rank(text, rank))
            return false;
    if (!skip(text, true))
        return false;
    return text->at == text->end || fail_word(text, "the end of the file: num_ranks says that there are no more");
}

static bool read_text(struct text *text, const char *from, size_t size, struct weir_error *error)
{
    text->at = text->line_start = from;
    text->end = from + size;
    text->line = 1;
    text->error = error;
    bool good = read_ranks(text);
    free(text->labels);
    text->labels = NULL;
    return good;
}

/* The line of an operation, by reading once more. */
static void find_line(const char *from, size_t size, struct goal_place place, struct weir_error *error)
{
    struct text text = {.wanted = place};
    size_t unused;
    read_text(&text, from, size, NULL);
    weir_fail_within(error, "line %" PRIu32 ": ", text.line);
    free(goal_finish(&text.writer, &unused));
}

unsigned char *goal_from_text(const char *from, size_t text_size, size_t *size, struct weir_error *error)
{
    struct text text = {.at = NULL};
    bool good = read_text(&text, from, text_size, error);
    unsigned char *image = goal_finish(&text.writer, size);
    if (good && !image)
        weir_fail_memory(error);
    if (!good || !image) {
        free(image);
        return NULL;
    }
    struct goal goal;
    struct goal_place place;
    bool checked = goal_open(&goal, image, *size, &place, error);
    goal_close(&goal);
    if (checked)
        return image;
    if (place.known)
        find_line(from, text_size, place, error);
    free(image);
    return NULL;
}
