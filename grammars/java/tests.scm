; Methods with an annotation of JUnit 4, JUnit 5, TestNG or jqwik.
((method_declaration
  (modifiers [
   (marker_annotation name: (identifier) @_annotation)
   (annotation name: (identifier) @_annotation)])
  name: (identifier) @test)
 (#any-of? @_annotation "Test" "ParameterizedTest" "RepeatedTest" "TestFactory" "Property"))
