; inherits: c
; GoogleTest's TEST, TEST_F, TEST_P; they parse as function definitions without a result type.
(function_definition
 declarator: (function_declarator declarator: (identifier) @_macro) @test
 (#match? @_macro "^(TYPED_)?TEST(_F|_P|_CASE)?$"))
; Catch2, doctest and Boost.Test, whose macros take a string or a name and are followed by a block.
(expression_statement
 (call_expression function: (identifier) @_macro) @test
 (#match? @_macro "^(TEST_CASE|SCENARIO|BOOST_AUTO_TEST_CASE|BOOST_FIXTURE_TEST_CASE)$"))
