/*
 * pdf.c - a drawing as PDF: the SVG of svg.c, element by element, as operators of PDF 1.4. One code draws both, so that
 * they never differ; what is read here is only what svg.c writes. The letters that it uses are embedded (letters.h).
 * Nothing in the file depends on when or where it is made.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "show/charts/report.h"
#include "show/draw/letters.h"

#define VALUE_MAX 128u
#define PX 0.75 /* pt of a px */

enum { REGULAR, BOLD, WEIGHTS };

struct pdf {
    FILE *out;
    double scale; /* of the drawing's units, in pt */
    struct letters letters[WEIGHTS];
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
    fprintf(pdf->out, "%.4g w [%s] ", number_of(tag, "stroke-width", 1), attribute(tag, "stroke-dasharray", value));
    fprintf(pdf->out, "%.4g d\n", number_of(tag, "stroke-dashoffset", 0));
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
    uint32_t number; /* in the font; 0: only room */
    bool raised;     /* smaller and above */
    double width;    /* of an em */
};

#define RAISED_SIZE 0.65
#define RAISED_BY 0.35
#define THIN_SPACE 0.15 /* of an em */

static struct glyph glyph_of(struct letters *letters, uint32_t character)
{
    static const uint32_t superscripts[] = {0x2070, 0xb9, 0xb2, 0xb3, 0x2074, 0x2075, 0x2076, 0x2077, 0x2078, 0x2079};
    struct glyph glyph = {.raised = character == 0x207b};
    if (character == 0x202f || character == 0x2009)
        return (struct glyph){.width = THIN_SPACE};
    for (uint32_t digit = 0; digit < 10; digit++)
        if (character == superscripts[digit]) {
            glyph.raised = true;
            character = '0' + digit;
        }
    glyph.number = letters_use(letters, character == 0x207b ? 0x2212 : character == 0xa0 ? ' ' : character);
    if (glyph.number == 0)
        glyph.number = letters_use(letters, '?');
    glyph.width = (double)letters_width(letters, glyph.number) / LETTERS_EM * (glyph.raised ? RAISED_SIZE : 1);
    return glyph;
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

static double text_width(struct letters *letters, const char *text)
{
    double width = 0;
    for (uint32_t character = next_character(&text); character != 0; character = next_character(&text))
        width += glyph_of(letters, character).width;
    return width;
}

/* Letter by letter, those of one size in one string. */
static void put_string(const struct pdf *pdf, struct letters *letters, const char *text, double size)
{
    bool open = false, raised = false;
    for (uint32_t character = next_character(&text); character != 0; character = next_character(&text)) {
        struct glyph glyph = glyph_of(letters, character);
        if (open && (glyph.number == 0 || glyph.raised != raised)) {
            fputs("> Tj\n", pdf->out);
            open = false;
        }
        if (glyph.number == 0) { /* in thousandths, to the left */
            fprintf(pdf->out, "/%c %.3g Tf [%.0f] TJ\n", letters->bold ? 'B' : 'R', size, -1000 * glyph.width);
            continue;
        }
        if (!open)
            fprintf(pdf->out, "/%c %.3g Tf %.3g Ts <", letters->bold ? 'B' : 'R',
                    glyph.raised ? RAISED_SIZE * size : size, glyph.raised ? RAISED_BY * size : 0);
        fprintf(pdf->out, "%04x", glyph.number);
        open = true;
        raised = glyph.raised;
    }
    if (open)
        fputs("> Tj\n", pdf->out);
}

static void put_text(struct pdf *pdf, const char *tag)
{
    char value[VALUE_MAX];
    double size = number_of(tag, "font-size", 12), x = number_of(tag, "x", 0), y = number_of(tag, "y", 0), angle = 0;
    const char *text = strchr(tag, '>') + 1;
    struct letters *letters = &pdf->letters[strcmp(attribute(tag, "font-weight", value), "bold") == 0 ? BOLD : REGULAR];
    attribute(tag, "text-anchor", value);
    double back = strcmp(value, "middle") == 0 ? 0.5 : strcmp(value, "end") == 0 ? 1 : 0;
    back *= size * text_width(letters, text);
    if (strncmp(attribute(tag, "transform", value), "rotate(", 7) == 0)
        angle = strtod(value + 7, NULL) * 3.14159265358979323846 / 180;
    put_colour(pdf, attribute(tag, "fill", value), 1, "rg");
    fprintf(pdf->out, "BT %.5f %.5f %.5f %.5f %.2f %.2f Tm\n", cos(angle), sin(angle), sin(angle), -cos(angle),
            x - back * cos(angle), y - back * sin(angle));
    put_string(pdf, letters, text, size);
    fputs("ET\n", pdf->out);
}

/* What the SVG draws, as one stream. */
static void put_content(struct pdf *pdf, const char *svg, double height)
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

/* What is in a file, in this order; of each weight that is used all of its parts. */
enum { CATALOG = 1, PAGES, PAGE, CONTENT, FONTS };
enum { FONT, DESCENDANT, DESCRIPTOR, UNICODE, FILE_OF_FONT, FONT_PARTS };
#define OBJECTS_MAX (FONTS + WEIGHTS * FONT_PARTS)

/* A file while it is written. */
struct pdf_file {
    FILE *out;
    const struct pdf *pdf;
    long at[OBJECTS_MAX]; /* of each object, from 1 */
    uint32_t count;
};

static void begin_object(struct pdf_file *file)
{
    file->at[++file->count] = ftell(file->out);
    fprintf(file->out, "%u 0 obj\n", file->count);
}

static void end_object(struct pdf_file *file)
{
    fputs("\nendobj\n", file->out);
}

/* "WBCDEF+": fonts of different letters have different names. */
static void put_font_name(const struct pdf_file *file, const struct letters *letters)
{
    uint32_t hash = 2166136261u;
    for (uint32_t number = 1; number <= letters->count; number++)
        hash = (hash ^ letters_character(letters, number)) * 16777619u;
    fputs("/W", file->out);
    for (uint32_t i = 0; i < 5; i++, hash /= 26)
        fputc((int)('A' + hash % 26), file->out);
    fprintf(file->out, "+WeirSans%s", letters->bold ? "-Bold" : "");
}

static void put_widths(const struct pdf_file *file, const struct letters *letters)
{
    fputs(" /W [1 [", file->out);
    for (uint32_t number = 1; number <= letters->count; number++)
        fprintf(file->out, "%s%.4g", number > 1 ? " " : "", 1000.0 * letters_width(letters, number) / LETTERS_EM);
    fputs("]]", file->out);
}

/* Which character a number stands for, so that text can be searched and copied. */
static void put_characters(const struct pdf_file *file, const struct letters *letters)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return;
    fputs("/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n/CMapName /Adobe-Identity-UCS def /CMapType 2 "
          "def\n1 begincodespacerange <0000> <FFFF> endcodespacerange\n",
          out);
    for (uint32_t number = 1; number <= letters->count; number++) {
        if (number % 100 == 1) /* at most so many in one */
            fprintf(out, "%u beginbfchar\n", letters->count - number < 100 ? letters->count - number + 1 : 100);
        fprintf(out, "<%04x> <%04x>\n", number, letters_character(letters, number));
        if (number % 100 == 0 || number == letters->count)
            fputs("endbfchar\n", out);
    }
    fputs("endcmap CMapName currentdict /CMap defineresource pop end end\n", out);
    if (fclose(out) == 0 && text != NULL)
        fprintf(file->out, "<< /Length %zu >>\nstream\n%sendstream", size, text);
    free(text);
}

