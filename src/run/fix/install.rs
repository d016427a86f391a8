//! Installing between two tries, by the base's own package manager.

use std::time::Duration;

use crate::needs::install_words;
use crate::packages::{Capability, Manager, native_requirement, package_for};
use crate::sandbox::{CommandSpec, Finished, Limits, Network, Outcome, SandboxError};

use super::{Addition, Fixer, State};
use crate::run::session::{RunError, tail};

/// Longest that an installation may take.
const LONGEST: Duration = Duration::from_secs(15 * 60);

/// What `manager` is asked for: Debian's name for apt; where the manager resolves capabilities itself, its own form. A
/// compiler comes with its C library, which it only recommends. `None`: the manager has no word for it.
pub fn words(capability: &Capability, package: &str, manager: Manager) -> Option<Vec<String>> {
    if let Capability::Command(name) = capability {
        let role = match name.as_str() {
            "gcc" | "cc" => "cc",
            "g++" | "c++" => "c++",
            other => other,
        };
        if let Some(packages) = package_for(role, manager)
            && (manager != Manager::Apt || packages.iter().any(|known| known == package))
        {
            return Some(packages.to_vec());
        }
    }
    if manager == Manager::Apt {
        return Some(vec![package.to_owned()]);
    }
    native_requirement(capability, manager).map(|word| vec![word])
}

/// How a manager fetches its package lists, where it does not by itself.
fn refresh_words(manager: Manager) -> &'static [&'static str] {
    match manager {
        Manager::Apt => &["apt-get", "-q", "update"],
        Manager::Apk => &["apk", "update"],
        Manager::Pacman => &["pacman", "-Sy", "--noconfirm"],
        Manager::Dnf | Manager::Zypper => &[],
    }
}

impl Fixer<'_> {
    /// Installs in the state that the sandbox is in. The inner error says why it could not be done.
    pub(super) fn install(
        &mut self,
        state: &mut State,
        additions: &[&Addition],
    ) -> Result<Result<(), String>, RunError> {
        let mut words: Vec<String> = Vec::new();
        for word in additions.iter().flat_map(|addition| &addition.words) {
            if !words.contains(word) {
                words.push(word.clone());
            }
        }
        if words.is_empty() {
            return Ok(Ok(()));
        }
        let refresh = refresh_words(self.manager);
        if !state.listed && !refresh.is_empty() {
            let argv = refresh.iter().map(|word| (*word).to_owned()).collect();
            if let Err(why) = self.quietly(state, argv)? {
                return Ok(Err(why));
            }
        }
        state.listed = true;
        let mut argv: Vec<String> = install_words(self.manager)
            .iter()
            .map(|word| (*word).to_owned())
            .collect();
        argv.extend(words);
        self.quietly(state, argv)
    }

    /// Whether everything that is asked for is there already. Only dpkg(1) is asked; elsewhere: no.
    pub(super) fn is_installed(
        &mut self,
        state: &State,
        additions: &[Addition],
    ) -> Result<bool, RunError> {
        let words: Vec<String> = additions
            .iter()
            .flat_map(|addition| addition.words.iter().cloned())
            .collect();
        if words.is_empty() || self.manager != Manager::Apt {
            return Ok(false);
        }
        let mut argv = ["dpkg-query", "-Wf", "${db:Status-Abbrev}\n"]
            .map(str::to_owned)
            .to_vec();
        argv.extend(words);
        let (finished, output) = self.output_of(state, argv)?;
        let all = output.lines().all(|line| line.starts_with("ii"));
        Ok(finished.outcome.ok() && all)
    }

    /// Runs a command whose output is shown only where it fails.
    fn quietly(
        &mut self,
        state: &State,
        argv: Vec<String>,
    ) -> Result<Result<(), String>, RunError> {
        let name = argv.join(" ");
        let (finished, output) = self.output_of(state, argv)?;
        match finished.outcome {
            outcome if outcome.ok() => Ok(Ok(())),
            Outcome::Interrupted => Err(SandboxError::Interrupted.into()),
            _ => {
                let lines = tail(&output, 3);
                Ok(Err(format!("{name} failed: {}", lines.join(" / "))))
            }
        }
    }

    fn output_of(
        &mut self,
        state: &State,
        argv: Vec<String>,
    ) -> Result<(Finished, String), RunError> {
        let spec = CommandSpec {
            argv,
            dir: "/".to_owned(),
            env: vec![("DEBIAN_FRONTEND".to_owned(), "noninteractive".to_owned())],
            limits: Limits {
                wall: LONGEST.min(self.budget.left()),
                ..state.spec.limits
            },
            network: Network::Full,
        };
        let mut output = Vec::new();
        let finished = self
            .sandbox
            .run(&spec, &mut |bytes| output.extend_from_slice(bytes))?;
        Ok((finished, String::from_utf8_lossy(&output).into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(capability: &str, package: &str, manager: Manager) -> Option<Vec<String>> {
        words(&capability.parse().unwrap(), package, manager)
    }

    #[test]
    fn each_manager_gets_its_own_words() {
        let some = |words: &[&str]| Some(words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>());
        assert_eq!(
            ask("header:zlib.h", "zlib1g-dev", Manager::Apt),
            some(&["zlib1g-dev"])
        );
        assert_eq!(
            ask("pc:libpng", "libpng-dev", Manager::Dnf),
            some(&["pkgconfig(libpng)"])
        );
        assert_eq!(ask("header:zlib.h", "zlib1g-dev", Manager::Apk), None);
        assert_eq!(
            ask("cmd:cc", "gcc", Manager::Apt),
            some(&["gcc", "libc6-dev"])
        );
        assert_eq!(
            ask("cmd:gcc", "gcc", Manager::Apk),
            some(&["gcc", "musl-dev"])
        );
        // Another provider than the usual one is asked for by its own name.
        assert_eq!(ask("cmd:gcc", "gcc-11", Manager::Apt), some(&["gcc-11"]));
    }
}
