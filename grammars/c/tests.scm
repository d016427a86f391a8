; Functions by the names that runners look for (Check, CMocka, Unity, GLib).
(function_definition
 declarator: (function_declarator declarator: (identifier) @test)
 (#match? @test "^test_"))
