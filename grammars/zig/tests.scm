(test_declaration [(string) (identifier)] @test)
