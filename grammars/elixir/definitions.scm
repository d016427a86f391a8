((call target: (identifier) @_call (arguments . (alias) @type))
 (#any-of? @_call "defmodule" "defprotocol"))
((call target: (identifier) @_call (arguments . [
  (identifier) @function
  (call target: (identifier) @function)
  (binary_operator left: (call target: (identifier) @function) operator: "when")]))
 (#any-of? @_call "def" "defmacro"))
