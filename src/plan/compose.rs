//! The whole of planning: select projects, choose a base, let each ecosystem write its part.

use crate::evidence::{Because, Place, Trust};
use crate::graph::{Facts, KnowledgeGraph, NodeId};
use crate::needs::{self, Features, Group, Need};
use crate::packages::{BaseFacts, Capability, Index};
use crate::scan::Repository;

use super::base::choose_base;
use super::constraints::Constraints;
use super::ecosystems::{self, Context, Draft};
use super::model::{Channel, Plan, RepositoryId, SCHEMA, Service};
use super::projects::select;
use super::system::add_installed_by_others;

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    #[error(
        "nothing here that envc can build: no manifest says how it is installed, built or tested\n  \
         what stands here: {found}"
    )]
    Unsupported { found: String },
    #[error("no base called {0}; known bases: {1}")]
    UnknownBase(String, String),
}

/// Plans the environment. `fixed` is the base that the sandbox stands on, where that is settled already.
pub fn plan(
    repository: &Repository,
    graph: &KnowledgeGraph,
    constraints: &Constraints,
    fixed: Option<&BaseFacts>,
) -> Result<Plan, PlanError> {
    let selection = select(graph, constraints);
    let chosen: Vec<_> = graph
        .projects()
        .filter(|(id, facts)| {
            selection.projects.contains(id) && ecosystems::planner(facts).is_some()
        })
        .collect();
    if chosen.is_empty() {
        return Err(PlanError::Unsupported {
            found: [languages(repository)]
                .into_iter()
                .chain(unread(graph))
                .collect::<Vec<_>>()
                .join("\n  "),
        });
    }
    let needed: Vec<String> = chosen
        .iter()
        .flat_map(|(id, facts)| ecosystems::toolchains(graph, *id, facts))
        .collect();
    let needed: Vec<&str> = needed.iter().map(String::as_str).collect();
    let base = choose_base(graph, constraints, fixed, &needed).ok_or_else(|| {
        let known = crate::packages::bases()
            .iter()
            .map(|base| base.id.clone())
            .collect::<Vec<_>>();
        PlanError::UnknownBase(
            constraints.base.clone().unwrap_or_default(),
            known.join(", "),
        )
    })?;
    let index = Index::for_base(&base.facts);
    let as_of = as_of(repository, constraints);
    let context = Context {
        graph,
        repository,
        constraints,
        base: &base.facts,
        index: &index,
        as_of: as_of.as_deref(),
    };
    let mut draft = Draft::default();
    for id in &selection.projects {
        let project = chosen.iter().find(|(other, _)| other == id);
        if let Some((_, facts)) = project
            && let Some(planner) = ecosystems::planner(facts)
        {
            planner(&context, *id, facts, &mut draft);
        }
    }
    add_needs(&context, &selection.projects, &mut draft);
    add_installed_by_others(&mut draft.packages, &index, graph);
    for (capability, because) in &draft.packages.unresolved {
        draft.notes.push(format!(
            "no package of {} provides {capability} ({because})",
            base.facts.image
        ));
    }
    let mut notes = selection.notes;
    notes.append(&mut draft.notes);
    notes.extend(repository.warnings.iter().cloned());
    notes.extend(unread(graph));
    let mut conflicts = selection.conflicts;
    conflicts.extend(base.conflicts);
    conflicts.append(&mut draft.conflicts);
    Ok(Plan {
        schema: SCHEMA.to_owned(),
        repository: RepositoryId {
            name: repository.name.clone(),
            commit: repository.git.as_ref().and_then(|git| git.commit.clone()),
            as_of,
            marker: marker(repository, graph, &draft),
        },
        base: base.choice,
        toolchains: draft.toolchains,
        packages: draft.packages.into_list(),
        services: services(graph),
        env: draft.env,
        projects: draft.projects,
        conflicts,
        notes,
    })
}

