/*
 * pdf.c - a drawing as PDF: the SVG of svg.c, element by element, as operators of PDF 1.4. One code draws both, so that
 * they never differ; what is read here is only what svg.c writes. Letters are those of Helvetica, with which every
 * reader of PDF comes; Greek ones and relations are Symbol's.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/charts/report.h"

#define VALUE_MAX 128u
#define PX 0.75 /* pt of a px */

/* Widths of Helvetica in thousandths, from the space on. */
static const uint16_t widths[] = {278,  278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
                                  556,  556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
                                  1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
                                  667,  778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
                                  333,  556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
                                  556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584};

struct pdf {
    FILE *out;
    double scale; /* of the drawing's units, in pt */
};

/* The value of an attribute of the tag at `tag`; empty: it has none. */
static const char *attribute(const char *tag, const char *name, char value[VALUE_MAX])
{
    const char *end = strchr(tag, '>');
    size_t length = strlen(name);
    value[0] = '\0';
    for (const char *at = strchr(tag, ' '); at != NULL && at < end; at = strchr(at + 1, ' ')) {
        if (strncmp(at + 1, name, length) != 0 || at[1 + length] != '=' || at[2 + length] != '"')
            continue;
        size_t count = strcspn(at + 3 + length, "\"");
        snprintf(value, VALUE_MAX, "%.*s", (int)(count < VALUE_MAX ? count : VALUE_MAX - 1), at + 3 + length);
        return value;
    }
    return value;
}

static double number_of(const char *tag, const char *name, double otherwise)
{
    char value[VALUE_MAX];
    return attribute(tag, name, value)[0] != '\0' ? strtod(value, NULL) : otherwise;
}

/* "#rrggbb", on white as far as it does not cover it; false: none. */
static bool put_colour(const struct pdf *pdf, const char *colour, double opacity, const char *operator)
{
    if (colour[0] != '#')
        return false;
    unsigned long number = strtoul(colour + 1, NULL, 16);
    for (int shift = 16; shift >= 0; shift -= 8)
        fprintf(pdf->out, "%.4g ", 1 - opacity * (1 - (double)(number >> shift & 255) / 255));
    fprintf(pdf->out, "%s\n", operator);
    return true;
}

/* Stroke, fill and dashes of a shape; the operator that paints it. */
static const char *put_look(const struct pdf *pdf, const char *tag)
{
    char value[VALUE_MAX];
    bool filled = put_colour(pdf, attribute(tag, "fill", value), number_of(tag, "fill-opacity", 1), "rg");
    bool stroked = put_colour(pdf, attribute(tag, "stroke", value), 1, "RG");
    fprintf(pdf->out, "%.4g w [%s] 0 d\n", number_of(tag, "stroke-width", 1),
            attribute(tag, "stroke-dasharray", value));
    return filled && stroked ? "B" : filled ? "f" : stroked ? "S" : "n";
}

struct point {
    double x, y;
};

/* An arc of SVG from `from` to `to` as curves of at most a quarter turn each (SVG 1.1, F.6.5), for circles. */
static void put_arc(const struct pdf *pdf, struct point from, struct point to, double r, bool large, bool sweep)
{
    double dx = (from.x - to.x) / 2, dy = (from.y - to.y) / 2, half = hypot(dx, dy);
    r = fmax(r, half);
    double away = half > 0 ? sqrt(fmax(r * r - half * half, 0)) / half : 0;
    away = large == sweep ? -away : away;
    struct point middle = {(from.x + to.x) / 2 + away * dy, (from.y + to.y) / 2 - away * dx};
    double start = atan2(from.y - middle.y, from.x - middle.x), turn = atan2(to.y - middle.y, to.x - middle.x) - start;
    const double pi = 3.14159265358979323846;
    turn += sweep && turn < 0 ? 2 * pi : !sweep && turn > 0 ? -2 * pi : 0;
    int parts = (int)ceil(fabs(turn) / (pi / 2) - 1e-9);
    for (int i = 0; i < parts; i++) {
        double a = start + turn * i / parts, b = start + turn * (i + 1) / parts, k = 4.0 / 3 * tan((b - a) / 4);
        fprintf(pdf->out, "%.2f %.2f %.2f %.2f %.2f %.2f c\n", middle.x + r * (cos(a) - k * sin(a)),
                middle.y + r * (sin(a) + k * cos(a)), middle.x + r * (cos(b) + k * sin(b)),
                middle.y + r * (sin(b) - k * cos(b)), middle.x + r * cos(b), middle.y + r * sin(b));
    }
}

