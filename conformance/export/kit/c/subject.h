/* The reader that is fuzzed. Write one file with this function, for one type, and
   link it with a harness. sample_index.c is an example. */
#ifndef SUBJECT_H
#define SUBJECT_H

#include <stddef.h>
#include <stdint.h>

enum subject_answer {
    SUBJECT_ACCEPT,
    SUBJECT_REJECT,
    SUBJECT_SKIP /* a limit of this reader, or a part that it does not support */
};

/* subject_read reads the whole input as one value: bytes after the value make it
   invalid. If it accepts the input and there is a writer too, it writes the value
   again, and stores memory from malloc in *written and its size in *length. Otherwise
   it leaves both unchanged: they are NULL and 0. */
enum subject_answer subject_read(const uint8_t *data, size_t size, uint8_t **written, size_t *length);

#endif
