; `#if C … #else … #endif`: the first branch, less the alternative that lies inside the node.
((preproc_if condition: (_) @condition alternative: (_)? @except) @scope
 (#set! form "{}"))
(preproc_if condition: (_) @condition alternative: (_) @scope
 (#set! form "!({})"))
((preproc_elif condition: (_) @condition alternative: (_)? @except) @scope
 (#set! form "{}"))
(preproc_elif condition: (_) @condition alternative: (_) @scope
 (#set! form "!({})"))

((preproc_ifdef "#ifdef" name: (identifier) @condition alternative: (_)? @except) @scope
 (#set! form "defined({})"))
(preproc_ifdef "#ifdef" name: (identifier) @condition alternative: (_) @scope
 (#set! form "!defined({})"))
((preproc_ifdef "#ifndef" name: (identifier) @condition alternative: (_)? @except) @scope
 (#set! form "!defined({})"))
(preproc_ifdef "#ifndef" name: (identifier) @condition alternative: (_) @scope
 (#set! form "defined({})"))

; An include guard defines what it tests for: true when the file is first read.
((preproc_ifdef "#ifndef" name: (identifier) @_tested (preproc_def name: (identifier) @_defined)) @scope
 (#eq? @_tested @_defined)
 (#set! cancel))
