; `#[test]`, `#[tokio::test]`, `#[rstest]`
((attribute_item (attribute [(identifier) @_kind (scoped_identifier name: (identifier) @_kind)]))
 . (attribute_item)*
 . (function_item name: (identifier) @test)
 (#any-of? @_kind "test" "rstest" "test_case" "proptest"))
