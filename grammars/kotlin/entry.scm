; `fun main` at the top of a file.
(source_file (function_declaration name: (identifier) @main)
 (#eq? @main "main"))
