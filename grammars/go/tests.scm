; What `go test` runs by default: `func TestX(t *testing.T)` and the seeds of `func FuzzX(f *testing.F)`.
((function_declaration
  name: (identifier) @test
  parameters: (parameter_list . (parameter_declaration
   type: (pointer_type (qualified_type package: (package_identifier) @_package name: (type_identifier) @_type))) .))
 (#match? @test "^(Test|Fuzz)([^a-z]|$)")
 (#eq? @_package "testing")
 (#any-of? @_type "T" "F"))
