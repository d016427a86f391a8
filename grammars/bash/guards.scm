; `if condition; then … fi`
(if_statement condition: (_) @condition) @scope
