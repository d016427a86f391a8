//! What the readers found, before it becomes nodes and edges.

use std::collections::{BTreeMap, BTreeSet};

use crate::evidence::{Place, Trust};
use crate::graph::{
    DependencyFacts, EdgeKind, EntryKind, Facts, KnowledgeGraph, NodeId, ProjectFacts, Scope,
};
use crate::packages::Capability;

use super::tree::relative;

/// One project and everything declared about it.
pub struct Draft {
    pub facts: ProjectFacts,
    pub name: Option<String>,
    /// Where it is declared; the first manifest that names it.
    pub place: Option<Place>,
    /// Path → format, in the order in which they were read.
    manifests: Vec<(String, &'static str)>,
    items: Vec<Item>,
    /// `(ecosystem, dir)` of projects of this repository that it needs.
    pub needs: BTreeSet<(String, String)>,
    /// Whether the manifests say that something is made or run here, see `helpers.rs`.
    pub product: bool,
}

/// A dependency, tool, entry point or test suite. The manifest that declares it is the file of its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    pub name: String,
    pub place: Place,
    pub facts: Facts,
}

#[derive(Default)]
pub struct Drafts {
    /// Path and reason.
    warnings: Vec<(String, String)>,
    projects: BTreeMap<(String, String), Draft>,
    claimed: BTreeSet<String>,
    /// Manifests that are listed and belong to no project.
    loose: BTreeMap<String, &'static str>,
}

/// More than this many facts of one project are noise or an attack.
const MAX_ITEMS: usize = 5000;

impl Draft {
    fn new(ecosystem: &str, dir: &str) -> Self {
        Self {
            facts: ProjectFacts::new(ecosystem, dir),
            name: None,
            place: None,
            manifests: Vec::new(),
            items: Vec::new(),
            needs: BTreeSet::new(),
            product: false,
        }
    }

    /// Names the project, unless an earlier manifest has.
    pub fn name(&mut self, name: &str, place: &Place) {
        if self.name.is_none() && !name.trim().is_empty() {
            self.name = Some(name.trim().to_owned());
            self.place = Some(place.clone());
        }
    }

    /// Notes a manifest of this project.
    pub fn manifest(&mut self, path: &str, format: &'static str) {
        if !self.manifests.iter().any(|(known, _)| known == path) {
            self.manifests.push((path.to_owned(), format));
        }
    }

    /// Sets an attribute once per value; the first place stays.
    pub fn attr(&mut self, name: &str, value: impl Into<String>, place: Place) {
        let value = value.into();
        let known = self.facts.all(name);
        if known.len() < MAX_ITEMS && !known.iter().any(|attr| attr.value == value) {
            self.facts.set(name, value, place);
        }
    }

    /// Sets what the project's own tool is told to do: `install`, `build`, `test` or `run`. The first word stays.
    pub fn command(&mut self, what: &str, command: impl Into<String>, place: Place) {
        let name = format!("{what}-command");
        if !self.has_attr(&name) {
            self.facts.set(&name, command, place);
        }
    }

    /// Needs another project of the same ecosystem.
    pub fn need(&mut self, dir: &str) {
        if dir != self.facts.dir {
            self.needs
                .insert((self.facts.ecosystem.clone(), dir.to_owned()));
        }
    }

    pub fn value(&self, name: &str) -> Option<&str> {
        self.facts.attr(name).map(|attr| attr.value.as_str())
    }

    pub fn has_attr(&self, name: &str) -> bool {
        self.facts.attr(name).is_some()
    }

    /// Adds a fact and returns its index, the old one where the same fact is known already; an index of nothing once there
    /// are too many.
    pub fn add(&mut self, name: impl Into<String>, place: Place, facts: Facts) -> usize {
        let name = name.into();
        if self.items.len() >= MAX_ITEMS {
            return self.items.len();
        }
        let same = |item: &Item| item.name == name && item.facts == facts;
        if let Some(at) = self.items.iter().position(same) {
            return at;
        }
        self.items.push(Item { name, place, facts });
        self.items.len() - 1
    }

    pub fn items(&self) -> &[Item] {
        &self.items
    }

    pub fn item_mut(&mut self, at: usize) -> Option<&mut Item> {
        self.items.get_mut(at)
    }

    /// A dependency on what a distribution provides. Returns its index.
    pub fn system(
        &mut self,
        capability: Capability,
        scope: Scope,
        required: bool,
        place: Place,
    ) -> usize {
        let name = capability.parts().1.to_owned();
        let facts = DependencyFacts {
            ecosystem: "system".to_owned(),
            spec: capability.to_string(),
            scope,
            capability: Some(capability),
            required,
            trust: Trust::Manifest,
        };
        self.add(name, place, Facts::Dependency(facts))
    }

