((preproc_if condition: (_) @condition alternative: (_)? @except) @scope
 (#set! form "{}"))
(preproc_if condition: (_) @condition alternative: (_) @scope
 (#set! form "!({})"))
