; `@import("a")`: a file by its name, else a module. `std` and the like come with the compiler.
((builtin_function (builtin_identifier) @_call (arguments (string (string_content) @local)))
 (#eq? @_call "@import")
 (#match? @local "\\.(zig|zon)$"))
((builtin_function (builtin_identifier) @_call (arguments (string (string_content) @system)))
 (#eq? @_call "@import")
 (#not-match? @system "\\.(zig|zon)$")
 (#not-any-of? @system "std" "builtin" "root"))
; `@cInclude("a.h")`: a C header.
((builtin_function (builtin_identifier) @_call (arguments (string (string_content) @system)))
 (#eq? @_call "@cInclude"))
