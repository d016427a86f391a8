(source_file (function_declaration name: (identifier) @function))
(source_file (method_declaration name: (field_identifier) @function))
(source_file (type_declaration [(type_spec name: (type_identifier) @type) (type_alias name: (type_identifier) @type)]))
