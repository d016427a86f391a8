; `it("…", …)`, `test("…", …)`, with `.only`, `.each` or the like: Jest, Vitest, Mocha, Jasmine, AVA, node:test.
((call_expression
  function: [
   (identifier) @_call
   (member_expression object: (identifier) @_call)]
  arguments: (arguments . [(string) (template_string)] @test . (_)))
 (#any-of? @_call "it" "test"))
