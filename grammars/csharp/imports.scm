; `using A.B;`, `using static A.B;`, `using X = A.B;`
(using_directive !name [(qualified_name) (identifier)] @system)
(using_directive name: (identifier) (qualified_name) @system)
