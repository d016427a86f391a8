; `import a.b.C;`, `import static a.b.C.d;`, `import a.b.*;`. What `java.` holds comes with every runtime.
((import_declaration [(scoped_identifier) (identifier)] @system)
 (#not-match? @system "^java\\."))
