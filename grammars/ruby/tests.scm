; Methods that Minitest and test-unit run.
((method name: (identifier) @test)
 (#match? @test "^test_"))
; RSpec's, Minitest::Spec's and Rails' blocks.
((call !receiver method: (identifier) @_call arguments: (argument_list . (string) @test) block: (_))
 (#any-of? @_call "it" "specify" "test" "scenario"))
