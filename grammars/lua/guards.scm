((function_call name: (identifier) @_call arguments: (arguments . (identifier) @_require)) @scope
 (#eq? @_call "pcall")
 (#eq? @_require "require")
 (#set! form "pcall"))
((function_declaration name: (_) @condition body: (block) @scope)
 (#set! form "function {}"))
