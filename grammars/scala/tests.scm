; `test("…") { … }` of MUnit, uTest and ScalaTest's AnyFunSuite.
((call_expression
  function: (call_expression
   function: (identifier) @_call
   arguments: (arguments . (string) @test)))
 (#eq? @_call "test"))
; `it should "…" in { … }`, `"…" in { … }` of ScalaTest's other styles.
((infix_expression
  left: [(string) @test (infix_expression right: (string) @test)]
  operator: (identifier) @_operator
  right: (block))
 (#eq? @_operator "in"))
