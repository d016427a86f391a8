; `use A\B\C;` at the top of a file or a namespace.
(namespace_use_declaration (namespace_use_clause . [(qualified_name) (name)] @system))
; `require "a.php"`, `require __DIR__ . "/a.php"`
[(require_expression (string (string_content) @local))
 (require_once_expression (string (string_content) @local))
 (include_expression (string (string_content) @local))
 (include_once_expression (string (string_content) @local))
 (require_expression (encapsed_string . (string_content) @local .))
 (require_once_expression (encapsed_string . (string_content) @local .))
 (include_expression (encapsed_string . (string_content) @local .))
 (include_once_expression (encapsed_string . (string_content) @local .))]
([(require_expression (binary_expression left: (_) @_dir right: (string (string_content) @local)))
  (require_once_expression (binary_expression left: (_) @_dir right: (string (string_content) @local)))
  (include_expression (binary_expression left: (_) @_dir right: (string (string_content) @local)))
  (include_once_expression (binary_expression left: (_) @_dir right: (string (string_content) @local)))]
 (#eq? @_dir "__DIR__"))
