(function_declaration name: (identifier) @function)
(source_file (variable_declaration (identifier) @type [(struct_declaration) (enum_declaration) (union_declaration)]))
