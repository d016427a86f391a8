; `import A`, `@testable import A`, `import struct A.B`
(import_declaration (identifier) @system)
