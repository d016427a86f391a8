; `#include <…>` and `#include "…"`. A macro as the target (`#include FT_FREETYPE_H`) names no file.
(preproc_include path: (system_lib_string) @system)
(preproc_include path: (string_literal) @local)
