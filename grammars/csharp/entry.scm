; `static … Main(…)`
((method_declaration (modifier) @_modifier name: (identifier) @main)
 (#eq? @_modifier "static")
 (#eq? @main "Main"))
