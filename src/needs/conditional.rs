//! Parts of makefiles that say less than they name: Automake's conditions, and lists that are not compiled.

/// Where a line of a `Makefile.am` stands (Automake's manual, "Conditionals" and "EXTRA_DIST").
pub struct Automake {
    is_one: bool,
    depth: usize,
    /// The variable that the line sets, which continued lines go on with.
    variable: String,
    continued: bool,
}

impl Automake {
    pub fn of(path: &str) -> Self {
        Self {
            is_one: path.ends_with(".am"),
            depth: 0,
            variable: String::new(),
            continued: false,
        }
    }

    /// Reads a line; true where it names nothing that is compiled.
    pub fn skips(&mut self, line: &str) -> bool {
        if !self.is_one {
            return false;
        }
        if !self.continued {
            self.variable.clear();
            match line.split_whitespace().next() {
                Some("if") => self.depth += 1,
                Some("endif") => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            if let Some((name, _)) = line.split_once('=')
                && !line.starts_with('\t')
            {
                name.trim()
                    .trim_end_matches('+')
                    .trim()
                    .clone_into(&mut self.variable);
            }
        }
        self.continued = line.trim_end().ends_with('\\');
        matches!(
            self.variable.as_str(),
            "EXTRA_DIST"
                | "CLEANFILES"
                | "DISTCLEANFILES"
                | "MAINTAINERCLEANFILES"
                | "DIST_SUBDIRS"
        )
    }

    /// Under a condition, or a source that `configure` may choose.
    pub fn is_conditional(&self) -> bool {
        self.is_one && (self.depth > 0 || self.variable.starts_with("EXTRA_"))
    }

    /// The line names directories that make enters.
    pub fn enters(&self) -> bool {
        self.variable == "SUBDIRS"
            || self.variable.ends_with("_SUBDIRS")
            || self.variable.ends_with("_DIRS")
    }
}

/// Rules of a `Makefile.in` that tell what an object is made of: dependencies, listed for every source that might be
/// compiled.
pub struct ObjectRule {
    is_template: bool,
    inside: bool,
}

impl ObjectRule {
    pub fn of(path: &str) -> Self {
        Self {
            is_template: path.ends_with("Makefile.in"),
            inside: false,
        }
    }

    /// Reads a line; true where it belongs to such a rule.
    pub fn skips(&mut self, line: &str) -> bool {
        if !self.is_template {
            return false;
        }
        let starts = line.split_once(':').is_some_and(|(targets, rest)| {
            let mut targets = targets.split_whitespace().peekable();
            targets.peek().is_some()
                && !rest.starts_with('=')
                && targets.all(|target| target.ends_with(".o") || target.ends_with(".lo"))
        });
        let skipped = starts || self.inside;
        self.inside = skipped && line.trim_end().ends_with('\\');
        skipped
    }
}
