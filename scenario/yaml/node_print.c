/*
 * node_print.c - a tree as YAML text: maps in block style, lists of maps as "- " items, lists of scalars in one line.
 * A text that YAML could take for something else is put in double quotes; trees hold no control characters, so quotes
 * and backslashes are all there is to escape.
 */
#include <string.h>

#include "scenario/yaml/node.h"
#include "scenario/yaml/text_stream.h"

#define PRINT_INDENT 2

static bool print_is_plain(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./%+ -";
    size_t length = strlen(text);
    if (length == 0 || strspn(text, plain) != length || text[length - 1] == ' ')
        return false;
    return strchr(" %-", text[0]) == NULL && strcmp(text, "---") != 0 && strcmp(text, "...") != 0;
}

static void print_text(const char *text, FILE *out)
{
    if (print_is_plain(text)) {
        fputs(text, out);
        return;
    }
    putc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            putc('\\', out);
        putc(*text, out);
    }
    putc('"', out);
}

static bool print_in_line(const struct node *node)
{
    if (node->kind == NODE_SCALAR || node->count == 0)
        return true;
    for (const struct node *child = node->first; child != NULL; child = child->next)
        if (child->kind == NODE_MAP || !print_in_line(child))
            return false;
    return node->kind == NODE_LIST;
}

static void print_line(const struct node *node, FILE *out)
{
    if (node->kind == NODE_SCALAR) {
        print_text(node->text, out);
        return;
    }
    fputs(node->kind == NODE_LIST ? "[" : "{", out);
    for (const struct node *child = node->first; child != NULL; child = child->next) {
        print_line(child, out);
        fputs(child->next != NULL ? ", " : "", out);
    }
    fputs(node->kind == NODE_LIST ? "]" : "}", out);
}

/* `started`: the first line has its indent already, after a "- ". */
static void print_block(const struct node *node, int indent, bool started, FILE *out)
{
    for (const struct node *child = node->first; child != NULL; child = child->next) {
        if (child->kind == NODE_NONE)
            continue;
        fprintf(out, "%*s", started ? 0 : indent, "");
        started = false;
        if (node->kind == NODE_MAP) {
            print_text(child->key, out);
            putc(':', out);
        } else {
            fputs("- ", out);
        }
        if (print_in_line(child)) {
            fputs(node->kind == NODE_MAP ? " " : "", out);
            print_line(child, out);
            putc('\n', out);
        } else if (node->kind == NODE_MAP) {
            putc('\n', out);
            print_block(child, indent + PRINT_INDENT, false, out);
        } else {
            print_block(child, indent + PRINT_INDENT, true, out);
        }
    }
}

void node_print(const struct node *node, FILE *out)
{
    print_block(node, 0, false, out);
}

char *node_text(const struct node *node)
{
    struct text_stream stream;
    if (!text_stream_open(&stream))
        return NULL;
    node_print(node, stream.out);
    return text_stream_close(&stream);
}
