[(class_declaration name: (identifier) @type)
 (interface_declaration name: (identifier) @type)
 (enum_declaration name: (identifier) @type)
 (record_declaration name: (identifier) @type)
 (annotation_type_declaration name: (identifier) @type)]
(method_declaration name: (identifier) @function)
