/* #include <comment.h> int main(void) {} */
#include FT_FREETYPE_H
#define X "#include <string.h>"
int maintain = 1;
struct forward;
extern struct forward value;
