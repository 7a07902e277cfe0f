/* Adapter for the package reader of libxmp's UMX loader.
 *
 * umx_load.c is compiled as it is, over the loader.h beside this file. It reads
 * as much of a package as it needs to find the music in it: compact indices and
 * names can be asked for by themselves. */
#include <stdlib.h>

#include "umx_load.c"

char said[256];

static const char hello[] =
	"{\"protocol\": \"1\", \"name\": \"libxmp\", \"version\": \"0eee565\", \"language\": \"C\", \"operations\": [\"decode\"],"
	" \"types\": [\"upkg.CompactIndex\", \"upkg.Name\", \"upkg.NameEntry\"],"
	" \"profile\": \"observed,upkg.name-length-kind=documented,upkg.name-length-zero=documented,upkg.name-terminator=keep,upkg.name-embedded-nul=cut\","
	" \"views\": [\"upkg.no-name-flags\"],"
	" \"skips\": ["
	"{\"type\": \"upkg.Integer\", \"reason\": \"umx_load.c reads integers by functions of other files\"},"
	"{\"type\": \"upkg.ObjectReference\", \"reason\": \"references are passed over\"},"
	"{\"type\": \"upkg.Header\", \"reason\": \"the header is read up to ImportOffset only\"},"
	"{\"type\": \"upkg.ImportEntry\", \"reason\": \"imports are not read\"},"
	"{\"type\": \"upkg.ExportEntry\", \"reason\": \"of the first export only the place of the music is kept\"},"
	"{\"type\": \"upkg.Package\", \"reason\": \"no table is kept\"}]}";

/* The value of a string in a line of JSON, without its escapes; NULL if there is none. */
static char *field(const char *line, const char *key)
{
	char quoted[32], *value, *out;
	const char *p;

	snprintf(quoted, sizeof quoted, "\"%s\":", key);
	if ((p = strstr(line, quoted)) == NULL || (p = strchr(p + strlen(quoted), '"')) == NULL) return NULL;
	if ((out = value = malloc(strlen(p))) == NULL) exit(1);
	while (*++p != '"' && *p) {
		if (*p == '\\') p++;
		*out++ = *p;
	}
	*out = 0;
	return value;
}

/* The input, from hex or from a file, with zeros after it as in the buffers of the loader. */
static unsigned char *input(const char *line, long *size)
{
	char *hex = field(line, "hex"), *path = field(line, "file");
	unsigned char *data = NULL;
	long i;

	*size = 0;
	if (hex) {
		*size = (long) strlen(hex) / 2;
		data = calloc(*size + 64, 1);
		for (i = 0; data && i < *size; i++) {
			unsigned byte = 0;
			sscanf(hex + 2 * i, "%2x", &byte);
			data[i] = (unsigned char) byte;
		}
	} else if (path) {
		FILE *f = fopen(path, "rb");
		if (f && fseek(f, 0, SEEK_END) == 0 && (*size = ftell(f)) >= 0 && (data = calloc(*size + 64, 1)) != NULL) {
			rewind(f);
			*size = (long) fread(data, 1, *size, f);
		}
		if (f) fclose(f);
	}
	free(hex);
	free(path);
	return data;
}

static void text(const char *s)
{
	const char *p;

	for (p = s; *p >= ' ' && *p <= '~' && *p != '"' && *p != '\\'; p++) ;
	if (!*p) {
		printf("\"%s\"", s);
		return;
	}
	printf("{\"hex\": \"");
	for (; *s; s++) printf("%02x", (unsigned char) *s);
	printf("\"}");
}

static void trailing(long end)
{
	printf("\"reject\": {\"class\": \"trailing\", \"offset\": %ld, \"message\": \"the loader stopped here\"}", end);
}

static void compact_index(const unsigned char *data, long size)
{
	int end = 0;
	fci_t value = get_fci((const char *) data, &end);

	/* The loader does not look for the end of the data: it may be before this one. */
	if (end < size) trailing(end);
	else printf("\"ok\": {\"tree\": \"%d\"}", value);
}

static void name(const unsigned char *data, long size, int version, int entry)
{
	struct upkg_hdr hdr = {.file_version = version, .name_count = 2};
	HIO_HANDLE f = {.data = data, .size = size}, next = f;
	char out[64];
	long end;

	if (read_typname(&f, &hdr, 0, out) < 0) {
		/* It gives no reason: nothing to read, or a length that it does not take. */
		printf("\"reject\": {\"class\": \"%s\"}", f.got == 0 ? "truncated" : "value");
		return;
	}
	/* Asked for the second name, the loader goes to where the first entry ends: after four bytes of flags. */
	read_typname(&next, &hdr, 1, (char[64]){0});
	end = next.seeks[1] - (entry ? 0 : 4);
	if (end < size) {
		trailing(end);
		return;
	}
	printf("\"ok\": {\"tree\": %s{\"text\": ", entry ? "{\"name\": " : "");
	text(out);
	/* Names are single bytes here, never UTF-16. Flags are passed over. */
	printf(", \"wide\": false}%s}", entry ? ", \"flags\": null}" : "");
}

static void decode(const char *line, const char *type)
{
	long size;
	unsigned char *data = input(line, &size);
	char *version = field(line, "version");

	if (!data) printf("\"error\": {\"message\": \"no input\"}");
	else if (strcmp(type, "upkg.CompactIndex") == 0) compact_index(data, size);
	else name(data, size, version ? atoi(version) : 69, strcmp(type, "upkg.NameEntry") == 0);
	free(version);
	free(data);
}

int main(void)
{
	char *line = NULL;
	size_t space = 0;

	while (getline(&line, &space, stdin) > 0) {
		char *op = field(line, "op"), *type = field(line, "type"), *id = strstr(line, "\"id\":");

		printf("{\"id\": %lld, ", id ? atoll(id + 5) : 0);
		if (op && strcmp(op, "hello") == 0) printf("\"hello\": %s", hello);
		else if (op && strcmp(op, "decode") == 0 && type && (strcmp(type, "upkg.CompactIndex") == 0
			|| strcmp(type, "upkg.Name") == 0 || strcmp(type, "upkg.NameEntry") == 0)) decode(line, type);
		else printf("\"skip\": {\"reason\": \"not in the list of hello\"}");
		printf("}\n");
		fflush(stdout);
		free(op);
		free(type);
	}
	free(line);
	return 0;
}
