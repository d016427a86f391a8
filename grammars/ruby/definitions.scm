(class name: (_) @type)
(module name: (_) @type)
(method name: (_) @function)
(singleton_method name: (_) @function)
