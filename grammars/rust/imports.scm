; Crates that are used by path. The crate itself and what comes with the compiler say nothing about needs.
((use_declaration argument: (_) @system)
 (#not-match? @system "^(::)?(crate|self|super|std|core|alloc)\\b"))
(extern_crate_declaration name: (identifier) @system
 (#not-any-of? @system "std" "core" "alloc" "proc_macro" "test" "self"))
; Modules of the file: what starts with one of them is the crate's own.
(mod_item name: (identifier) @declared)
