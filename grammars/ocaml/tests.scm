; `let%test "…" = …`, `let%expect_test "…" = …` of ppx_inline_test and ppx_expect.
((value_definition (attribute_id) @_extension (let_binding pattern: (string) @test))
 (#any-of? @_extension "test" "test_unit" "expect_test"))
; `test_case "…" `Quick f` of Alcotest.
((application_expression function: (value_path) @_call argument: (string) @test)
 (#match? @_call "(^|\\.)test_case$"))
