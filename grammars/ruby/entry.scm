; `if __FILE__ == $0`
((if condition: (binary left: (_) @_left right: (_) @_right)) @main @script
 (#any-of? @_left "__FILE__" "$0" "$PROGRAM_NAME")
 (#any-of? @_right "__FILE__" "$0" "$PROGRAM_NAME"))
