; `try { require("a") } catch …`: optional.
((try_statement body: (statement_block) @scope handler: (catch_clause))
 (#set! form "try"))
((try_statement handler: (catch_clause) @scope)
 (#set! form "catch"))
; Inside a function: only when it is called.
(function_declaration name: (identifier) @condition body: (statement_block) @scope
 (#set! form "function {}"))
