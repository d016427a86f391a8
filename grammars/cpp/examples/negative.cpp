// #include <no.h>
struct A;
int main_loop = 1;
auto s = R"(#include <raw.h>)";
