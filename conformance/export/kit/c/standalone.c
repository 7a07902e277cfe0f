/* Runs a harness on the files and folders of the command line, without a fuzzer. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned long inputs;

static void fail(const char *name) {
    perror(name);
    exit(2);
}

static void run(const char *name) {
    DIR *folder = opendir(name);
    if (folder != NULL) {
        for (struct dirent *e; (e = readdir(folder)) != NULL;) {
            if (e->d_name[0] == '.')
                continue;
            size_t size = strlen(name) + strlen(e->d_name) + 2;
            char *inside = malloc(size);
            if (inside == NULL)
                fail(name);
            snprintf(inside, size, "%s/%s", name, e->d_name);
            run(inside);
            free(inside);
        }
        closedir(folder);
        return;
    }
    FILE *f = fopen(name, "rb");
    if (f == NULL)
        fail(name);
    size_t size = 0, capacity = 4096, n;
    uint8_t *data = malloc(capacity);
    while (data != NULL && (n = fread(data + size, 1, capacity - size, f)) > 0) {
        size += n;
        if (size == capacity) {
            uint8_t *more = realloc(data, capacity *= 2);
            if (more == NULL)
                fail(name);
            data = more;
        }
    }
    if (data == NULL || ferror(f))
        fail(name);
    fclose(f);
    /* The last line before a finding names the input. */
    printf("%s\n", name);
    fflush(stdout);
    LLVMFuzzerTestOneInput(data, size);
    inputs++;
    free(data);
}

int main(int argc, char **argv) {
    if (LLVMFuzzerInitialize)
        LLVMFuzzerInitialize(&argc, &argv);
    for (int i = 1; i < argc; i++)
        run(argv[i]);
    printf("%lu inputs, no finding\n", inputs);
    return inputs > 0 ? 0 : 2;
}
