; `static void main(…)`
((method_declaration (modifiers) @_modifiers type: (void_type) name: (identifier) @main)
 (#eq? @main "main")
 (#match? @_modifiers "\\bstatic\\b"))
