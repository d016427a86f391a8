//! Which edits the finished script may not need after all.

use super::{Edit, Operation};

/// Indices into `edits` in the order in which the caller should drop them one by one, to see whether script and pyramid
/// still pass without.
///
/// The ones that stand least firmly come first: settings and arguments, added steps, requirements, packages. Within one
/// sort the oldest comes first, for a later edit often removed the cause that an earlier one had only moved. Edits of the
/// pyramid and re-plans are not in it: without them there would be another plan, not a smaller script.
pub fn superfluous(edits: &[Edit]) -> Vec<usize> {
    let mut order: Vec<(u8, usize)> = edits
        .iter()
        .enumerate()
        .filter_map(|(at, edit)| Some((firmness(&edit.operation)?, at)))
        .collect();
    order.sort_unstable();
    order.into_iter().map(|(_, at)| at).collect()
}

fn firmness(operation: &Operation) -> Option<u8> {
    match operation {
        Operation::SetEnv { .. } | Operation::AddArguments { .. } => Some(0),
        Operation::AddStep { .. } | Operation::ReplaceStep { .. } => Some(1),
        Operation::AddPythonRequirement { .. } => Some(2),
        Operation::AddPackage { .. } => Some(3),
        Operation::RemoveStep { .. }
        | Operation::DropCommand { .. }
        | Operation::MoveCommand { .. }
        | Operation::SetCommandEnv { .. }
        | Operation::Replan { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Because, Trust};
    use crate::packages::Capability;

    #[test]
    fn settings_before_packages_and_no_replans() {
        let edit = |operation| Edit {
            operation,
            origin: String::new(),
            because: Because::no_place(Trust::Observed, ""),
        };
        let package = |name: &str| {
            edit(Operation::AddPackage {
                capability: Capability::Package(name.to_owned()),
                package: name.to_owned(),
            })
        };
        let edits = [
            package("a"),
            edit(Operation::Replan {
                topic: "base".to_owned(),
                value: "x".to_owned(),
            }),
            package("b"),
            edit(Operation::SetEnv {
                name: "A".to_owned(),
                value: "1".to_owned(),
            }),
        ];
        assert_eq!(superfluous(&edits), [3, 0, 2]);
    }
}
