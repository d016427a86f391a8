(declarations (bind name: (variable) @main)
 (#eq? @main "main"))
