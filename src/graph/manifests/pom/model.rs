//! A pom with the parents that stand in the repository, and its properties.

use crate::evidence::Place;

use super::super::tree::{MAX_SHARED, Tree, join, parent};
use super::super::xml_doc::Element;

/// Parents above each other, and replacements within a value.
const MAX_PARENTS: usize = 10;
const MAX_STEPS: usize = 20;

pub struct Model {
    pub pom: Element,
    path: String,
    /// Nearest first.
    parents: Vec<(Element, String)>,
}

impl Model {
    pub fn read(tree: &Tree<'_>, path: &str, text: &str) -> Option<Self> {
        let pom = Element::parse(text).filter(|root| root.name == "project")?;
        pom.child("artifactId")?;
        let mut model = Self {
            pom,
            path: path.to_owned(),
            parents: Vec::new(),
        };
        while model.parents.len() < MAX_PARENTS
            && let Some(next) = model.next_parent(tree)
        {
            model.parents.push(next);
        }
        Some(model)
    }

    /// The parent's file: `relativePath`, by default the directory above; a wrong artifact there is not it.
    fn next_parent(&self, tree: &Tree<'_>) -> Option<(Element, String)> {
        let (last, path) = self
            .parents
            .last()
            .map_or((&self.pom, &self.path), |(pom, path)| (pom, path));
        let declared = last.child("parent")?;
        let relative = match declared.child("relativePath") {
            Some(written) if written.text.is_empty() => return None,
            Some(written) => written.text.as_str(),
            None => "../pom.xml",
        };
        let mut file = join(parent(path), relative)?;
        if !file.ends_with(".xml") {
            file = join(&file, "pom.xml")?;
        }
        let known = self.path == file || self.parents.iter().any(|(_, path)| *path == file);
        let pom = Element::parse(&tree.read_head(&file, MAX_SHARED).filter(|_| !known)?)?;
        (pom.value("artifactId") == declared.value("artifactId")).then_some((pom, file))
    }

    /// The place of an element of this pom itself.
    pub fn place(&self, element: &Element) -> Place {
        Place::new(&self.path, element.line)
    }

    fn all(&self) -> impl Iterator<Item = (&Element, &str)> {
        let parents = self.parents.iter().map(|(pom, path)| (pom, path.as_str()));
        std::iter::once((&self.pom, self.path.as_str())).chain(parents)
    }

    pub fn group(&self) -> Option<&str> {
        let own = self.pom.value("groupId");
        own.or_else(|| self.pom.at(&["parent"])?.value("groupId"))
    }

    pub fn property(&self, name: &str) -> Option<(String, Place)> {
        let (element, path) = self
            .all()
            .find_map(|(pom, path)| Some((pom.child("properties")?.child(name)?, path)))?;
        Some((self.resolve(&element.text)?, Place::new(path, element.line)))
    }

    /// A plugin of the build or of its management and the path of its pom, the nearest pom's first.
    pub fn plugin(&self, artifact: &str) -> Option<(&Element, &str)> {
        self.all().find_map(|(pom, path)| {
            let build = pom.child("build")?;
            let lists = [
                build.child("plugins"),
                build.at(&["pluginManagement", "plugins"]),
            ];
            let plugins = lists
                .into_iter()
                .flatten()
                .flat_map(|list| list.children.iter());
            let found = plugins
                .filter(|plugin| plugin.value("artifactId") == Some(artifact))
                .max_by_key(|plugin| plugin.child("configuration").is_some())?;
            Some((found, path))
        })
    }

    /// An element of a plugin's configuration.
    pub fn configured(&self, artifact: &str, names: &[&str]) -> Option<(String, Place)> {
        let (plugin, path) = self.plugin(artifact)?;
        let value = plugin.child("configuration")?.at(names)?;
        Some((self.resolve(&value.text)?, Place::new(path, value.line)))
    }

    /// The text with `${…}` replaced; `None` where one is not known here.
    pub fn resolve(&self, text: &str) -> Option<String> {
        let mut text = text.trim().to_owned();
        for _ in 0..MAX_STEPS {
            let Some((before, rest)) = text.split_once("${") else {
                return Some(text);
            };
            let (name, after) = rest.split_once('}')?;
            let value = match name {
                "project.version" | "version" | "pom.version" => self
                    .pom
                    .value("version")
                    .or_else(|| self.pom.child("parent")?.value("version")),
                "project.groupId" | "groupId" | "pom.groupId" => self.group(),
                "project.artifactId" => self.pom.value("artifactId"),
                name => self
                    .all()
                    .find_map(|(pom, _)| pom.child("properties")?.value(name)),
            };
            text = format!("{before}{}{after}", value?);
            if text.len() > 1000 {
                return None;
            }
        }
        None
    }
}
