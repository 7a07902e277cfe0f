/* Harness for libFuzzer and AFL++: the reader and the reference, asked about the same
   input, must both accept or both reject it, and write an accepted value as the same
   bytes. reference.c describes the environment variables. One more is read here:

   FORMATGAUGE_IGNORE  classes of rejections by the reference that are no difference, such
                       as "noncanonical value"; limit and unsupported never are one

   A difference is not a verdict: see README.md. */
#include "reference.h"
#include "subject.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    reference_start();
    return 0;
}

static int ignored(const char *class) {
    const char *list = getenv("FORMATGAUGE_IGNORE");
    size_t n = strlen(class);
    if (strcmp(class, "limit") == 0 || strcmp(class, "unsupported") == 0)
        return 1;
    while (list != NULL && *list != '\0') {
        list += strspn(list, ", ");
        size_t m = strcspn(list, ", ");
        if (m == n && memcmp(list, class, n) == 0)
            return 1;
        list += m;
    }
    return 0;
}

static void print_bytes(const char *what, const uint8_t *data, size_t size) {
    fprintf(stderr, "  %s", what);
    for (size_t i = 0; i < size && i < 256; i++)
        fprintf(stderr, " %02x", data[i]);
    fprintf(stderr, size > 256 ? " ... (%zu bytes)\n" : " (%zu bytes)\n", size);
}

static void difference(const char *what, const char *more, const uint8_t *data, size_t size) {
    fprintf(stderr, "fuzz_differential: %s%s\n", what, more);
    print_bytes("input:    ", data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t *written = NULL;
    size_t length = 0;
    enum subject_answer subject = subject_ask(data, size, &written, &length);
    if (subject == SUBJECT_SKIP)
        return 0;
    static int told;
    if (subject == SUBJECT_ACCEPT && written == NULL && !told++)
        fprintf(stderr, "fuzz_differential: the reader returns no bytes of a value: values are not compared\n");
    struct reference_answer reference = reference_ask(data, size);
    switch (reference.kind) {
    case REFERENCE_ACCEPTS:
        if (subject == SUBJECT_REJECT) {
            difference("the reader rejects what the reference accepts", "", data, size);
            abort();
        }
        if (written != NULL && reference.bytes != NULL && (length != reference.size || memcmp(written, reference.bytes, length) != 0)) {
            difference("the value is written as other bytes", "", data, size);
            print_bytes("reader:   ", written, length);
            print_bytes("reference:", reference.bytes, reference.size);
            abort();
        }
        break;
    case REFERENCE_REJECTS:
        if (subject == SUBJECT_ACCEPT && !ignored(reference.text)) {
            difference("the reader accepts what the reference rejects: ", reference.text, data, size);
            abort();
        }
        break;
    case REFERENCE_SKIPS:
        break;
    default:
        difference("the reference fails, twice: ", reference.text, data, size);
        abort();
    }
    free(written);
    return 0;
}
