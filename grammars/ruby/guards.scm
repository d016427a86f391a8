; `begin; require "a"; rescue LoadError; …; end`: optional.
((begin (rescue)) @scope
 (#match? @scope "rescue\\s+(::)?LoadError")
 (#set! form "begin"))
((if condition: (_) @condition) @scope
 (#set! form "if {}"))
((if_modifier condition: (_) @condition) @scope
 (#set! form "if {}"))
(method name: (_) @condition body: (_) @scope
 (#set! form "def {}"))