/* The font as hexadecimal text. False: out of memory. */
static bool put_font_file(const struct pdf_file *file, const struct letters *letters)
{
    size_t size;
    uint8_t *font = letters_font(letters, &size);
    if (font == NULL)
        return false;
    fprintf(file->out, "<< /Length %zu /Length1 %zu /Filter /ASCIIHexDecode >>\nstream\n", 2 * size + size / 40 + 1,
            size);
    for (size_t i = 0; i < size; i++)
        fprintf(file->out, "%02x%s", font[i], i % 40 == 39 ? "\n" : "");
    fputs(">\nendstream", file->out);
    free(font);
    return true;
}

/* A font is five objects: how it is encoded, its widths, its measures, its characters and its outlines. */
static bool put_font(struct pdf_file *file, const struct letters *letters)
{
    uint32_t first = file->count + 1;
    begin_object(file);
    fputs("<< /Type /Font /Subtype /Type0 /BaseFont ", file->out);
    put_font_name(file, letters);
    fprintf(file->out, " /Encoding /Identity-H /DescendantFonts [%u 0 R] /ToUnicode %u 0 R >>", first + DESCENDANT,
            first + UNICODE);
    end_object(file);
    begin_object(file);
    fputs("<< /Type /Font /Subtype /CIDFontType2 /BaseFont ", file->out);
    put_font_name(file, letters);
    fprintf(file->out,
            " /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor %u 0 R "
            "/CIDToGIDMap /Identity",
            first + DESCRIPTOR);
    put_widths(file, letters);
    fputs(" >>", file->out);
    end_object(file);
    begin_object(file);
    fputs("<< /Type /FontDescriptor /FontName ", file->out);
    put_font_name(file, letters);
    fprintf(file->out,
            " /Flags 4 /FontBBox [-500 -500 1500 1000] /ItalicAngle 0 /Ascent 905 /Descent -212 /CapHeight 729 /StemV "
            "%u /FontFile2 %u 0 R >>",
            letters->bold ? 140u : 88u, first + FILE_OF_FONT);
    end_object(file);
    begin_object(file);
    put_characters(file, letters);
    end_object(file);
    begin_object(file);
    bool good = put_font_file(file, letters);
    end_object(file);
    return good;
}

