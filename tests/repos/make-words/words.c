/* Counts the words of its standard input. */
#include <ctype.h>
#include <stdio.h>

int main(void) {
	int c, within = 0;
	long words = 0;
	while ((c = getchar()) != EOF) {
		int letter = !isspace(c);
		words += letter && !within;
		within = letter;
	}
	printf("%ld\n", words);
	return 0;
}
