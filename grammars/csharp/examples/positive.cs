using System.Text; // EXPECT: import System.Text
using static Own.Helpers; // EXPECT: import Own.Helpers
global using Xunit; // EXPECT: import Xunit
using Alias = Other.Thing; // EXPECT: import Other.Thing
#if NET8_0
using Fast.Json; // EXPECT: import Fast.Json [NET8_0]
#endif

namespace App {
  public interface IShape {} // EXPECT: type IShape
  public class Tests { // EXPECT: type Tests
    [Fact]
    public void Adds() {} // EXPECT: test Adds ;; function Adds
    [TestCase(1)]
    public void Each(int a) {} // EXPECT: test Each ;; function Each
    static void Main(string[] args) { // EXPECT: main ;; function Main
      using (var x = Open()) {}
    }
  }
}