    /// A dependency from a language's registry.
    pub fn package(&mut self, ecosystem: &str, name: &str, spec: &str, scope: Scope, place: Place) {
        let facts = DependencyFacts {
            ecosystem: ecosystem.to_owned(),
            spec: spec.to_owned(),
            required: !matches!(scope, Scope::Optional(_)),
            scope,
            capability: None,
            trust: Trust::Manifest,
        };
        self.add(name, place, Facts::Dependency(facts));
    }

    pub fn tool(&mut self, name: &str, requirement: Option<String>, trust: Trust, place: Place) {
        self.add(name, place, Facts::Tool { requirement, trust });
    }

    pub fn entry(&mut self, name: &str, entry: EntryKind, place: Place) {
        self.add(name, place, Facts::EntryPoint { entry });
    }

    pub fn suite(&mut self, framework: &str, place: Place) {
        if self.has_suite(framework) {
            return;
        }
        let facts = Facts::TestSuite {
            framework: framework.to_owned(),
        };
        self.add(framework, place, facts);
    }

    pub fn has_suite(&self, framework: &str) -> bool {
        self.items.iter().any(
            |item| matches!(&item.facts, Facts::TestSuite { framework: known } if known == framework),
        )
    }
}

impl Drafts {
    /// The project of `ecosystem` in `dir`, made where it is new.
    pub fn project(&mut self, ecosystem: &str, dir: &str) -> &mut Draft {
        self.projects
            .entry((ecosystem.to_owned(), dir.to_owned()))
            .or_insert_with(|| Draft::new(ecosystem, dir))
    }

    pub fn get(&self, ecosystem: &str, dir: &str) -> Option<&Draft> {
        self.projects.get(&(ecosystem.to_owned(), dir.to_owned()))
    }

    /// The directory of the project of `ecosystem` in `dir` or the nearest one above it.
    pub fn nearest(&self, ecosystem: &str, dir: &str) -> Option<String> {
        let mut at = dir;
        loop {
            if self.get(ecosystem, at).is_some() {
                return Some(at.to_owned());
            }
            if at.is_empty() {
                return None;
            }
            at = super::tree::parent(at);
        }
    }

    pub fn all(&self) -> impl Iterator<Item = &Draft> {
        self.projects.values()
    }

    /// Directories of an ecosystem's projects.
    pub fn dirs(&self, ecosystem: &str) -> Vec<String> {
        self.of(ecosystem)
            .map(|draft| draft.facts.dir.clone())
            .collect()
    }

    /// Projects of an ecosystem.
    pub fn of<'d>(&'d self, ecosystem: &'d str) -> impl Iterator<Item = &'d Draft> {
        self.all()
            .filter(move |draft| draft.facts.ecosystem == ecosystem)
    }

    /// The project above `dir` that lists it as a member of its workspace.
    pub fn workspace_of(&self, ecosystem: &str, dir: &str) -> Option<String> {
        let mut at = dir;
        while !at.is_empty() {
            at = super::tree::parent(at);
            let draft = self.get(ecosystem, at);
            let members = draft.map(|draft| draft.facts.all("member"));
            if members.is_some_and(|all| all.iter().any(|attr| attr.value == dir)) {
                return Some(at.to_owned());
            }
        }
        None
    }

    pub fn remove(&mut self, ecosystem: &str, dir: &str) {
        let key = (ecosystem.to_owned(), dir.to_owned());
        if let Some(draft) = self.projects.remove(&key) {
            self.loose.extend(draft.manifests);
        }
    }

    /// Whether a project of `ecosystem` stands in `dir` or reaches it from above.
    pub fn covers(&self, ecosystem: &str, dir: &str) -> bool {
        self.projects.values().any(|draft| {
            draft.facts.ecosystem == ecosystem && relative(dir, &draft.facts.dir).is_some()
        })
    }

    /// Links projects of one workspace (or of none) that depend on what another one is called in the attribute `name`.
    pub fn link_by_name(&mut self, ecosystem: &str, name: &str) {
        type Key = (String, Option<String>);
        let root = |draft: &Draft| draft.value("workspace-root").map(str::to_owned);
        let known: BTreeMap<Key, String> = self
            .of(ecosystem)
            .filter_map(|draft| {
                let key = (draft.value(name)?.to_owned(), root(draft));
                Some((key, draft.facts.dir.clone()))
            })
            .collect();
        for dir in self.dirs(ecosystem) {
            let draft = self.project(ecosystem, &dir);
            let Some(root) = root(draft) else { continue };
            let wanted: Vec<String> = draft
                .items
                .iter()
                .filter(|item| matches!(item.facts, Facts::Dependency(_)))
                .filter_map(|item| known.get(&(item.name.clone(), Some(root.clone()))))
                .cloned()
                .collect();
            wanted.iter().for_each(|to| draft.need(to));
        }
    }

