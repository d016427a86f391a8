; `it "…"` of Hspec, `testCase "…"` and `testProperty "…"` of Tasty, `prop_…` of QuickCheck.
((apply function: (variable) @_call argument: (literal (string) @test))
 (#any-of? @_call "it" "specify" "testCase" "testProperty"))
((declarations [(function name: (variable) @test) (bind name: (variable) @test)])
 (#match? @test "^prop_"))