static void put_page(struct pdf_file *file, double width, double height)
{
    uint32_t object = FONTS;
    fprintf(file->out,
            "<< /Type /Page /Parent %u 0 R /MediaBox [0 0 %.3f %.3f] /Contents %u 0 R /Resources << /Font <<", PAGES,
            width, height, CONTENT);
    for (uint32_t weight = 0; weight < WEIGHTS; weight++) {
        if (file->pdf->letters[weight].count == 0)
            continue;
        fprintf(file->out, " /%c %u 0 R", weight == BOLD ? 'B' : 'R', object);
        object += FONT_PARTS;
    }
    fputs(" >> >> >>", file->out);
}

static bool put_objects(struct pdf_file *file, const char *content, double width, double height)
{
    bool good = true;
    begin_object(file);
    fprintf(file->out, "<< /Type /Catalog /Pages %u 0 R >>", PAGES);
    end_object(file);
    begin_object(file);
    fprintf(file->out, "<< /Type /Pages /Kids [%u 0 R] /Count 1 >>", PAGE);
    end_object(file);
    begin_object(file);
    put_page(file, width, height);
    end_object(file);
    begin_object(file);
    fprintf(file->out, "<< /Length %zu >>\nstream\n%sendstream", strlen(content), content);
    end_object(file);
    for (uint32_t weight = 0; weight < WEIGHTS; weight++)
        if (file->pdf->letters[weight].count > 0)
            good = put_font(file, &file->pdf->letters[weight]) && good;
    return good;
}

/* False: out of memory. */
static bool put_file(const struct pdf *pdf, const char *content, double width, double height, FILE *out)
{
    char *text = NULL;
    size_t length = 0;
    struct pdf_file file = {.out = open_memstream(&text, &length), .pdf = pdf};
    if (file.out == NULL)
        return false;
    fputs("%PDF-1.4\n", file.out);
    bool good = put_objects(&file, content, width, height);
    long start = ftell(file.out);
    fprintf(file.out, "xref\n0 %u\n0000000000 65535 f \n", file.count + 1);
    for (uint32_t object = 1; object <= file.count; object++)
        fprintf(file.out, "%010ld 00000 n \n", file.at[object]);
    fprintf(file.out, "trailer\n<< /Size %u /Root %u 0 R >>\nstartxref\n%ld\n%%%%EOF\n", file.count + 1, CATALOG,
            start);
    good = fclose(file.out) == 0 && text != NULL && good;
    if (good)
        fwrite(text, 1, length, out);
    free(text);
    return good;
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
        struct pdf pdf = {.out = stream, .scale = PX * style->font_px / 12, .letters = {[BOLD] = {.bold = true}}};
        put_content(&pdf, svg, height);
        whole = fclose(stream) == 0 && content != NULL;
        whole = whole && put_file(&pdf, content, width, height, out);
    }
    whole = whole && stream != NULL;
    free(svg);
    free(content);
    return whole;
}
