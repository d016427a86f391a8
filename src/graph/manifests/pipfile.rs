//! `Pipfile` of pipenv. Attributes are listed in `python.rs`.

use crate::evidence::{Place, Trust};
use crate::graph::Scope;

use super::toml_doc::{Doc, Value};
use super::tree::base;
use super::{Reader, Reading};

pub const READER: Reader = Reader {
    format: "pipfile",
    matches: |path| base(path) == "Pipfile",
    read,
};

fn read(reading: &mut Reading<'_>) {
    let doc = Doc::parse(reading.text, reading.path);
    let format = reading.format;
    let draft = reading.drafts.project("python", reading.dir);
    draft.manifest(reading.path, format);
    draft.attr("manager", "pipenv", Place::file(reading.path));
    if !draft.has_attr("layout") {
        draft.attr("layout", "app", Place::file(reading.path));
    }
    for key in ["python_full_version", "python_version"] {
        if let Some(version) = doc.get(&["requires", key])
            && let Some(text) = version.str()
        {
            draft.tool(
                "python",
                Some(text.to_owned()),
                Trust::Lock,
                version.place(),
            );
            break;
        }
    }
    for (table, scope) in [("packages", Scope::Runtime), ("dev-packages", Scope::Dev)] {
        for (name, value) in doc.get(&[table]).into_iter().flat_map(Value::entries) {
            let version = value
                .str()
                .or_else(|| value.get("version").and_then(Value::str))
                .unwrap_or("*");
            if value.get("git").is_some() {
                draft.attr("network", name, value.place());
            }
            let spec = if version == "*" {
                name.to_owned()
            } else {
                format!("{name}{version}")
            };
            draft.package("pypi", name, &spec, scope.clone(), value.place());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{repo, summary};

    #[test]
    fn packages_and_python() {
        let graph = repo(&[(
            "Pipfile",
            "[packages]\nflask = \"*\"\n[dev-packages]\npytest = \">=7\"\n[requires]\npython_version = \"3.9\"\n",
        )]);
        insta::assert_snapshot!(summary(&graph), @r#"
        python "" test (Pipfile)
          install-command = pipenv install --dev (Pipfile)
          layout = app (Pipfile)
          manager = pipenv (Pipfile)
          tool python 3.9 Lock (Pipfile:6)
          pypi flask [runtime] (Pipfile:2)
          pypi pytest>=7 [dev] (Pipfile:4)
        "#);
    }
}
