#include <vector> // EXPECT: import vector
#include "own/a.hpp" // EXPECT: local own/a.hpp
#if __has_include(<zstd.h>)
#include <zstd.h> // EXPECT: import zstd.h [__has_include(<zstd.h>)]
#endif

namespace a {
TEST(Suite, Name) { // EXPECT: test TEST(Suite, Name)
  int x = 0;
}
}
TEST_F(Fixture, Other) {} // EXPECT: test TEST_F(Fixture, Other)

int main() { // EXPECT: main
  return 0;
}
