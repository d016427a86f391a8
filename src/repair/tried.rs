//! What was tried already.

use std::collections::BTreeSet;

use super::{Edit, Operation};
use crate::diagnose::Failure;

/// Pairs of failure and operation: no edit is tried twice on one failure, whoever proposes it.
#[derive(Debug, Clone, Default)]
pub struct TriedSet(BTreeSet<(String, String)>);

impl TriedSet {
    pub fn insert(&mut self, failure: &Failure, edit: &Edit) {
        self.0.insert((failure.key(), name(&edit.operation)));
    }

    pub fn contains(&self, failure: &Failure, operation: &Operation) -> bool {
        self.0.contains(&(failure.key(), name(operation)))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What an operation does, without who proposed it and why: two edits of one name are the same edit.
pub(crate) fn name(operation: &Operation) -> String {
    match operation {
        // Which capability it is for changes nothing of what is installed.
        Operation::AddPackage { package, .. } => format!("package {package}"),
        Operation::DropCommand { id, .. } => format!("drop {id}"),
        Operation::AddStep { step, before } => {
            format!("step {:?} {} {before:?}", step.action, step.dir)
        }
        Operation::ReplaceStep { id, step } => {
            format!("replace {id} {:?} {}", step.action, step.dir)
        }
        other => format!("{other:?}"),
    }
}
