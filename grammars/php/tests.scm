; What PHPUnit runs: methods named `test…`, and those with `#[Test]`.
((method_declaration name: (name) @test)
 (#match? @test "^test"))
((method_declaration attributes: (attribute_list (attribute_group (attribute (name) @_attribute))) name: (name) @test)
 (#eq? @_attribute "Test")
 (#not-match? @test "^test"))
; Pest's.
((expression_statement (function_call_expression
  function: (name) @_call
  arguments: (arguments . (argument [(string) (encapsed_string)] @test) . (argument))))
 (#any-of? @_call "it" "test"))
