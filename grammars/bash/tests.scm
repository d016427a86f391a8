; Functions that shunit2 and bats-like runners call.
(function_definition name: (word) @test
 (#match? @test "^test_"))
