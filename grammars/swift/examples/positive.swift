import Foundation // EXPECT: import Foundation
@testable import Own // EXPECT: import Own
import struct NIO.ByteBuffer // EXPECT: import NIO.ByteBuffer

protocol Shape {} // EXPECT: type Shape
struct Circle: Shape {} // EXPECT: type Circle
final class ThingTests: XCTestCase { // EXPECT: type ThingTests
  func testAdds() {} // EXPECT: test testAdds ;; function testAdds
}
@Test func works() {} // EXPECT: test works ;; function works
@main
struct Tool { // EXPECT: main ;; type Tool
}
