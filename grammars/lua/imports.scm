; `require "a.b"`, `require("a.b")`
((function_call name: (identifier) @_call arguments: (arguments . (string content: (string_content) @system)))
 (#eq? @_call "require"))
((function_call name: (identifier) @_call arguments: (arguments . (string content: (string_content) @local)))
 (#any-of? @_call "dofile" "loadfile"))
; `pcall(require, "a")`: optional.
((function_call name: (identifier) @_call
  arguments: (arguments . (identifier) @_require . (string content: (string_content) @system)))
 (#eq? @_call "pcall")
 (#eq? @_require "require"))
