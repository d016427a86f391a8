(source_file (function_declaration name: (identifier) @main)
 (#eq? @main "main"))
