; `@main struct X`
((class_declaration (modifiers (attribute (user_type (type_identifier) @_attribute))) name: (type_identifier) @main)
 (#eq? @_attribute "main"))
