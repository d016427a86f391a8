; `source file` and `. file`; a name with an expansion in it is not known before it runs.
((command name: (command_name) @_command . argument: (word) @local)
 (#any-of? @_command "source" "."))
((command name: (command_name) @_command . argument: (string . (string_content) @local .))
 (#any-of? @_command "source" "."))
