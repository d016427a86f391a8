; `//go:build linux && cgo` holds for the whole file.
((source_file (comment) @condition) @scope
 (#match? @condition "^//go:build ")
 (#strip! @condition "^//go:build "))
