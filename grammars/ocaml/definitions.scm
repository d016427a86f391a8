(compilation_unit (value_definition (let_binding pattern: (value_name) @function (parameter))))
(type_definition (type_binding name: (type_constructor) @type))
(module_definition (module_binding (module_name) @type))
