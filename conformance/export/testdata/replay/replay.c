/* Gives the answers of a file: for each table, ID op kind text hex offset. */
#include "formatgauge_vectors.h"
static FILE *answers;
static char buffer[8 << 20];
static fg_answer replay(const fg_vector *v) {
  fg_answer a = {FG_ERROR, NULL, NULL, 0, -1};
  while (fgets(buffer, sizeof buffer, answers)) {
    char *part[6] = {buffer};
    for (int i = 1; i < 6; i++) *strchr(part[i] = part[i - 1], '\t') = 0, part[i] += strlen(part[i]) + 1;
    if (strcmp(part[0], v->id) || strcmp(part[1], v->op)) continue;
    if (*part[2] == 't') a.kind = FG_TREE, a.text = strdup(part[3]);
    if (*part[2] == 'h') a.kind = FG_BYTES, a.size = strlen(part[4]) / 2, a.bytes = fg_unhex(part[4], 2 * a.size);
    if (*part[2] == 'r') a.kind = FG_REJECT, a.text = part[3], a.offset = atol(part[5]);
    if (*part[2] == 's') a.kind = FG_SKIP, a.text = part[3];
    break;
  }
  return a;
}
int main(int argc, char **argv) {
  int failed = 0, passed = 0;
  for (int i = 2; i < argc; i++) {
    answers = fopen(argv[1], "r");
    int code = fg_run(argv[i], "*", 1, replay);
    fclose(answers);
    failed |= code == 1, passed |= code == 0;
  }
  return failed ? 1 : passed ? 0 : 2;
}
