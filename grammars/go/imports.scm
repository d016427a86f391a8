; `import "a/b"`, alone or in a list, with or without a name of its own. `import "C"` asks for a C compiler.
(import_spec path: [(interpreted_string_literal) (raw_string_literal)] @system)