/* Numbers behind a letter of a path; returns what is behind them. */
static const char *take_numbers(const char *at, double *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        char *end;
        while (*at == ' ' || *at == ',')
            at++;
        numbers[i] = strtod(at, &end);
        at = end;
    }
    return at;
}

static void put_path(const struct pdf *pdf, const char *tag)
{
    const char *paint = put_look(pdf, tag), *at = strstr(tag, " d=\"");
    struct point pen = {0, 0};
    for (at = at != NULL ? at + 4 : ""; *at != '"' && *at != '\0';) {
        char letter = *at++;
        double n[7];
        bool relative = letter >= 'a';
        struct point base = {relative ? pen.x : 0, relative ? pen.y : 0};
        if (strchr("MLml", letter) != NULL) {
            at = take_numbers(at, n, 2);
            pen = (struct point){base.x + n[0], base.y + n[1]};
            fprintf(pdf->out, "%.2f %.2f %c\n", pen.x, pen.y, letter == 'M' || letter == 'm' ? 'm' : 'l');
        } else if (strchr("HVhv", letter) != NULL) {
            at = take_numbers(at, n, 1);
            if (letter == 'H' || letter == 'h')
                pen.x = base.x + n[0];
            else
                pen.y = base.y + n[0];
            fprintf(pdf->out, "%.2f %.2f l\n", pen.x, pen.y);
        } else if (letter == 'a') {
            at = take_numbers(at, n, 7);
            struct point to = {pen.x + n[5], pen.y + n[6]};
            put_arc(pdf, pen, to, n[0], n[3] != 0, n[4] != 0);
            pen = to;
        } else if (letter == 'z') {
            fputs("h\n", pdf->out);
        }
    }
    fprintf(pdf->out, "%s\n", paint);
}

static void put_rect(const struct pdf *pdf, const char *tag)
{
    const char *paint = put_look(pdf, tag);
    fprintf(pdf->out, "%.2f %.2f %.2f %.2f re %s\n", number_of(tag, "x", 0), number_of(tag, "y", 0),
            number_of(tag, "width", 0), number_of(tag, "height", 0), paint);
}

/* How a character is shown. */
struct glyph {
    unsigned char code;
    bool symbol; /* of the font Symbol */
    bool raised; /* smaller and above */
    uint32_t width;
};

static struct glyph glyph_of(uint32_t character)
{
    static const struct {
        uint32_t character;
        unsigned char code;
        bool symbol, raised;
        uint32_t width;
    } others[] = {
        {0xa0, ' ', false, false, 278},    {0x202f, ' ', false, false, 150},   {0x2009, ' ', false, false, 150},
        {0xb1, 0xb1, false, false, 584},   {0xb5, 0xb5, false, false, 556},    {0xd7, 0xd7, false, false, 584},
        {0x2013, 0x96, false, false, 556}, {0x2014, 0x97, false, false, 1000}, {0x2026, 0x85, false, false, 1000},
        {0x2020, 0x86, false, false, 556}, {0x2019, 0x92, false, false, 222},  {0x2265, 0xb3, true, false, 549},
        {0x2264, 0xa3, true, false, 549},  {0x3b1, 'a', true, false, 631},     {0x3b2, 'b', true, false, 549},
        {0x3bc, 0xb5, false, false, 556},  {0xb9, '1', false, true, 556},      {0xb2, '2', false, true, 556},
        {0xb3, '3', false, true, 556},     {0x207b, 0x96, false, true, 556}};
    if (character >= 0x20 && character < 0x7f)
        return (struct glyph){(unsigned char)character, false, false, widths[character - 0x20]};
    if (character == 0x2070 || (character >= 0x2074 && character <= 0x2079))
        return (struct glyph){(unsigned char)('0' + character - 0x2070), false, true, 556};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i].character == character)
            return (struct glyph){others[i].code, others[i].symbol, others[i].raised, others[i].width};
    if (character >= 0xa1 && character <= 0xff)
        return (struct glyph){(unsigned char)character, false, false, 556};
    return (struct glyph){'?', false, false, 556};
}

