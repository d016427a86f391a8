//! The files of a build, by name.

use super::files::Artifact;
use crate::graph::KnowledgeGraph;
use crate::plan::Plan;
use crate::pyramid::Pyramid;
use crate::verify::Certificate;

/// What a build writes. What is `None` is not written; an old certificate or report beside a new
/// `setup.sh` is removed (see [`super::files::OutDir::publish`]).
#[derive(Debug, Clone, Copy)]
pub struct Artifacts<'a> {
    pub setup_sh: &'a str,
    pub dockerfile: &'a str,
    pub dockerignore: &'a str,
    pub plan: &'a Plan,
    pub pyramid: &'a Pyramid,
    pub graph: Option<&'a KnowledgeGraph>,
    pub certificate: Option<&'a Certificate>,
    pub report: Option<&'a str>,
}

impl Artifacts<'_> {
    /// The files, ready to be published together. The ignore file is named for its Dockerfile
    /// (`Dockerfile.dockerignore`), so that BuildKit takes it and the repository's own stays as it is.
    ///
    /// # Errors
    /// A value cannot be written as JSON.
    pub fn files(&self) -> serde_json::Result<Vec<Artifact>> {
        let mut files = vec![
            Artifact::setup(self.setup_sh),
            Artifact::text("Dockerfile", self.dockerfile),
            Artifact::text("Dockerfile.dockerignore", self.dockerignore),
            Artifact::json("plan.json", self.plan)?,
            Artifact::json("pyramid.json", self.pyramid)?,
        ];
        if let Some(graph) = self.graph {
            files.push(Artifact::json("graph.json", graph)?);
        }
        if let Some(certificate) = self.certificate {
            files.push(Artifact::json("certificate.json", certificate)?);
        }
        files.extend(
            self.report
                .map(|report| Artifact::text("report.html", report)),
        );
        Ok(files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::files::OutDir;
    use crate::verify::sample;

    #[test]
    fn all_files_are_written_and_read_back() {
        let dir = tempfile::tempdir().unwrap();
        let out = OutDir::create(&dir.path().join(".envc")).unwrap();
        let plan = sample::plan();
        let pyramid = sample::pyramid();
        let artifacts = Artifacts {
            setup_sh: "#!/usr/bin/env bash\n",
            dockerfile: "FROM debian:bookworm\n",
            dockerignore: ".git\n",
            plan: &plan,
            pyramid: &pyramid,
            graph: Some(&KnowledgeGraph::new()),
            certificate: None,
            report: Some("<!doctype html>"),
        };
        out.publish(&artifacts.files().unwrap()).unwrap();
        let read = |name: &str| out.read(name).unwrap();
        let again: Plan = serde_json::from_slice(&read("plan.json").unwrap()).unwrap();
        assert_eq!(again, plan);
        assert!(read("Dockerfile.dockerignore").is_some() && read("graph.json").is_some());
        assert_eq!(read("certificate.json"), None);
    }
}
