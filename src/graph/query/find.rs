//! Nodes by what a person calls them.

use globset::{GlobBuilder, GlobMatcher};

use crate::graph::{Facts, KnowledgeGraph, Node, NodeId, kind};

/// How well a node fits, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// The node's name or place, or what it provides.
    Exact,
    /// The last part of its path or module.
    Tail,
    Start,
    Within,
}

/// What a name stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum Named {
    /// Nodes that fit equally well and best.
    Nodes(Vec<NodeId>),
    /// Nothing fits; names that look like it, best first.
    Nothing(Vec<String>),
}

/// Nodes that fit `pattern`, best first: a name, a part of one, a path, `path:line`, a glob (`*`, `?`), or an id
/// (`#12`). Letter case does not matter. `kinds` empty: all of them.
pub fn find<'a>(graph: &'a KnowledgeGraph, pattern: &str, kinds: &[String]) -> Vec<&'a Node> {
    ranked(graph, pattern, kinds)
        .into_iter()
        .map(|(_, node)| node)
        .collect()
}

/// The nodes that are meant by a name, which may begin with a kind: `tool:python`, `import:zlib.h`.
pub fn named(graph: &KnowledgeGraph, name: &str) -> Named {
    let (kinds, name) = match name.split_once(':') {
        Some((prefix, rest)) if is_kind(graph, prefix) => (vec![prefix.to_owned()], rest),
        _ => (Vec::new(), name),
    };
    let found = ranked(graph, name, &kinds);
    let Some((best, _)) = found.first() else {
        return Named::Nothing(similar(graph, name));
    };
    let meant = found.iter().take_while(|(fit, _)| fit == best);
    Named::Nodes(meant.map(|(_, node)| node.id).collect())
}

fn is_kind(graph: &KnowledgeGraph, name: &str) -> bool {
    graph.nodes().any(|node| kind(&node.facts) == name)
}

fn ranked<'a>(graph: &'a KnowledgeGraph, pattern: &str, kinds: &[String]) -> Vec<(Fit, &'a Node)> {
    let wanted =
        |node: &Node| kinds.is_empty() || kinds.iter().any(|wanted| wanted == kind(&node.facts));
    if let Some(id) = pattern.strip_prefix('#').and_then(|id| id.parse().ok()) {
        let node = graph.node(NodeId(id)).filter(|node| wanted(node));
        return node.into_iter().map(|node| (Fit::Exact, node)).collect();
    }
    let pattern = pattern.trim().to_lowercase();
    let glob = glob(&pattern);
    let mut found: Vec<(Fit, &Node)> = graph
        .nodes()
        .filter(|node| wanted(node))
        .filter_map(|node| Some((fit(node, &pattern, glob.as_ref())?, node)))
        .collect();
    found.sort_by_key(|(fit, node)| (*fit, node.id));
    found
}

/// A pattern with a wildcard; what is no valid glob is a plain text.
fn glob(pattern: &str) -> Option<GlobMatcher> {
    let wild = pattern.contains(['*', '?']);
    let glob = wild.then(|| GlobBuilder::new(pattern).build().ok())??;
    Some(glob.compile_matcher())
}

fn fit(node: &Node, pattern: &str, glob: Option<&GlobMatcher>) -> Option<Fit> {
    if pattern.is_empty() {
        return None;
    }
    names(node)
        .filter_map(|name| {
            let name = name.to_lowercase();
            if let Some(glob) = glob {
                return glob.is_match(&name).then_some(Fit::Exact);
            }
            let tail = |end: &str| matches!(end.chars().last(), Some('/' | '.' | ':'));
            match name.strip_suffix(pattern) {
                Some("") => Some(Fit::Exact),
                Some(before) if tail(before) => Some(Fit::Tail),
                _ if name.starts_with(pattern) => Some(Fit::Start),
                _ if name.contains(pattern) => Some(Fit::Within),
                _ => None,
            }
        })
        .min()
}

/// Everything that a node may be called by.
fn names(node: &Node) -> impl Iterator<Item = String> + '_ {
    let place = node.place.as_ref();
    // A path names the file, and not everything that stands in it; a line names what stands there.
    let at = place.map(|place| match &node.facts {
        Facts::File { .. } | Facts::Directory => place.path.clone(),
        _ => place.to_string(),
    });
    let own = match &node.facts {
        Facts::Dependency(facts) => match &facts.capability {
            Some(capability) => vec![capability.to_string(), capability.parts().1.to_owned()],
            None => Vec::new(),
        },
        Facts::Service { image, .. } => vec![image.clone()],
        Facts::Project(facts) => vec![facts.ecosystem.clone(), facts.dir.clone()],
        Facts::TestSuite { framework } => vec![framework.clone()],
        _ => Vec::new(),
    };
    std::iter::once(node.name.clone()).chain(at).chain(own)
}

/// Names at hand for somebody who mistyped one.
fn similar(graph: &KnowledgeGraph, name: &str) -> Vec<String> {
    let name = name.to_lowercase();
    let mut near: Vec<(f64, &str)> = graph
        .nodes()
        .filter(|node| node.name.len() <= 80)
        .map(|node| {
            (
                strsim::jaro_winkler(&node.name.to_lowercase(), &name),
                node.name.as_str(),
            )
        })
        .filter(|(likeness, _)| *likeness > 0.84)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    near.dedup_by_key(|(_, name)| *name);
    near.into_iter()
        .take(5)
        .map(|(_, name)| name.to_owned())
        .collect()
}
