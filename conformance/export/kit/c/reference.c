/* The client reads these environment variables:

   FORMATGAUGE_TYPE     the type, such as upkg.CompactIndex; it must be set
   FORMATGAUGE_PROFILE  what the reader follows, such as observed,upkg.ci-minus-zero=strict;
                        observed if it is not set
   FORMATGAUGE_CONTEXT  values that the bytes do not contain, such as order=big; several
                        are separated by semicolons
   FORMATGAUGE_COMMAND  the program, for sh -c; formatgauge serve if it is not set
   FORMATGAUGE_TIMEOUT  seconds for one answer; 10 if it is not set

   The protocol is conformance/PROTOCOL.md in the repository of Formatgauge. Each input is
   one request roundtrip: its answer is the bytes to which the decoded value is encoded, or a
   rejection. The class range rejects a value that has no encoding, and nothing else, so
   this input is accepted. That text is valid UTF-8 is not checked. */
#define _POSIX_C_SOURCE 200809L
#include "reference.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* JSON. A function of the scanner returns false if the text is not what it expects. */

enum { MAX_DEPTH = 16 }; /* of nested values; answers here have at most four levels */

struct scanner {
    char *p, *end;
};

static void space(struct scanner *s) {
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\r'))
        s->p++;
}

static bool take(struct scanner *s, char c) {
    if (s->p == s->end || *s->p != c)
        return false;
    s->p++;
    return true;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool digits(struct scanner *s) {
    char *start = s->p;
    while (s->p < s->end && is_digit(*s->p))
        s->p++;
    return s->p > start;
}

static bool number(struct scanner *s) {
    take(s, '-');
    if (!take(s, '0') && !digits(s))
        return false;
    if (take(s, '.') && !digits(s))
        return false;
    if (take(s, 'e') || take(s, 'E')) {
        if (!take(s, '+'))
            take(s, '-');
        return digits(s);
    }
    return true;
}

static bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

static unsigned hex_value(char c) { return is_digit(c) ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a') + 10; }

/* string decodes a string in place and ends it with a NUL. Escapes of characters that are
   not ASCII, and of NUL, become question marks. */
static bool string(struct scanner *s, const char **text) {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (!take(s, '"'))
        return false;
    char *out = s->p;
    *text = out;
    while (s->p < s->end) {
        char c = *s->p++;
        if (c == '"') {
            *out = '\0';
            return true;
        }
        if ((unsigned char)c < 0x20)
            return false;
        if (c != '\\') {
            *out++ = c;
            continue;
        }
        if (s->p == s->end)
            return false;
        c = *s->p++;
        const char *simple = c != '\0' ? strchr(from, c) : NULL;
        if (simple != NULL) {
            *out++ = to[simple - from];
            continue;
        }
        if (c != 'u' || s->end - s->p < 4)
            return false;
        unsigned unit = 0;
        for (int i = 0; i < 4; i++, s->p++) {
            if (!is_hex(*s->p))
                return false;
            unit = unit * 16 + hex_value(*s->p);
        }
        *out++ = unit > 0 && unit < 0x80 ? (char)unit : '?';
    }
    return false;
}

static bool word(struct scanner *s, const char *text) {
    size_t n = strlen(text);
    if ((size_t)(s->end - s->p) < n || memcmp(s->p, text, n) != 0)
        return false;
    s->p += n;
    return true;
}

/* value scans any value. */
static bool value(struct scanner *s, int depth) {
    const char *text;
    if (depth > MAX_DEPTH || s->p == s->end)
        return false;
    char close = *s->p == '{' ? '}' : ']';
    switch (*s->p) {
    case '"':
        return string(s, &text);
    case 't':
        return word(s, "true");
    case 'f':
        return word(s, "false");
    case 'n':
        return word(s, "null");
    default:
        return number(s);
    case '{':
    case '[':
        break;
    }
    s->p++;
    space(s);
    if (take(s, close))
        return true;
    do {
        space(s);
        if (close == '}') {
            if (!string(s, &text))
                return false;
            space(s);
            if (!take(s, ':'))
                return false;
            space(s);
        }
        if (!value(s, depth + 1))
            return false;
        space(s);
    } while (take(s, ','));
    return take(s, close);
}

/* A member that an object may have. */
struct member {
    const char *name;
    enum { ANY, INTEGER, TEXT, OBJECT } kind;
    struct member *members; /* of an OBJECT; the name of the last one is NULL */
    const char *text;       /* of a TEXT, and the characters of an INTEGER */
    size_t length;          /* of an INTEGER */
    bool seen;
};

/* object scans an object that has no members but these, and none twice. */
static bool object(struct scanner *s, struct member *members) {
    if (!take(s, '{'))
        return false;
    space(s);
    if (take(s, '}'))
        return true;
    do {
        const char *name;
        space(s);
        if (!string(s, &name))
            return false;
        struct member *m = members;
        while (m->name != NULL && strcmp(m->name, name) != 0)
            m++;
        if (m->name == NULL || m->seen)
            return false;
        m->seen = true;
        space(s);
        if (!take(s, ':'))
            return false;
        space(s);
        char *start = s->p;
        switch (m->kind) {
        case OBJECT:
            if (!object(s, m->members))
                return false;
            break;
        case TEXT:
            if (!string(s, &m->text))
                return false;
            break;
        case INTEGER:
            if (!number(s))
                return false;
            m->text = start;
            m->length = (size_t)(s->p - start);
            break;
        case ANY:
            if (!value(s, 1))
                return false;
        }
        space(s);
    } while (take(s, ','));
    return take(s, '}');
}

static const char *const classes[] = {"truncated", "trailing", "magic",        "version",     "kind", "value",
                                      "reference", "limit",    "noncanonical", "unsupported", "range"};

static bool is_class(const char *text) {
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        if (strcmp(classes[i], text) == 0)
            return true;
    return false;
}

static struct reference_answer broken(const char *what) { return (struct reference_answer){.kind = REFERENCE_BROKEN, .text = what}; }

struct reference_answer reference_parse(char *line, size_t size, long long id) {
    struct member ok[] = {{.name = "hex", .kind = TEXT}, {0}};
    struct member reject[] = {
        {.name = "class", .kind = TEXT}, {.name = "offset", .kind = INTEGER}, {.name = "path", .kind = TEXT}, {.name = "message", .kind = TEXT}, {0}};
    struct member skip[] = {{.name = "reason", .kind = TEXT}, {.name = "url", .kind = TEXT}, {0}};
    struct member error[] = {{.name = "message", .kind = TEXT}, {0}};
    struct member hello[] = {{.name = "protocol", .kind = TEXT}, {.name = "name", .kind = TEXT}, {.name = "version"}, {.name = "language"},
                             {.name = "types"},   {.name = "operations"}, {.name = "profile"}, {.name = "anyProfile"},
                             {.name = "views"},   {.name = "skips"},      {0}};
    struct member top[] = {
        {.name = "ok", .kind = OBJECT, .members = ok},       {.name = "reject", .kind = OBJECT, .members = reject},
        {.name = "skip", .kind = OBJECT, .members = skip},   {.name = "error", .kind = OBJECT, .members = error},
        {.name = "hello", .kind = OBJECT, .members = hello}, {.name = "id", .kind = INTEGER},
        {0}};
    static const enum reference_kind kinds[] = {REFERENCE_ACCEPTS, REFERENCE_REJECTS, REFERENCE_SKIPS, REFERENCE_FAILS, REFERENCE_HELLO};
    enum { KINDS = sizeof kinds / sizeof kinds[0] };

    struct scanner s = {line, line + size};
    space(&s);
    if (!object(&s, top))
        return broken("the answer is not one of the protocol");
    space(&s);
    if (s.p != s.end)
        return broken("text follows the answer");
    char want[24];
    int n = snprintf(want, sizeof want, "%lld", id);
    const struct member *got = &top[KINDS];
    if (!got->seen || got->length != (size_t)n || memcmp(got->text, want, (size_t)n) != 0)
        return broken("the answer has another id");
    int kind = -1;
    for (int i = 0; i < KINDS; i++) {
        if (top[i].seen && kind >= 0)
            return broken("the answer has two of ok, reject, skip, error and hello");
        if (top[i].seen)
            kind = i;
    }
    if (kind < 0)
        return broken("the answer has none of ok, reject, skip, error and hello");
    const struct member *first = &top[kind].members[0];
    if (!first->seen)
        return broken("a field of the answer is missing");
    struct reference_answer a = {.kind = kinds[kind], .text = first->text};
    if (a.kind == REFERENCE_REJECTS) {
        if (!is_class(a.text))
            return broken("the answer has an unknown class");
        if (strcmp(a.text, "range") == 0)
            a.kind = REFERENCE_ACCEPTS;
        return a;
    }
    if (a.kind == REFERENCE_ACCEPTS) {
        uint8_t *out = (uint8_t *)first->text;
        a.bytes = out;
        for (const char *p = first->text; *p != '\0'; p += 2) {
            if (!is_hex(p[0]) || !is_hex(p[1]))
                return broken("hex of the answer is not pairs of hex digits");
            *out++ = (uint8_t)(hex_value(p[0]) << 4 | hex_value(p[1]));
        }
        a.size = (size_t)(out - a.bytes);
    }
    return a;
}

/* The process. */

static struct {
    pid_t pid, owner; /* owner: the process that started it */
    int in, out;      /* its standard input and output */
    long long id;     /* of the last request */
    char *line;       /* the last answer */
    size_t capacity;
    char *request;
    size_t request_capacity;
} program = {.in = -1, .out = -1};

static void quit(const char *what, const char *why) {
    fprintf(stderr, "formatgauge: %s%s%s\n", what, *why != '\0' ? ": " : "", why);
    exit(2);
}

static const char *variable(const char *name, const char *otherwise) {
    const char *text = getenv(name);
    return text != NULL && *text != '\0' ? text : otherwise;
}

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void reference_stop(void) {
    bool own = program.pid > 0 && program.owner == getpid();
    if (program.in >= 0)
        close(program.in);
    if (program.out >= 0)
        close(program.out);
    if (own) {
        kill(-program.pid, SIGKILL);
        while (waitpid(program.pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    program.pid = 0;
    program.in = program.out = -1;
}

static void spawn(void) {
    static bool registered;
    const char *command = variable("FORMATGAUGE_COMMAND", "formatgauge serve");
    int in[2], out[2];
    reference_stop();
    if (!registered) {
        atexit(reference_stop);
        signal(SIGPIPE, SIG_IGN); /* a program that ended is no reason to end */
        registered = true;
    }
    if (pipe(in) != 0 || pipe(out) != 0)
        quit("pipe", strerror(errno));
    pid_t pid = fork();
    if (pid < 0)
        quit("fork", strerror(errno));
    if (pid == 0) {
        setpgid(0, 0);
        signal(SIGPIPE, SIG_DFL);
        dup2(in[0], 0);
        dup2(out[1], 1);
        for (int i = 0; i < 2; i++) {
            if (in[i] > 2)
                close(in[i]);
            if (out[i] > 2)
                close(out[i]);
        }
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    setpgid(pid, pid); /* whichever of the two processes is first */
    close(in[0]);
    close(out[1]);
    program.pid = pid;
    program.owner = getpid();
    program.in = in[1];
    program.out = out[0];
    for (int i = 0; i < 2; i++)
        fcntl(i == 0 ? program.in : program.out, F_SETFD, FD_CLOEXEC);
    fcntl(program.in, F_SETFL, O_NONBLOCK);
}

static void reserve(char **buffer, size_t *capacity, size_t size) {
    if (size <= *capacity)
        return;
    size_t more = size > 2 * *capacity ? size : 2 * *capacity;
    char *p = realloc(*buffer, more);
    if (p == NULL)
        quit("memory", strerror(errno));
    *buffer = p;
    *capacity = more;
}

static size_t append(size_t at, const char *text) {
    size_t n = strlen(text);
    reserve(&program.request, &program.request_capacity, at + n + 1);
    memcpy(program.request + at, text, n + 1);
    return at + n;
}

/* append_text appends size characters as the text of a JSON string. */
static size_t append_text(size_t at, const char *text, size_t size) {
    char one[8];
    at = append(at, "\"");
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '"' || text[i] == '\\' || (unsigned char)text[i] < 0x20)
            snprintf(one, sizeof one, "\\u%04x", (unsigned char)text[i]);
        else
            snprintf(one, sizeof one, "%c", text[i]);
        at = append(at, one);
    }
    return append(at, "\"");
}

/* append_fields appends what is the same in each request for an input. */
static size_t append_fields(size_t at) {
    const char *type = variable("FORMATGAUGE_TYPE", ""), *profile = variable("FORMATGAUGE_PROFILE", "observed");
    const char *context = variable("FORMATGAUGE_CONTEXT", "");
    if (*type == '\0')
        quit("FORMATGAUGE_TYPE is not set", "expected a type such as upkg.CompactIndex");
    at = append_text(append(at, ",\"op\":\"roundtrip\",\"type\":"), type, strlen(type));
    at = append_text(append(at, ",\"profile\":"), profile, strlen(profile));
    for (const char *separator = ",\"context\":{"; *context != '\0'; separator = ",") {
        size_t n = strcspn(context, ";"), key = strcspn(context, "=");
        if (key >= n)
            quit("FORMATGAUGE_CONTEXT", "expected key=value;key=value");
        at = append_text(append(at, separator), context, key);
        at = append_text(append(at, ":"), context + key + 1, n - key - 1);
        context += n;
        if (*context == ';')
            context++;
        if (*context == '\0')
            at = append(at, "}");
    }
    return at;
}

static long long timeout_ms(void) {
    const char *text = variable("FORMATGAUGE_TIMEOUT", "10");
    char *end;
    double seconds = strtod(text, &end);
    if (*end != '\0' || !(seconds > 0 && seconds < 86400))
        quit("FORMATGAUGE_TIMEOUT", "expected a number of seconds");
    return (long long)(seconds * 1000) + 1;
}

/* wait_for waits until a file can be read or written. It returns false if the time is
   over. */
static bool wait_for(int fd, short events, long long deadline) {
    struct pollfd p = {.fd = fd, .events = events};
    for (;;) {
        long long left = deadline - now();
        int n = poll(&p, 1, left > 0 ? (int)left : 0);
        if (n > 0)
            return true;
        if (n == 0 && left <= 0)
            return false;
        if (n < 0 && errno != EINTR)
            return false;
    }
}

/* exchange sends a request of size characters and reads its answer. */
static struct reference_answer exchange(size_t size, long long deadline) {
    for (size_t sent = 0; sent < size;) {
        if (!wait_for(program.in, POLLOUT, deadline))
            return broken("the time is over");
        ssize_t n = write(program.in, program.request + sent, size - sent);
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return broken("the program ended");
        sent += n > 0 ? (size_t)n : 0;
    }
    for (size_t filled = 0;;) {
        reserve(&program.line, &program.capacity, filled + 4096);
        if (!wait_for(program.out, POLLIN, deadline))
            return broken("the time is over");
        ssize_t n = read(program.out, program.line + filled, program.capacity - filled);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return broken("the program ended");
        char *newline = memchr(program.line + filled, '\n', (size_t)n);
        filled += (size_t)n;
        if (newline != NULL && newline + 1 != program.line + filled)
            return broken("there are two answers to one request");
        if (newline != NULL)
            return reference_parse(program.line, filled - 1, program.id);
        if (filled > (1 << 20) + 8 * size)
            return broken("the answer is too long");
    }
}

static size_t begin_request(void) {
    char id[32];
    program.id++;
    snprintf(id, sizeof id, "{\"id\":%lld", program.id);
    return append(0, id);
}

/* start starts the program and asks for hello. */
static struct reference_answer start(void) {
    spawn();
    size_t size = append(begin_request(), ",\"op\":\"hello\"}\n");
    struct reference_answer a = exchange(size, now() + 10 * timeout_ms());
    if (a.kind == REFERENCE_BROKEN || a.kind == REFERENCE_FAILS)
        return a;
    if (a.kind != REFERENCE_HELLO || strcmp(a.text, "1") != 0)
        return broken("the program does not speak version 1 of the protocol");
    return a;
}

static struct reference_answer ask(const uint8_t *data, size_t size) {
    static const char pairs[] = "0123456789abcdef";
    if (program.pid <= 0 || program.owner != getpid()) {
        struct reference_answer a = start();
        if (a.kind != REFERENCE_HELLO)
            return a;
    }
    size_t at = append(append_fields(begin_request()), ",\"hex\":\"");
    reserve(&program.request, &program.request_capacity, at + 2 * size + 8);
    for (size_t i = 0; i < size; i++) {
        program.request[at++] = pairs[data[i] >> 4];
        program.request[at++] = pairs[data[i] & 15];
    }
    struct reference_answer a = exchange(append(at, "\"}\n"), now() + timeout_ms());
    if (a.kind == REFERENCE_HELLO)
        return broken("the answer is hello");
    return a;
}

struct reference_answer reference_ask(const uint8_t *data, size_t size) {
    struct reference_answer a = ask(data, size);
    if (a.kind == REFERENCE_BROKEN) {
        reference_stop();
        a = ask(data, size);
    }
    if (a.kind == REFERENCE_BROKEN)
        reference_stop();
    return a;
}

void reference_start(void) {
    struct reference_answer a = reference_ask(NULL, 0);
    if (a.kind != REFERENCE_ACCEPTS && a.kind != REFERENCE_REJECTS)
        quit(variable("FORMATGAUGE_COMMAND", "formatgauge serve"), a.text);
    reference_stop(); /* AFL++ forks later: each process starts its own */
}
