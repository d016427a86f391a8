(class_declaration name: (type_identifier) @type)
(protocol_declaration name: (type_identifier) @type)
(function_declaration name: (simple_identifier) @function)
