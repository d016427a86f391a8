//! GitLab CI (`.gitlab-ci.yml` keyword reference).

use std::collections::BTreeMap;

use super::{Emit, Script, os_of_label, short_name, variables};
use crate::graph::Os;
use crate::graph::yaml::{Value, Yaml};

/// Top-level keys that are no jobs.
const GLOBAL: &[&str] = &[
    "default",
    "include",
    "stages",
    "variables",
    "workflow",
    "image",
    "services",
    "before_script",
    "after_script",
    "cache",
    "spec",
];

/// `extends` chains and references longer than this are not followed.
const MAX_EXTENDS: usize = 10;

/// Files that are included.
const MAX_INCLUDES: usize = 50;

/// Jobs of a pipeline that are read.
const MAX_JOBS: usize = 500;

/// A pipeline with the files that it includes; what is written later wins.
struct Pipeline {
    documents: Vec<Yaml>,
}

pub(super) fn pipeline(yaml: &Yaml, emit: &mut Emit) {
    let mut documents = Vec::new();
    include(yaml, emit, &mut documents, 0);
    documents.push(yaml.clone());
    let pipeline = Pipeline { documents };
    for service in pipeline.global("services").map_or(&[][..], Yaml::list) {
        emit_service(service, &BTreeMap::new(), emit);
    }
    for (name, job) in pipeline.jobs().into_iter().take(MAX_JOBS) {
        pipeline.job(name, job, emit);
    }
}

/// Files of the repository that a pipeline includes, in their order.
fn include(yaml: &Yaml, emit: &mut Emit, documents: &mut Vec<Yaml>, depth: usize) {
    for item in yaml.list_at(&["include"]) {
        let path = item.text_at(&["local"]).or_else(|| item.text());
        let Some(path) = path.filter(|path| !path.contains("://")) else {
            continue;
        };
        for path in matching(path.trim_start_matches('/'), emit) {
            if documents.len() >= MAX_INCLUDES || depth > 5 || emit.was_used(&path) {
                continue;
            }
            for found in emit.documents(&path) {
                include(&found, emit, documents, depth + 1);
                documents.push(found);
            }
        }
    }
}

/// `ci/*.yml` and `ci/**.yml` are patterns.
fn matching(path: &str, emit: &Emit) -> Vec<String> {
    if !path.contains('*') {
        return vec![path.to_owned()];
    }
    let Ok(glob) = globset::GlobBuilder::new(path)
        .literal_separator(!path.contains("**"))
        .build()
    else {
        return Vec::new();
    };
    let matcher = glob.compile_matcher();
    let files = emit.repository.files.iter();
    files
        .filter(|entry| matcher.is_match(&entry.path))
        .map(|entry| entry.path.clone())
        .take(MAX_INCLUDES)
        .collect()
}

impl Pipeline {
    fn get(&self, name: &str) -> Option<&Yaml> {
        self.documents.iter().rev().find_map(|yaml| yaml.get(name))
    }

    fn global(&self, key: &str) -> Option<&Yaml> {
        let of_default = |yaml: &'_ Yaml| yaml.at(&["default", key]).is_some();
        match self.get(key) {
            Some(value) => Some(value),
            None => {
                let found = self.documents.iter().rev().find(|yaml| of_default(yaml));
                found.and_then(|yaml| yaml.at(&["default", key]))
            }
        }
    }

    fn jobs(&self) -> Vec<(&str, &Yaml)> {
        let all = self.documents.iter().flat_map(Yaml::map);
        let mut jobs: Vec<(&str, &Yaml)> = Vec::new();
        for (name, job) in all {
            if GLOBAL.contains(&name.as_str()) || name.starts_with('.') || job.map().is_empty() {
                continue;
            }
            match jobs.iter_mut().find(|(known, _)| known == name) {
                // A job of an included file that is written again is merged; what the later one leaves open is looked
                // up in the earlier one only by its script.
                Some(known) if job.get("script").is_some() => known.1 = job,
                Some(_) => {}
                None => jobs.push((name, job)),
            }
        }
        jobs
    }

    /// A key of a job or of what it extends, nearest first; the last of several parents wins.
    fn inherited<'a>(&'a self, job: &'a Yaml, key: &str, depth: usize) -> Option<&'a Yaml> {
        if let Some(value) = job.get(key) {
            return Some(value);
        }
        if depth > MAX_EXTENDS {
            return None;
        }
        let parents = job.list_at(&["extends"]).iter().rev().take(MAX_EXTENDS);
        parents
            .filter_map(Yaml::text)
            .filter_map(|name| self.get(name))
            .find_map(|parent| self.inherited(parent, key, depth + 1))
    }

