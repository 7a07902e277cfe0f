/* A client of "formatgauge serve": it starts the program, asks it about inputs over a
   pipe, and ends it. reference.c describes the environment variables. */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stddef.h>
#include <stdint.h>

enum reference_kind { REFERENCE_ACCEPTS, REFERENCE_REJECTS, REFERENCE_SKIPS, REFERENCE_FAILS, REFERENCE_HELLO, REFERENCE_BROKEN };

struct reference_answer {
    enum reference_kind kind;
    const char *text; /* class of a rejection, reason of a skip, message of an error, number of the protocol, what is broken */
    /* What the accepted value is written as; NULL if it has no encoding. */
    const uint8_t *bytes;
    size_t size;
};

/* reference_start starts the program and checks the variables. If something is wrong,
   it prints what and ends this process with exit code 2. */
void reference_start(void);

/* reference_stop ends the program. */
void reference_stop(void);

/* reference_ask asks about an input. The answer is valid until the next call. The
   program is started if it does not run in this process. If it ends or exceeds its
   time, it is started again and asked once more. */
struct reference_answer reference_ask(const uint8_t *data, size_t size);

/* reference_parse parses the answer to the request with an id, which must be the size
   characters of line, without a newline. It changes line and refers to it. Whatever is
   not an answer of the protocol is REFERENCE_BROKEN. */
struct reference_answer reference_parse(char *line, size_t size, long long id);

#endif
