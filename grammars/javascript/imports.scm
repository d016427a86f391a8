; `import … from "a"`, `import "a"`, `export … from "a"`: a path that starts with a dot or a slash is the
; project's own.
((import_statement source: (string) @system)
 (#not-match? @system "^.[./]"))
((import_statement source: (string) @local)
 (#match? @local "^.[./]"))
((export_statement source: (string) @system)
 (#not-match? @system "^.[./]"))
((export_statement source: (string) @local)
 (#match? @local "^.[./]"))
; `require("a")`, `import("a")`
((call_expression
  function: [(identifier) @_call (import) @_call]
  arguments: (arguments . (string) @system))
 (#any-of? @_call "require" "import")
 (#not-match? @system "^.[./]"))
((call_expression
  function: [(identifier) @_call (import) @_call]
  arguments: (arguments . (string) @local))
 (#any-of? @_call "require" "import")
 (#match? @local "^.[./]"))
