/* What umx_load.c needs of libxmp's loader.h, over a file in memory.
 *
 * The handle behaves as libxmp's for memory: a read takes what is there, one
 * that wants more sets the error, a seek beyond the end stops at the end. */
#ifndef LOADER_H
#define LOADER_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef int32_t int32;
typedef uint16_t uint16;
typedef uint32_t uint32;

typedef struct {
	const unsigned char *data;
	long size, pos;
	size_t got; /* items of the last read */
	int error;
	long seeks[8]; /* where the loader went, in order: what it takes for the start of something */
	int seek_count;
} HIO_HANDLE;

static inline int hio_seek(HIO_HANDLE *f, long offset, int whence)
{
	(void) whence; /* always SEEK_SET */
	if (offset < 0) return -1;
	f->pos = offset < f->size ? offset : f->size;
	if (f->seek_count < 8) f->seeks[f->seek_count++] = offset;
	return 0;
}

static inline size_t hio_read(void *out, size_t size, size_t count, HIO_HANDLE *f)
{
	size_t can = (size_t) (f->size - f->pos);
	if (can < size * count) f->error = EOF;
	else can = size * count;
	memcpy(out, f->data + f->pos, can);
	f->pos += (long) can;
	return f->got = can / size;
}

static inline uint32 hio_read32l(HIO_HANDLE *f)
{
	unsigned char b[4];
	if (hio_read(b, 4, 1, f) < 1) return 0xffffffff;
	return b[0] | (uint32) b[1] << 8 | (uint32) b[2] << 16 | (uint32) b[3] << 24;
}

static inline long hio_size(HIO_HANDLE *f) { return f->size; }
static inline int hio_error(HIO_HANDLE *f) { int error = f->error; f->error = 0; return error; }

extern char said[256]; /* the last message of the loader */
#define D_INFO ""
#define D_(...) snprintf(said, sizeof said, __VA_ARGS__)

/* The rest of the loader hands the music over to others. It is not called. */
struct module_data { int unused; };
struct format_loader {
	const char *name;
	int (*test)(HIO_HANDLE *, char *, const int);
	int (*loader)(struct module_data *, HIO_HANDLE *, const int);
};
static const struct format_loader libxmp_loader_it, libxmp_loader_s3m, libxmp_loader_xm, libxmp_loader_mod;
#define LOAD_INIT() (void) m
#define libxmp_read_title(f, t, n) (void) (t)

#endif