    /// Tools and languages of a workspace's members become its root's as well, which is where they are installed and
    /// built from.
    pub fn lift(&mut self, ecosystem: &str) {
        for dir in self.dirs(ecosystem) {
            let member = self.project(ecosystem, &dir);
            let Some(root) = member.value("workspace-root").map(str::to_owned) else {
                continue;
            };
            let root = if root == "." { String::new() } else { root };
            let tools: Vec<Item> = member
                .items
                .iter()
                .filter(|item| matches!(item.facts, Facts::Tool { .. }))
                .cloned()
                .collect();
            let languages = member.facts.all("language").to_vec();
            if self.get(ecosystem, &root).is_none() || root == dir {
                continue;
            }
            let root = self.project(ecosystem, &root);
            for tool in tools {
                root.add(tool.name, tool.place, tool.facts);
            }
            for language in languages {
                root.attr("language", language.value, language.place);
            }
        }
    }

    /// Marks a file as read by the manifest that includes it. False where it was claimed already.
    pub fn claim(&mut self, path: &str) -> bool {
        self.claimed.insert(path.to_owned())
    }

    pub fn is_claimed(&self, path: &str) -> bool {
        self.claimed.contains(path)
    }

    /// A manifest that may say more than what is read of it.
    pub fn warn(&mut self, path: &str, reason: String) {
        self.warnings.push((path.to_owned(), reason));
    }

    /// Every warning, once.
    pub fn warnings(&mut self) -> Vec<(String, String)> {
        let mut warnings = std::mem::take(&mut self.warnings);
        warnings.dedup();
        warnings
    }

    pub fn manifest_only(&mut self, path: &str, format: &'static str) {
        self.loose.entry(path.to_owned()).or_insert(format);
    }

    pub fn manifest_count(&self) -> usize {
        self.loose.len()
            + self
                .projects
                .values()
                .map(|draft| draft.manifests.len())
                .sum::<usize>()
    }

    /// Writes everything as nodes and edges. A project that nothing names is called after its directory, at the
    /// root after the repository.
    pub fn write(self, repository: &str, graph: &mut KnowledgeGraph) {
        let mut manifests: BTreeMap<String, NodeId> = BTreeMap::new();
        let mut ids: BTreeMap<(String, String), NodeId> = BTreeMap::new();
        let needs: Vec<_> = self
            .projects
            .iter()
            .map(|(key, draft)| (key.clone(), draft.needs.clone()))
            .collect();
        for (key, draft) in self.projects {
            ids.insert(key, write_project(draft, repository, &mut manifests, graph));
        }
        for (from, wanted) in needs {
            for to in wanted {
                if let (Some(&from), Some(&to)) = (ids.get(&from), ids.get(&to))
                    && from != to
                {
                    graph.link(from, to, EdgeKind::Requires);
                }
            }
        }
        for (path, format) in self.loose {
            manifest_node(&path, format, &mut manifests, graph);
        }
    }
}

fn manifest_node(
    path: &str,
    format: &str,
    known: &mut BTreeMap<String, NodeId>,
    graph: &mut KnowledgeGraph,
) -> NodeId {
    if let Some(&id) = known.get(path) {
        return id;
    }
    let facts = Facts::Manifest {
        format: format.to_owned(),
    };
    let id = graph.add(path, Some(Place::file(path)), facts);
    if let Some(file) = graph.file(path) {
        graph.link(file, id, EdgeKind::Contains);
    }
    known.insert(path.to_owned(), id);
    id
}

fn write_project(
    draft: Draft,
    repository: &str,
    manifests: &mut BTreeMap<String, NodeId>,
    graph: &mut KnowledgeGraph,
) -> NodeId {
    let place = draft
        .place
        .clone()
        .or_else(|| draft.manifests.first().map(|(path, _)| Place::file(path)));
    let folder = match draft.facts.dir.as_str() {
        "" => repository,
        dir => super::tree::base(dir),
    };
    let name = draft.name.clone().unwrap_or_else(|| folder.to_owned());
    let declared_in = place.as_ref().map(|place| place.path.clone());
    let project = graph.add(name, place, Facts::Project(draft.facts));
    for (path, format) in &draft.manifests {
        let manifest = manifest_node(path, format, manifests, graph);
        graph.link(project, manifest, EdgeKind::Contains);
        if declared_in.as_deref() == Some(path) {
            graph.link(manifest, project, EdgeKind::Declares);
        }
    }
    for item in draft.items {
        let path = item.place.path.clone();
        let kind = match item.facts {
            Facts::EntryPoint { .. } => EdgeKind::Provides,
            Facts::TestSuite { .. } => EdgeKind::Tests,
            _ => EdgeKind::Requires,
        };
        let id = graph.add(item.name, Some(item.place), item.facts);
        if let Some(&manifest) = manifests.get(&path) {
            graph.link(manifest, id, EdgeKind::Declares);
        }
        match kind {
            EdgeKind::Tests => graph.link(id, project, kind),
            _ => graph.link(project, id, kind),
        }
    }
    project
}
