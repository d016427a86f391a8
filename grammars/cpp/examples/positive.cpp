#include <vector> // EXPECT: import vector
#include "own/a.hpp" // EXPECT: local own/a.hpp
#if __has_include(<zstd.h>)
#include <zstd.h> // EXPECT: import zstd.h [__has_include(<zstd.h>)]
#endif

namespace a {
class Thing { // EXPECT: type Thing
  void testing() {} // EXPECT: function testing
  int main_loop() { return 0; } // EXPECT: function main_loop
  void draw(); // EXPECT: function draw
};
void Thing::draw() {} // EXPECT: function draw
TEST(Suite, Name) { // EXPECT: test TEST(Suite, Name) ;; function TEST
  int x = 0;
}
}
TEST_F(Fixture, Other) {} // EXPECT: test TEST_F(Fixture, Other) ;; function TEST_F

int main() { // EXPECT: main ;; function main
  return 0;
}
