; `if (require.main === module)`
((if_statement condition: (parenthesized_expression (binary_expression
  left: (_) @_left right: (_) @_right))) @main @script
 (#eq? @_left "require.main")
 (#eq? @_right "module"))
