; ExUnit's `test "…" do` and StreamData's `property "…" do`.
((call target: (identifier) @_call (arguments . (string) @test) (do_block))
 (#any-of? @_call "test" "property"))
