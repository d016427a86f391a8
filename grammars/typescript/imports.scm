; inherits: javascript
; `import x = require("a")`
((import_require_clause source: (string) @system)
 (#not-match? @system "^.[./]"))
((import_require_clause source: (string) @local)
 (#match? @local "^.[./]"))
