; What pytest and unittest collect by default: `test*` functions and methods.
(function_definition name: (identifier) @test
 (#match? @test "^test(_|$|[A-Z0-9])"))
