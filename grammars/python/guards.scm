; `try: import a` with a handler for a missing module: optional. What the handler imports is the substitute.
((try_statement body: (block) @scope (except_clause) @_handler)
 (#match? @_handler "^except\\s*(:|.*(ImportError|ModuleNotFoundError|Exception))")
 (#set! form "try"))
((try_statement (except_clause) @scope)
 (#match? @scope "^except\\s*(:|.*(ImportError|ModuleNotFoundError|Exception))")
 (#set! form "except"))
(if_statement condition: (_) @condition consequence: (block) @scope
 (#set! form "if {}"))
(if_statement condition: (_) @condition alternative: (else_clause) @scope
 (#set! form "else of if {}"))
(elif_clause condition: (_) @condition consequence: (block) @scope
 (#set! form "if {}"))
(function_definition name: (identifier) @condition body: (block) @scope
 (#set! form "def {}"))
; `with contextlib.suppress(ImportError):`
((with_statement (with_clause) @_clause body: (block) @scope)
 (#match? @_clause "suppress\\(.*(ImportError|ModuleNotFoundError|Exception)")
 (#set! form "try"))
; `pytest.importorskip("a")` skips the test.
((call function: (attribute attribute: (identifier) @_call)) @scope
 (#eq? @_call "importorskip")
 (#set! form "importorskip"))
