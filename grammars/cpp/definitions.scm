; inherits: c
(class_specifier name: (type_identifier) @type body: (_))
(function_definition declarator: (function_declarator declarator: [
 (field_identifier) @function
 (qualified_identifier name: (identifier) @function)]))
(field_declaration declarator: (function_declarator declarator: (field_identifier) @function))
(alias_declaration name: (type_identifier) @type)
