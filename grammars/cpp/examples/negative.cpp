// #include <no.h>
struct A {
  void testing() {}
  int main_loop() { return 0; }
};
auto s = R"(#include <raw.h>)";
