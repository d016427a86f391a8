; inherits: javascript
(abstract_class_declaration name: (_) @type)
(interface_declaration name: (_) @type)
(type_alias_declaration name: (_) @type)
(enum_declaration name: (_) @type)
(function_signature name: (identifier) @function)
