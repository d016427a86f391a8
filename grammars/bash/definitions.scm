(function_definition name: (word) @function)
