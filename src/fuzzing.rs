//! Ways in for the fuzz targets in `fuzz/`, to readers that nothing public calls alone. No part of the interface.

/// Takes shell text apart as the pyramid does; the number of statements.
pub fn shell_statements(text: &str) -> usize {
    crate::pyramid::shell_statements(text)
}
