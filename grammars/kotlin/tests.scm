; Functions with an annotation of kotlin.test or JUnit.
((function_declaration
  (modifiers (annotation [
   (user_type (identifier) @_annotation)
   (constructor_invocation (user_type (identifier) @_annotation))]))
  name: (identifier) @test)
 (#any-of? @_annotation "Test" "ParameterizedTest" "RepeatedTest" "TestFactory"))
