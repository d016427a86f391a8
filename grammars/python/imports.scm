; `import a.b`, `import a.b as c`
(import_statement name: (dotted_name) @system)
(import_statement name: (aliased_import name: (dotted_name) @system))
; `from a.b import c`; `__future__` has a node of its own and is no module.
(import_from_statement module_name: (dotted_name) @system)
; `from .a import b`
(import_from_statement module_name: (relative_import) @local)
; `importlib.import_module("a")`, `__import__("a")`, `pytest.importorskip("a")`
(call
 function: [(attribute attribute: (identifier) @_call) (identifier) @_call]
 arguments: (argument_list . (string (string_content) @system))
 (#any-of? @_call "import_module" "__import__" "importorskip")
 (#match? @system "^[A-Za-z_][A-Za-z0-9_.]*$"))