    /// Maps of a job and of all that it extends, merged.
    fn merged(&self, job: &Yaml, key: &str, depth: usize) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        if depth < MAX_EXTENDS {
            let parents = job.list_at(&["extends"]).iter().take(MAX_EXTENDS);
            for parent in parents
                .filter_map(Yaml::text)
                .filter_map(|name| self.get(name))
            {
                found.extend(self.merged(parent, key, depth + 1));
            }
        }
        found.extend(self.variables(job.get(key), 0));
        found
    }

    /// A map of variables, through a `!reference`.
    fn variables(&self, yaml: Option<&Yaml>, depth: usize) -> BTreeMap<String, String> {
        match yaml.map(|yaml| &yaml.value) {
            Some(Value::Reference(way)) if depth < MAX_EXTENDS => {
                self.variables(self.reference(way), depth + 1)
            }
            _ => variables(yaml),
        }
    }

    fn reference(&self, way: &[String]) -> Option<&Yaml> {
        let (first, rest) = way.split_first()?;
        rest.iter()
            .try_fold(self.get(first)?, |node, key| node.get(key))
    }

    /// Adds a script with what it refers to in its place.
    fn extend(&self, script: &mut Script, yaml: &Yaml, depth: usize) {
        if depth > MAX_EXTENDS {
            return;
        }
        match &yaml.value {
            Value::Reference(way) => {
                if let Some(found) = self.reference(way) {
                    self.extend(script, found, depth + 1);
                }
            }
            Value::List(items) => {
                for item in items {
                    self.extend(script, item, depth + 1);
                }
            }
            _ => script.extend(yaml),
        }
    }

    fn job(&self, name: &str, job: &Yaml, emit: &mut Emit) {
        let key = |key: &str| self.inherited(job, key, 0);
        let Some(run) = key("script").or_else(|| key("run")) else {
            return;
        };
        let mut env = self.variables(self.get("variables"), 0);
        env.extend(self.merged(job, "variables", 0));
        let rows = rows(key("parallel"));
        if let Some(row) = rows.first() {
            env.extend(row.clone());
        }
        for service in key("services").map_or(&[][..], Yaml::list) {
            emit_service(service, &env, emit);
        }
        let image = key("image").or_else(|| self.global("image"));
        let named = image.and_then(image_name).map(|name| filled(name, &env));
        if let (Some(yaml), Some(_)) = (image, &named) {
            for row in rows.iter().chain(rows.is_empty().then_some(&env)) {
                let mut env = env.clone();
                env.extend(row.clone());
                let name = filled(image_name(yaml).unwrap_or_default(), &env);
                if !name.contains('$') {
                    emit.image(&name, yaml.mark);
                }
            }
        }
        let tags = key("tags").map_or(&[][..], Yaml::list).iter();
        let os = tags
            .filter_map(Yaml::text)
            .filter_map(|tag| os_of_label(&filled(tag, &env)))
            .next()
            .or(named.map(|image| os_of_label(&image).unwrap_or(Os::Linux)));
        let mut script = Script::new(name, os);
        // GitLab runs both in one shell.
        if let Some(before) = key("before_script").or_else(|| self.global("before_script")) {
            self.extend(&mut script, before, 0);
        }
        self.extend(&mut script, run, 0);
        script.row = rows.first().cloned().unwrap_or_default();
        script.env = env;
        if os == Some(Os::Windows) {
            script.shell = Some("pwsh".to_owned());
        }
        emit.script(&script);
    }
}

/// Rows of `parallel: matrix:`, a list of maps from variables to values.
fn rows(parallel: Option<&Yaml>) -> Vec<BTreeMap<String, String>> {
    const MAX_ROWS: usize = 200;
    let mut all = Vec::new();
    for entry in parallel.map_or(&[][..], |parallel| parallel.list_at(&["matrix"])) {
        let mut rows = vec![BTreeMap::new()];
        for (name, values) in entry.map() {
            let mut next = Vec::new();
            for row in &rows {
                for value in values.list().iter().filter_map(Yaml::text) {
                    if next.len() + all.len() < MAX_ROWS {
                        let mut row: BTreeMap<String, String> = row.clone();
                        row.insert(name.clone(), value.to_owned());
                        next.push(row);
                    }
                }
            }
            rows = next;
        }
        all.extend(rows.into_iter().filter(|row| !row.is_empty()));
    }
    all
}

