/* Harness for libFuzzer and AFL++: whatever the input is, the reader must return, and a
   value that it accepts must survive writing and reading. */
#include "subject.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void finding(const char *what) {
    fprintf(stderr, "fuzz_accept: %s\n", what);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t *first = NULL, *second = NULL;
    size_t first_size = 0, second_size = 0;
    enum subject_answer answer = subject_ask(data, size, &first, &first_size);
    if (answer != SUBJECT_ACCEPT && first != NULL)
        finding("the reader returned bytes of a value that it did not accept");
    if (first != NULL) {
        answer = subject_ask(first, first_size, &second, &second_size);
        if (answer == SUBJECT_REJECT)
            finding("the reader rejects what the writer wrote");
        if (answer == SUBJECT_ACCEPT && (second == NULL || second_size != first_size || memcmp(first, second, first_size) != 0))
            finding("what the writer wrote is read as another value");
    }
    free(first);
    free(second);
    return 0;
}
