; `import a.b.C`, `import a.b.*`. What `kotlin.` and `java.` hold comes with the compiler.
((import (qualified_identifier) @system)
 (#not-match? @system "^(kotlin|java)\\."))