/// What the chosen C and C++ projects need of the distribution for their default build and its tests. A build tool that
/// comes from elsewhere, as the distribution's is too old, is not installed twice.
fn add_needs(context: &Context<'_>, projects: &[NodeId], draft: &mut Draft) {
    let native: Vec<NodeId> = context
        .graph
        .projects()
        .filter(|(id, facts)| {
            projects.contains(id) && needs::NATIVE.contains(&facts.ecosystem.as_str())
        })
        .map(|(id, _)| id)
        .collect();
    if native.is_empty() {
        return;
    }
    let elsewhere = |capability: &Capability| {
        draft.toolchains.iter().any(|toolchain| {
            toolchain.channel != Channel::Distribution
                && *capability == Capability::Command(toolchain.name.clone())
        })
    };
    let found = needs::needs(context.repository, context.graph, context.index, &native);
    let wanted = |need: &&Need| need.group != Group::Optional;
    let mut packages = Vec::new();
    for need in found.wanted(&Features::Default).filter(wanted) {
        let Some(capability) = need.capabilities.first() else {
            continue;
        };
        if !need.capabilities.iter().any(elsewhere) {
            packages.push((
                need.package.clone(),
                capability.clone(),
                need.because.clone(),
            ));
        }
    }
    for (package, capability, because) in packages {
        for why in because {
            draft.packages.named(&package, capability.clone(), why);
        }
    }
    let missing = found.unresolved.into_iter();
    draft.packages.unresolved.extend(
        missing
            .filter(|each| each.group == Group::Required)
            .map(|each| (each.capability, each.because)),
    );
}

/// Files that a plan would miss something of.
const UNREAD: usize = 5;

fn unread(graph: &KnowledgeGraph) -> Vec<String> {
    let warnings = graph.warnings();
    let mut notes: Vec<String> = warnings
        .iter()
        .take(UNREAD)
        .map(|warning| format!("{}: {}", warning.path, warning.reason))
        .collect();
    if warnings.len() > UNREAD {
        let more = warnings.len() - UNREAD;
        notes.push(format!(
            "{more} more files were not read as a whole (`envc graph` lists them)"
        ));
    }
    notes
}

fn languages(repository: &Repository) -> String {
    let names: Vec<&str> = repository
        .languages
        .keys()
        .map(String::as_str)
        .take(6)
        .collect();
    match names.is_empty() {
        true => format!(
            "{} files in no language that envc knows",
            repository.files.len()
        ),
        false => format!("{} files; {}", repository.files.len(), names.join(", ")),
    }
}

/// The date asked for, else the commit's. A repository without either takes today's versions.
fn as_of(repository: &Repository, constraints: &Constraints) -> Option<String> {
    // What a repair asks for where the date itself is the reason that nothing fits (an index without upload times).
    if constraints.as_of.as_deref() == Some("latest") {
        return None;
    }
    constraints.as_of.clone().or_else(|| {
        let seconds = repository.git.as_ref()?.commit_time?;
        let time = jiff::Timestamp::from_second(seconds).ok()?;
        // The day after: what was released on the day of the commit counts as known.
        let day = time.to_zoned(jiff::tz::TimeZone::UTC).tomorrow().ok()?;
        Some(day.date().to_string())
    })
}

/// A file that tells this repository from another directory: the first project's manifest.
fn marker(repository: &Repository, graph: &KnowledgeGraph, draft: &Draft) -> Option<String> {
    let project = draft.projects.first()?;
    let dir = project.dir.as_str();
    // The file that says which project it is, before others of the same directory.
    let own = match project.ecosystem.as_str() {
        "cmake" => "CMakeLists.txt",
        "meson" => "meson.build",
        "autotools" => "configure.ac",
        _ => "",
    };
    let in_dir = |path: &str| path.rsplit_once('/').map_or("", |(parent, _)| parent) == dir;
    let mut found: Vec<String> = graph
        .nodes()
        .filter(|node| matches!(node.facts, Facts::Manifest { .. }))
        .filter_map(|node| node.place.as_ref())
        .map(|place| place.path.clone())
        .filter(|path| in_dir(path) && repository.has(path))
        .collect();
    found.sort_by_key(|path| path.rsplit('/').next() != Some(own));
    found.into_iter().next()
}

fn services(graph: &KnowledgeGraph) -> Vec<Service> {
    graph
        .nodes()
        .filter_map(|node| match &node.facts {
            Facts::Service { image, ports, env } => Some(Service {
                name: node.name.clone(),
                image: image.clone(),
                ports: ports.clone(),
                env: env.clone(),
                because: vec![Because::at(
                    node.place.clone().unwrap_or_else(|| Place::file("")),
                    Trust::Ci,
                    format!("service {}", node.name),
                )],
            }),
            _ => None,
        })
        .collect()
}
