; busted's `it("…", function() … end)`.
((function_call name: (identifier) @_call arguments: (arguments . (string) @test . (function_definition)))
 (#eq? @_call "it"))
; LuaUnit's functions and methods.
((function_declaration name: [
  (identifier) @test
  (dot_index_expression field: (identifier) @test)
  (method_index_expression method: (identifier) @test)])
 (#match? @test "^test"))
