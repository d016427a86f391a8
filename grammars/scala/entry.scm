; `def main(args: Array[String])`, `@main def f`, `object X extends App`.
((function_definition name: (identifier) @main parameters: (parameters) @_parameters)
 (#eq? @main "main")
 (#match? @_parameters "Array\\[String\\]"))
((function_definition (annotation name: (type_identifier) @_annotation) name: (identifier) @main)
 (#eq? @_annotation "main"))
((object_definition name: (identifier) @main extend: (extends_clause type: (type_identifier) @_type))
 (#any-of? @_type "App" "IOApp" "ZIOAppDefault"))