/// `$NAME` and `${NAME}` of variables that the pipeline sets; longest names first, so that `$AB` is not `$A`.
fn filled(text: &str, env: &BTreeMap<String, String>) -> String {
    let mut names: Vec<&String> = env.keys().collect();
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    let mut text = text.to_owned();
    // Variables may name others.
    for _ in 0..2 {
        for name in &names {
            if text.contains('$') && text.len() < 1000 {
                let value = env.get(*name).map_or("", String::as_str);
                text = text.replace(&format!("${{{name}}}"), value);
                text = text.replace(&format!("${name}"), value);
            }
        }
    }
    text
}

fn image_name(yaml: &Yaml) -> Option<&str> {
    yaml.text().or_else(|| yaml.text_at(&["name"]))
}

fn emit_service(service: &Yaml, env: &BTreeMap<String, String>, emit: &mut Emit) {
    let image = image_name(service).map(|image| filled(image, env));
    let Some(image) = image.filter(|image| !image.contains('$')) else {
        return;
    };
    let short = short_name(&image).to_owned();
    // The daemon of a job that builds images is no service of the project.
    if short == "docker" {
        return;
    }
    let alias = service.text_at(&["alias"]).unwrap_or(&short).to_owned();
    let mut of_service: BTreeMap<String, String> = env
        .iter()
        .filter(|(name, _)| {
            let prefix = name.split('_').next().unwrap_or(name).to_ascii_lowercase();
            short.starts_with(&prefix) && !prefix.is_empty()
        })
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    of_service.extend(variables(service.get("variables")));
    emit.service(&alias, &image, Vec::new(), of_service, service.mark);
}

#[cfg(test)]
mod tests {
    use crate::graph::ci::testing::shown_of;

    #[test]
    fn includes_references_and_matrices() {
        let main = "include:\n  - local: /ci/*.yml\n  - {project: other/x, file: y.yml}\nvariables: {PY: '3.11', POSTGRES_PASSWORD: x}\nimage: python:$PY\nunit:\n  extends: [.base, .more]\n  parallel:\n    matrix:\n      - PY: ['3.12', '3.9']\n        KIND: [fast]\n  services:\n    - name: postgres:16\n      alias: db\n  script:\n    - !reference [.base, setup]\n    - - nested\n    - |\n      pytest \\\n        -k $KIND\n";
        let part = ".base:\n  before_script: [make deps]\n  setup: [make setup]\n  variables: {A: '1', B: '1'}\n.more:\n  variables: {B: '2'}\ndocs:\n  script: make docs\n";
        insta::assert_snapshot!(shown_of(&[(".gitlab-ci.yml", main), ("ci/base.yml", part)]), @r#"
        .gitlab-ci.yml:5: tool python 3.11
        ci/base.yml:8: [] make docs (docs) Linux POSTGRES_PASSWORD=x PY=3.11
        .gitlab-ci.yml:13: service db postgres:16 [] {"POSTGRES_PASSWORD": "x"}
        .gitlab-ci.yml:5: tool python 3.12
        .gitlab-ci.yml:5: tool python 3.9
        ci/base.yml:2: [] make deps (unit) Linux A=1 B=2 KIND=fast POSTGRES_PASSWORD=x PY=3.12 @KIND=fast @PY=3.12
        ci/base.yml:3: [] make setup (unit) Linux A=1 B=2 KIND=fast POSTGRES_PASSWORD=x PY=3.12 @KIND=fast @PY=3.12
        .gitlab-ci.yml:17: [] nested (unit) Linux A=1 B=2 KIND=fast POSTGRES_PASSWORD=x PY=3.12 @KIND=fast @PY=3.12
        .gitlab-ci.yml:19: [] pytest \⏎  -k $KIND (unit) Linux A=1 B=2 KIND=fast POSTGRES_PASSWORD=x PY=3.12 @KIND=fast @PY=3.12
        "#);
    }

    #[test]
    fn circles_end() {
        let text = "include: /.gitlab-ci.yml\na: {extends: b, script: [!reference [a, script]]}\nb: {extends: a}\n";
        assert_eq!(shown_of(&[(".gitlab-ci.yml", text)]), "");
    }
}
