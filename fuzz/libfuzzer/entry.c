//go:build ignore

// The entry points of a libFuzzer target. TARGET is its name, a string. The Go part
// is archive.go.
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int formatgauge_open(const char *name);
int formatgauge_check(const uint8_t *data, size_t size);
size_t formatgauge_mutate(uint8_t *data, size_t size, size_t limit, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t limit);

static size_t prefix;  // bytes of an input that select its type
static int own = 1;    // use the mutator that knows the formats

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  const char *mutator = getenv("FORMATGAUGE_MUTATOR");
  own = mutator == NULL || strcmp(mutator, "off") != 0;
  int n = formatgauge_open(TARGET);
  if (n < 0) exit(1);
  prefix = (size_t)n;
  return 0;
}

// Signals of libFuzzer, such as that of its clock, can arrive on the stack of a
// goroutine, which is small: the handler would write below it, into other stacks.
// libFuzzer 14 sets its handlers after LLVMFuzzerInitialize, without an alternate
// stack.
static void use_alternate_stacks(void) {
  for (int n = 1; n < NSIG; n++) {
    struct sigaction action;
    if (sigaction(n, NULL, &action) != 0 || action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) continue;
    if (action.sa_flags & SA_ONSTACK) continue;
    action.sa_flags |= SA_ONSTACK;
    if (sigaction(n, &action, NULL) != 0) exit(1);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static int ready;
  if (!ready) use_alternate_stacks();
  ready = 1;
  if (formatgauge_check(data, size) != 0) abort(); // libFuzzer keeps the input
  return 0;
}

// One of OWN_SHARE mutations knows the format. Such a mutation takes as long as several
// executions; README.md gives the coverage after the same time. All keep the type of
// the input, except for one of 64.
#define OWN_SHARE 8

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t limit, unsigned seed) {
  if (!own || size < prefix || limit <= prefix || seed % 64 == 0) return LLVMFuzzerMutate(data, size, limit);
  if (seed % OWN_SHARE == 1) return formatgauge_mutate(data, size, limit, seed);
  return prefix + LLVMFuzzerMutate(data + prefix, size - prefix, limit - prefix);
}
