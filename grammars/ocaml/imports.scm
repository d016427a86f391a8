; `open A.B`, `include A`. A module of the project and one of a library look alike.
(open_module (module_path) @system)
(include_module (module_path) @system)
