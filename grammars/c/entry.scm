; `int main(…)`, with any result type.
(function_definition
 declarator: (function_declarator declarator: (identifier) @main)
 (#eq? @main "main"))
