//! What is kept of a command's output: its beginning and its end, whatever lies between.

/// Bytes kept of the beginning and of the end.
const HEAD: usize = 1 << 20;
const TAIL: usize = 4 << 20;

/// A bounded copy of an output, and its lines as they come.
#[derive(Debug, Default)]
pub struct Capture {
    head: Vec<u8>,
    tail: Vec<u8>,
    dropped: u64,
}

impl Capture {
    pub fn push(&mut self, bytes: &[u8]) {
        let room = HEAD.saturating_sub(self.head.len());
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(first);
        self.tail.extend_from_slice(rest);
        if self.tail.len() > 2 * TAIL {
            let cut = self.tail.len() - TAIL;
            self.tail.drain(..cut);
            self.dropped += cut as u64;
        }
    }

    /// The kept output; where something was dropped a line says how much.
    pub fn text(&self) -> String {
        let mut bytes = self.head.clone();
        if self.dropped > 0 {
            bytes.extend_from_slice(format!("\n[{} bytes left out]\n", self.dropped).as_bytes());
        }
        bytes.extend_from_slice(&self.tail);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// Cuts a stream into lines for the observers; a line without end is handed over in pieces.
#[derive(Debug, Default)]
pub struct Lines {
    pending: Vec<u8>,
}

/// Bytes after which an unfinished line is handed over.
const LONGEST: usize = 8 << 10;

impl Lines {
    pub fn push(&mut self, bytes: &[u8], mut line: impl FnMut(&str)) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.pending.extend_from_slice(piece);
            if piece.ends_with(b"\n") || self.pending.len() > LONGEST {
                self.flush(&mut line);
            }
        }
    }

    pub fn flush(&mut self, mut line: impl FnMut(&str)) {
        if !self.pending.is_empty() {
            let text = String::from_utf8_lossy(&self.pending);
            line(text.trim_end_matches(['\n', '\r']));
            self.pending.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_are_kept() {
        let mut capture = Capture::default();
        capture.push(b"first\n");
        for _ in 0..40 {
            capture.push(&vec![b'x'; 1 << 20]);
        }
        capture.push(b"\nlast");
        let text = capture.text();
        assert!(text.starts_with("first"));
        assert!(text.ends_with("last"));
        assert!(text.contains("bytes left out"));
        assert!(text.len() < HEAD + 2 * TAIL + 100);
    }

    #[test]
    fn lines_survive_odd_cuts() {
        let mut lines = Lines::default();
        let mut seen = Vec::new();
        for part in ["a", "b\nc", "d\r\n", "e"] {
            lines.push(part.as_bytes(), |line| seen.push(line.to_owned()));
        }
        lines.flush(|line| seen.push(line.to_owned()));
        assert_eq!(seen, ["ab", "cd", "e"]);
    }
}
