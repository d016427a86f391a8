/* Prints twice its argument. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
	if (argc != 2) {
		fprintf(stderr, "usage: double NUMBER\n");
		return 2;
	}
	printf("%ld\n", 2 * strtol(argv[1], NULL, 10));
	return 0;
}
