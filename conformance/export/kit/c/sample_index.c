/* A sample of a reader and writer: the type upkg.CompactIndex, a signed integer in one
   to five bytes. -DPLANT=1 to 3 plant bugs for a trial of the harness. */
#include "subject.h"

#ifndef PLANT
#define PLANT 0
#endif

/* PLANT=1: the writer loses the last byte of some values. A value does not survive
   writing and reading, so fuzz_accept.c finds it. */
#define MORE_FROM (PLANT == 1 ? 0x81 : 0x80)

/* PLANT=2: the reader looks at the byte after a truncated input. It rejects the input all
   the same, so only a sanitizer finds it. */
#define END(size) ((size) + (PLANT == 2 ? 1 : 0))

/* PLANT=3: the reader of five bytes begins one byte before the input. */
#define FIRST(size) (PLANT == 3 && (size) == 5 ? -1 : 0)

static size_t write_index(int32_t value, uint8_t out[5]) {
    uint32_t rest = value < 0 ? 0u - (uint32_t)value : (uint32_t)value;
    size_t n = 0;
    out[n++] = (uint8_t)((value < 0 ? 0x80 : 0) | (rest > 0x3F ? 0x40 : 0) | (rest & 0x3F));
    for (rest >>= 6; rest != 0; rest >>= 7) {
        out[n++] = (uint8_t)((rest >= MORE_FROM ? 0x80 : 0) | (rest & 0x7F));
        if (rest < MORE_FROM)
            break;
    }
    return n;
}

enum subject_answer subject_read(const uint8_t *data, size_t size, uint8_t **written, size_t *length) {
    if (size == 0)
        return SUBJECT_REJECT;
    uint32_t magnitude = data[FIRST(size)] & 0x3F;
    size_t n = 1;
    for (int more = data[0] & 0x40; more && n < 5; n++) {
        if (n == END(size))
            return SUBJECT_REJECT;
        magnitude |= (uint32_t)(data[n] & (n == 4 ? 0x1F : 0x7F)) << (7 * n - 1);
        more = data[n] & 0x80;
    }
    if (n != size)
        return SUBJECT_REJECT;
    if (data[0] & 0x80)
        magnitude = 0u - magnitude;
    int32_t value = magnitude <= INT32_MAX ? (int32_t)magnitude : -(int32_t)(UINT32_MAX - magnitude) - 1;
    uint8_t *out = malloc(5);
    if (out == NULL)
        return SUBJECT_SKIP;
    *length = write_index(value, out);
    *written = out;
    return SUBJECT_ACCEPT;
}
