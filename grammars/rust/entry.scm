; `fn main` at the top of a file.
(source_file (function_item name: (identifier) @main)
 (#eq? @main "main"))
