[(class_definition name: (identifier) @type)
 (object_definition name: (identifier) @type)
 (trait_definition name: (identifier) @type)
 (enum_definition name: (identifier) @type)]
(function_definition name: (identifier) @function)
