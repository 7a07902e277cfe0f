/* The reader that is fuzzed. Write one file with this function, for one type, and
   link it with fuzz_accept.c. sample_index.c is an example. */
#ifndef SUBJECT_H
#define SUBJECT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum subject_answer {
    SUBJECT_ACCEPT,
    SUBJECT_REJECT,
    SUBJECT_SKIP /* a limit of this reader, or a part that it does not support */
};

/* subject_read reads the whole input as one value: bytes after the value make it
   invalid. If it accepts the input, it writes the value again, and stores memory from
   malloc in *written and its size in *length. Otherwise it leaves both unchanged: they
   are NULL and 0. A reader without a writer can leave them unchanged in any case. */
enum subject_answer subject_read(const uint8_t *data, size_t size, uint8_t **written, size_t *length);

/* subject_ask is what the harness calls. It gives the reader a copy of the input that
   fills its memory, so that a sanitizer notices a read before it or after it. */
static inline enum subject_answer subject_ask(const uint8_t *data, size_t size, uint8_t **written, size_t *length) {
    uint8_t *copy = calloc(1, size);
    if (copy == NULL) /* glibc and sanitizers return memory of 0 bytes */
        return SUBJECT_SKIP;
    if (size != 0)
        memcpy(copy, data, size);
    enum subject_answer answer = subject_read(copy, size, written, length);
    if (size != 0 && memcmp(copy, data, size) != 0) {
        fprintf(stderr, "the reader changed its input\n");
        abort();
    }
    free(copy);
    return answer;
}

#endif
