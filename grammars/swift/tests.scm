; Methods that XCTest runs.
((function_declaration name: (simple_identifier) @test)
 (#match? @test "^test"))
; `@Test func …` of Swift Testing.
((function_declaration
  (modifiers (attribute (user_type (type_identifier) @_attribute)))
  name: (simple_identifier) @test)
 (#eq? @_attribute "Test")
 (#not-match? @test "^test"))