/* The next character of a text of SVG, entities read; moves *at behind it. 0: the element ends. */
static uint32_t next_character(const char **at)
{
    static const struct {
        const char *name;
        char character;
    } entities[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&#39;", '\''}};
    const unsigned char *text = (const unsigned char *)*at;
    if (*text == '<' || *text == '\0')
        return 0;
    for (size_t i = 0; *text == '&' && i < sizeof entities / sizeof entities[0]; i++)
        if (strncmp(*at, entities[i].name, strlen(entities[i].name)) == 0) {
            *at += strlen(entities[i].name);
            return (unsigned char)entities[i].character;
        }
    uint32_t more = *text >= 0xf0 ? 3 : *text >= 0xe0 ? 2 : *text >= 0xc0 ? 1 : 0;
    uint32_t character = more > 0 ? *text & (0x3fu >> more) : *text;
    for (uint32_t i = 1; i <= more && text[i] != '\0'; i++)
        character = character << 6 | (text[i] & 0x3fu);
    *at += more + 1;
    return character;
}

static double text_width(const char *text, double size)
{
    double width = 0;
    for (uint32_t character = next_character(&text); character != 0; character = next_character(&text)) {
        struct glyph glyph = glyph_of(character);
        width += glyph.width * size * (glyph.raised ? 0.65 : 1) / 1000;
    }
    return width;
}

static void put_text(const struct pdf *pdf, const char *tag)
{
    char value[VALUE_MAX];
    double size = number_of(tag, "font-size", 12), x = number_of(tag, "x", 0), y = number_of(tag, "y", 0), angle = 0;
    const char *text = strchr(tag, '>') + 1;
    bool bold = strcmp(attribute(tag, "font-weight", value), "bold") == 0;
    attribute(tag, "text-anchor", value);
    double back = strcmp(value, "middle") == 0 ? 0.5 : strcmp(value, "end") == 0 ? 1 : 0;
    back *= text_width(text, size);
    if (strncmp(attribute(tag, "transform", value), "rotate(", 7) == 0)
        angle = strtod(value + 7, NULL) * 3.14159265358979323846 / 180;
    put_colour(pdf, attribute(tag, "fill", value), 1, "rg");
    fprintf(pdf->out, "BT %.5f %.5f %.5f %.5f %.2f %.2f Tm\n", cos(angle), sin(angle), sin(angle), -cos(angle),
            x - back * cos(angle), y - back * sin(angle));
    for (uint32_t character = next_character(&text); character != 0; character = next_character(&text)) {
        struct glyph glyph = glyph_of(character);
        fprintf(pdf->out, "/%s %.3g Tf %.3g Ts <%02x> Tj\n",
                glyph.symbol ? "S"
                : bold       ? "B"
                             : "H",
                glyph.raised ? 0.65 * size : size, glyph.raised ? 0.35 * size : 0, glyph.code);
    }
    fputs("ET\n", pdf->out);
}

/* What the SVG draws, as one stream. */
static void put_content(const struct pdf *pdf, const char *svg, double height)
{
    uint32_t depth = 0;
    fprintf(pdf->out, "%.5f 0 0 %.5f 0 %.3f cm\n", pdf->scale, -pdf->scale, height);
    for (const char *tag = strchr(svg, '<'); tag != NULL; tag = strchr(tag + 1, '<')) {
        if (strncmp(tag, "<svg ", 5) == 0 && depth++ > 0)
            fprintf(pdf->out, "q %.2f %.2f %.2f %.2f re W n\n", number_of(tag, "x", 0), number_of(tag, "y", 0),
                    number_of(tag, "width", 0), number_of(tag, "height", 0));
        else if (strncmp(tag, "</svg>", 6) == 0 && --depth > 0)
            fputs("Q\n", pdf->out);
        else if (strncmp(tag, "<path ", 6) == 0)
            put_path(pdf, tag);
        else if (strncmp(tag, "<rect ", 6) == 0)
            put_rect(pdf, tag);
        else if (strncmp(tag, "<text ", 6) == 0)
            put_text(pdf, tag);
    }
}

#define OBJECTS 7u

static void put_file(const char *content, size_t size, double width, double height, FILE *out)
{
    char *text = NULL;
    size_t length = 0;
    long at[OBJECTS + 1];
    FILE *file = open_memstream(&text, &length);
    if (file == NULL)
        return;
    fputs("%PDF-1.4\n", file);
    for (uint32_t object = 1; object <= OBJECTS; object++) {
        fflush(file);
        at[object] = (long)length;
        fprintf(file, "%u 0 obj\n", object);
        if (object == 1)
            fputs("<< /Type /Catalog /Pages 2 0 R >>", file);
        else if (object == 2)
            fputs("<< /Type /Pages /Kids [3 0 R] /Count 1 >>", file);
        else if (object == 3)
            fprintf(
                file,
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %.3f %.3f] /Contents 4 0 R /Resources << /Font << /H 5 0 "
                "R /B 6 0 R /S 7 0 R >> >> >>",
                width, height);
        else if (object == 4)
            fprintf(file, "<< /Length %zu >>\nstream\n%sendstream", size, content);
        else
            fprintf(file, "<< /Type /Font /Subtype /Type1 /BaseFont /%s%s >>",
                    object == 5   ? "Helvetica"
                    : object == 6 ? "Helvetica-Bold"
                                  : "Symbol",
                    object < 7 ? " /Encoding /WinAnsiEncoding" : "");
        fputs("\nendobj\n", file);
    }
    fflush(file);
    long start = (long)length;
    fprintf(file, "xref\n0 %u\n0000000000 65535 f \n", OBJECTS + 1);
    for (uint32_t object = 1; object <= OBJECTS; object++)
        fprintf(file, "%010ld 00000 n \n", at[object]);
    fprintf(file, "trailer\n<< /Size %u /Root 1 0 R >>\nstartxref\n%ld\n%%%%EOF\n", OBJECTS + 1, start);
    fclose(file);
    if (text != NULL)
        fwrite(text, 1, length, out);
    free(text);
}

bool report_pdf(const struct chart *chart, const struct report_style *style, FILE *out)
{
    struct report_style light = *style;
    char *svg = NULL, *content = NULL;
    size_t svg_size = 0, size = 0;
    light.light = true;
    FILE *drawing = open_memstream(&svg, &svg_size);
    bool drawn = drawing != NULL && report_svg(chart, &light, drawing);
    bool whole = drawing != NULL && fclose(drawing) == 0 && drawn && svg != NULL;
    FILE *stream = whole ? open_memstream(&content, &size) : NULL;
    if (stream != NULL) {
        double width = PX * number_of(svg, "width", 0), height = PX * number_of(svg, "height", 0);
        struct pdf pdf = {.out = stream, .scale = PX * style->font_px / 12};
        put_content(&pdf, svg, height);
        whole = fclose(stream) == 0 && content != NULL;
        if (whole)
            put_file(content, size, width, height, out);
    }
    whole = whole && stream != NULL;
    free(svg);
    free(content);
    return whole;
}
