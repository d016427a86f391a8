; `import a.b.C`, `import a.b.{C, D}`. What `scala.` and `java.` hold comes with the compiler.
((import_declaration) @system
 (#not-match? @system "^import\\s+(scala|java)\\.")
 (#strip! @system "^import\\s+"))
