(function_declaration name: (identifier) @function)
(generator_function_declaration name: (identifier) @function)
(class_declaration name: (_) @type)
(method_definition name: (property_identifier) @function)
(program (lexical_declaration (variable_declarator name: (identifier) @function
 value: [(arrow_function) (function_expression)])))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @function
 value: [(arrow_function) (function_expression)]))))
