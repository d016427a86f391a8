(function_definition name: (identifier) @function)
(class_definition name: (identifier) @type)
