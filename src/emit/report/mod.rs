//! `report.html`: one self-contained page about a run. No request leaves it, no script runs in it, and whatever
//! came from the repository stands in it as text.

mod pyramid;
pub use pyramid::counts;
mod timeline;
mod view;

use std::collections::BTreeMap;

use handlebars::Handlebars;

use crate::plan::{Plan, RepositoryId};
use crate::pyramid::Pyramid;
use crate::run::{Event, Run};
use crate::verify::Certificate;

static TEMPLATES: include_dir::Dir<'_> =
    include_dir::include_dir!("$CARGO_MANIFEST_DIR/templates/report");

/// What the page shows.
#[derive(Debug, Clone, Copy)]
pub struct ReportData<'a> {
    pub repository: &'a RepositoryId,
    /// Number of nodes by kind, and `edges`.
    pub graph_summary: &'a BTreeMap<String, usize>,
    pub plan: &'a Plan,
    /// `setup.sh` as written.
    pub script_text: &'a str,
    pub pyramid: &'a Pyramid,
    pub run: &'a Run,
    pub certificate: &'a Certificate,
    pub events: &'a [Event],
}

/// A template of the page does not parse or asks for what is not there.
#[derive(Debug, thiserror::Error)]
#[error("the report's template: {0}\n  this is a defect of envc, not of the repository")]
pub struct ReportError(String);

/// Writes the page.
///
/// # Errors
/// Only where a template is defective, never for what a repository holds.
pub fn report(data: &ReportData<'_>) -> Result<String, ReportError> {
    let mut engine = Handlebars::new();
    engine.set_strict_mode(true);
    for file in TEMPLATES.files() {
        let name = file.path().file_name().and_then(|name| name.to_str());
        let (Some(name), Some(text)) = (name, file.contents_utf8()) else {
            continue;
        };
        let name = name.strip_suffix(".hbs").unwrap_or(name);
        engine
            .register_template_string(name, text)
            .map_err(|error| ReportError(error.to_string()))?;
    }
    engine
        .render("report.html", &view::view(data))
        .map_err(|error| ReportError(error.to_string()))
}

#[cfg(test)]
mod tests;
