/* #include <comment.h> int main(void) {} */
#include FT_FREETYPE_H
#define X "#include <string.h>"
int maintain(void);
int main(void);
static void latest_value(void) {}
