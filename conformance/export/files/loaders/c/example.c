/* An example: tests of a reader of upkg.CompactIndex. FORMATGAUGE_PLANT plants a fault: the sign is ignored.
   ./example TABLE [PATTERN] */
#include "formatgauge_vectors.h"

static fg_answer rejection(char *class, long offset) { return (fg_answer){FG_REJECT, class, NULL, 0, offset}; }

static fg_answer decode(const unsigned char *b, size_t n) {
  if (!n) return rejection("truncated", 0);
  long long value = b[0] & 0x3F;
  size_t used = 1;
  for (int shift = 6, more = b[0] & 0x40; more && used < 5; shift += 7, more = b[used++] & 0x80) {
    if (used == n) return rejection("truncated", 0);
    value |= (long long)(b[used] & 0x7F) << shift;
  }
  if (used < n) return rejection("trailing", (long)used);
  if (b[0] & 0x80 && !getenv("FORMATGAUGE_PLANT")) value = -value;
  fg_answer a = {FG_TREE, malloc(16), NULL, 0, -1};
  snprintf(a.text, 16, "\"%d\"", (int)value);
  return a;
}

static fg_answer encode(const char *tree) {
  long long value = strtoll(tree + 1, NULL, 10), rest = value < 0 ? -value : value;
  if (value < -2147483648LL || value > 2147483647LL) return rejection("range", -1);
  fg_answer a = {FG_BYTES, NULL, malloc(5), 1, -1};
  a.bytes[0] = (unsigned char)((value < 0) << 7 | (rest & 0x3F));
  int more = 0x40;
  for (rest >>= 6; rest; rest >>= 7, more = 0x80) {
    a.bytes[a.size - 1] |= (unsigned char)more;
    a.bytes[a.size++] = rest & 0x7F;
  }
  return a;
}

static fg_answer ask(const fg_vector *v) {
  if (!strcmp(v->op, "encode")) return encode(v->tree);
  fg_answer a = decode(v->input, v->size);
  if (strcmp(v->op, "roundtrip") || a.kind != FG_TREE) return a;
  fg_answer out = encode(a.text);
  free(a.text);
  return out;
}

int main(int argc, char **argv) {
  return argc < 2 ? 2 : fg_run(argv[1], argc > 2 ? argv[2] : "*", 1, ask);
}
