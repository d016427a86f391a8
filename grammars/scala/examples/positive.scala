package example

import cats.effect.IO // EXPECT: import cats.effect.IO
import io.circe.{Decoder, Encoder} // EXPECT: import io.circe.{Decoder, Encoder}

trait Shape // EXPECT: type Shape
class Suite extends munit.FunSuite { // EXPECT: type Suite
  import own.inner.Thing // EXPECT: import own.inner.Thing
  test("adds") { // EXPECT: test "adds"
    assert(true)
  }
}
object Hello { // EXPECT: type Hello
  def main(args: Array[String]): Unit = println("x") // EXPECT: main ;; function main
}
