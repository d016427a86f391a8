; `require "a/b"`; a name that is computed is not known before it runs.
((call !receiver method: (identifier) @_call arguments: (argument_list . (string . (string_content) @system .)))
 (#eq? @_call "require"))
((call !receiver method: (identifier) @_call arguments: (argument_list . (string . (string_content) @local .)))
 (#any-of? @_call "require_relative" "load"))
((call !receiver method: (identifier) @_call
  arguments: (argument_list . (simple_symbol) . (string . (string_content) @system .)))
 (#eq? @_call "autoload"))
