; `#[cfg(…)]` before an item, other attributes between or not.
((attribute_item (attribute (identifier) @_cfg arguments: (token_tree) @condition))
 . (attribute_item)*
 . [(use_declaration) (mod_item) (function_item) (extern_crate_declaration)] @scope
 (#eq? @_cfg "cfg")
 (#set! form "cfg{}"))
; `#![cfg(…)]` at the head of a file.
(source_file
 (inner_attribute_item (attribute (identifier) @_cfg arguments: (token_tree) @condition))
 (#eq? @_cfg "cfg")
 (#set! form "cfg{}")) @scope
