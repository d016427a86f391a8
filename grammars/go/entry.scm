; `func main` of `package main`.
(source_file
 (package_clause (package_identifier) @_package)
 (function_declaration name: (identifier) @main)
 (#eq? @_package "main")
 (#eq? @main "main"))
