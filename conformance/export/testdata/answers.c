/* Parses each line of the input as the answer to request 7, and prints what it is. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "reference.h"

int main(void) {
    static const char *const kinds[] = {"accepts", "rejects", "skips", "fails", "hello", "broken"};
    char *line = NULL;
    size_t capacity = 0;
    for (ssize_t n; (n = getline(&line, &capacity, stdin)) > 0;) {
        /* Memory of exactly the size that the client has: a sanitizer sees a read after it. */
        char *copy = malloc((size_t)n);
        if (copy == NULL)
            return 1;
        memcpy(copy, line, (size_t)n);
        struct reference_answer a = reference_parse(copy, (size_t)n - 1, 7);
        printf("%s %s", kinds[a.kind], a.bytes != NULL ? "" : a.text);
        for (size_t i = 0; a.bytes != NULL && i < a.size; i++)
            printf("%02x", a.bytes[i]);
        printf("\n");
        free(copy);
    }
    free(line);
    return 0;
}
