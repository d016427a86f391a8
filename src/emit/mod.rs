//! Stage 11: everything → files for people and tools.
