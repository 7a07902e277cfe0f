/* Vectors of Formatgauge as tests in C, from a table. docs/native-tests.md says how to use it. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef struct { /* A request: an operation of a vector. input is what to decode, tree what to encode. */
  const char *type, *id, *op, *context, *permitted, *tree, *notes, *want; /* want is tree with marks of floats */
  unsigned char *input;
  size_t size;
} fg_vector;
typedef struct { /* An answer. text is a tree, or a class or NULL after a rejection; fg_run frees a tree and bytes. */
  enum { FG_SKIP, FG_TREE, FG_BYTES, FG_REJECT, FG_ERROR } kind;
  char *text;
  unsigned char *bytes;
  size_t size;
  long offset; /* -1: none */
} fg_answer;
typedef struct { char *p; size_t n, room; } fg_buffer;
static void fg_append(fg_buffer *b, size_t from, const char *p, size_t n) { /* p, or what is in b from an index on */
  if (b->n + n + 1 > b->room) b->p = realloc(b->p, b->room = 2 * (b->n + n + 1));
  memmove(b->p + b->n, p ? p : b->p + from, n);
  b->p[b->n += n] = 0;
}
static const char *fg_expand(const char *s, fg_buffer *b, char end) { /* \1part\2N\3 to N times the part, up to an end */
  for (; *s && *s != end; s++) {
    size_t from = b->n;
    if (*s != 1) { fg_append(b, 0, s, 1); continue; }
    s = fg_expand(s + 1, b, 2);
    size_t n = b->n - from;
    for (long times = strtol(s + 1, (char **)&s, 10); times > 1; times--) fg_append(b, from, NULL, n);
  }
  return s;
}
static unsigned char *fg_unhex(const char *hex, size_t n) {
  unsigned char *out = malloc(n / 2 + 1), byte;
  for (size_t i = 0; i + 1 < n; i += 2) out[i / 2] = sscanf(hex + i, "%2hhx", &byte) == 1 ? byte : 0;
  return out;
}
static int fg_same(const char *want, const char *got) { /* trees; 5 and 6 begin a float of 32 and 64 bits */
  for (; *want && *got; want++, got++) {
    int single = *want == 5;
    if (*want == *got) continue;
    if ((!single && *want != 6) || *got != '"') return 0;
    size_t n = strcspn(++want, "\""), m = strcspn(++got, "\"");
    char *end;
    double w = single ? strtof(want, NULL) : strtod(want, NULL), g = single ? strtof(got, &end) : strtod(got, &end);
    int same = n == m ? !memcmp(want, got, n) : n == 3 && w != w && g != g; /* nan without digits equals each NaN */
    if (!same && (!m || end != got + m || w != g || memcmp(&w, &g, sizeof w))) return 0;
    want += n, got += m;
  }
  return *want == *got;
}
static int fg_fits(const fg_vector *v, const fg_answer *a, char *form) { /* a permitted answer without its result */
  if (!strncmp(form, "reject", 6)) {
    char *at = strchr(form, '@'), *word = form + 6;
    long from = -1, to = -1;
    if (at) sscanf(at, "@%ld-%ld", &from, &to), *at = 0;
    if (a->kind != FG_REJECT || (at && a->offset >= 0 && (a->offset < from || a->offset > to))) return 0;
    if (!*word || !a->text || !*a->text) return 1;
    for (word = strtok(word + 1, "|"); word; word = strtok(NULL, "|")) if (!strcmp(word, a->text)) return 1;
    return 0;
  }
  if (a->kind == FG_TREE) return !strncmp(form, "hex=", 4) ? 0 : strcmp(form, "tree") ? 1 : fg_same(v->want, a->text);
  if (a->kind != FG_BYTES || strncmp(form, "hex=", 4)) return a->kind == FG_BYTES && !strcmp(form, "any");
  size_t n = strlen(form + 4);
  unsigned char *want = fg_unhex(form + 4, n);
  int same = n / 2 == a->size && !memcmp(want, a->bytes, a->size);
  return free(want), same;
}
static const char *fg_judge(const fg_vector *v, const fg_answer *a) {
  static char buffer[16];
  const char *result = "fail";
  if (a->kind == FG_SKIP || (a->kind == FG_REJECT && a->text && !strcmp(a->text, "unsupported") && strncmp(v->permitted, "pass:reject", 11))) return "skip";
  char *all = strdup(v->permitted), *next;
  for (char *one = strtok_r(all, " ", &next); one && *result == 'f'; one = strtok_r(NULL, " ", &next)) {
    char *form = strchr(one, ':');
    if (*form++ = 0, fg_fits(v, a, form)) result = strcpy(buffer, one);
  }
  return free(all), result;
}
/* Asks about the vectors of a table whose ids match a pattern ("*" for all), prints results, and returns the exit code. */
static int fg_run(const char *table, const char *pattern, int all, fg_answer (*ask)(const fg_vector *)) {
  FILE *file = fopen(table, "rb");
  int counts[2] = {0, 0}, format = 0;
  char *line = NULL, type[100] = "", id[200] = "", result[16] = "";
  size_t room = 0;
  if (!file || getline(&line, &room, file) < 0 || sscanf(line, "formatgauge %d %99[^\t]", &format, type) != 2 || format != 1) return fprintf(stderr, "%s: not a table of format 1\n", table), 2;
  for (int more = 1; more;) {
    fg_buffer b = {0};
    char *part[7] = {0};
    if ((more = getline(&line, &room, file) > 0)) {
      fg_expand(line, &b, '\n');
      for (int i = 0; i < 7; i++) part[i] = i ? strchr(part[i - 1], '\t') : b.p, i ? *part[i]++ = 0 : 0;
    }
    if (!more || strcmp(part[0], id)) { /* the vector before is complete */
      if (*result && *result != 'f' && all) printf("%s  %s\n", result, id);
      counts[0] += *result == 'p', counts[1] += *result == 'f', *result = 0;
    }
    if (more && !fnmatch(pattern, part[0], 0) && (strcmp(part[0], id) || (*result != 'f' && *result != 's'))) {
      char *tree = strdup(part[5]);
      for (char *c = tree; (c = strpbrk(c, "\5\6")); ) *c = '"';
      fg_vector v = {type, part[0], part[1], part[2], part[4], tree, part[6], part[5], fg_unhex(part[3], strlen(part[3])), strlen(part[3]) / 2};
      int first = strcmp(id, part[0]) || !*result;
      fg_answer a = ask(&v);
      const char *now = fg_judge(&v, &a);
      if (first || *now == 'f' || (*now == 'a' && *result == 'p')) strcpy(result, now);
      if (*now == 'f') {
        printf("FAIL %s\n%s\nexpected: %s\nvalue:    %s\ngot:      ", v.id, v.op, v.permitted, v.tree);
        for (size_t i = 0; i < a.size; i++) printf("%02x", a.bytes[i]);
        printf("%s @%ld\n%s", a.text ? a.text : "", a.offset, part[3]);
        for (char *note = part[6]; *note || (putchar('\n'), 0); note++) putchar(*note == 4 ? '\n' : *note);
      }
      if (a.kind == FG_TREE) free(a.text);
      free(a.bytes), free(v.input), free(tree);
    }
    if (more) snprintf(id, sizeof id, "%s", part[0]);
    free(b.p);
  }
  return free(line), fclose(file), counts[1] ? 1 : counts[0] ? 0 : 2;
}
