#ifndef EXAMPLE_H
#define EXAMPLE_H
#include <stdio.h> /* EXPECT: import stdio.h */
#include "config.h" /* EXPECT: local config.h */
#ifdef HAVE_ZLIB
#  include <zlib.h> /* EXPECT: import zlib.h [defined(HAVE_ZLIB)] */
#else
#  include "miniz.h" /* EXPECT: local miniz.h [!defined(HAVE_ZLIB)] */
#endif
#if defined(_WIN32) && \
    !defined(__CYGWIN__)
#include <windows.h> /* EXPECT: import windows.h [defined(_WIN32) && !defined(__CYGWIN__)] */
#elif HAVE_X > 2
#include <x.h> /* EXPECT: import x.h [!(defined(_WIN32) && !defined(__CYGWIN__)) && HAVE_X > 2] */
#else
#include <y.h> /* EXPECT: import y.h [!(defined(_WIN32) && !defined(__CYGWIN__)) && !(HAVE_X > 2)] */
#endif
#ifndef NO_SSL
#if 1
#include <openssl/ssl.h> /* EXPECT: import openssl/ssl.h [!defined(NO_SSL) && 1] */
#endif
#endif

struct item { int a; }; /* EXPECT: type item */
typedef enum { RED } colour; /* EXPECT: type colour */
char *name_of(struct item *it); /* EXPECT: function name_of */
#define MAX(a, b) ((a) > (b) ? (a) : (b)) /* EXPECT: function MAX */

static void test_inflate(void) {} /* EXPECT: test test_inflate ;; function test_inflate */

int main(void); /* EXPECT: function main */
int maintain(void); /* EXPECT: function maintain */
static void latest_value(void) {} /* EXPECT: function latest_value */
int main(int argc, char **argv) { /* EXPECT: main ;; function main */
  return 0;
}
#endif
