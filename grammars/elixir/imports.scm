; `use A.B`, `import A`, `require A`. `alias` only renames what is used elsewhere.
((call target: (identifier) @_call (arguments . (alias) @system))
 (#any-of? @_call "use" "import" "require"))
