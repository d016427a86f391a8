/* Prints the CRC-32 of its argument. */
#include <stdio.h>
#include <string.h>
#include <zlib.h>

int main(int argc, char **argv) {
	if (argc != 2) {
		fprintf(stderr, "usage: tally TEXT\n");
		return 2;
	}
	printf("%08lx\n", crc32(0L, (const Bytef *)argv[1], (uInt)strlen(argv[1])));
	return 0;
}
