//! `envc which`: the answer for one capability, with the runners-up, as text for a person.

use std::fmt::Write;

use super::{Capability, Index, Manager, is_standard_header, native_requirement};

/// Runners-up that are shown.
const RUNNERS_UP: usize = 4;

/// Which package provides `capability`, why, what else does, and what other package managers are asked for.
pub fn explain(index: &Index, capability: &Capability) -> String {
    let mut out = String::new();
    if let Capability::Header(name) = capability
        && is_standard_header(name)
    {
        let _ = writeln!(
            out,
            "{capability}: comes with every C or C++ compiler (libc6-dev, libstdc++)"
        );
        return out;
    }
    let found = index.providers(capability);
    let Some((first, others)) = found.split_first() else {
        let _ = writeln!(
            out,
            "{capability}: no package of Debian {} is known to provide it",
            index.release()
        );
        return out;
    };
    let _ = writeln!(out, "{capability}: {}", first.package);
    let _ = writeln!(out, "  because it {}", first.why.trim_start_matches("it "));
    if index.is_approximate() {
        let _ = writeln!(
            out,
            "  (by the data of Debian {}; apt confirms the name when the script runs)",
            index.release()
        );
    }
    for other in others.iter().take(RUNNERS_UP) {
        let _ = writeln!(out, "  also {} ({})", other.package, other.why);
    }
    let words: Vec<String> = Manager::ALL
        .iter()
        .filter_map(|m| {
            Some(format!(
                "{} {}",
                m.name(),
                native_requirement(capability, *m)?
            ))
        })
        .collect();
    if !words.is_empty() {
        let _ = writeln!(out, "  elsewhere: {}", words.join(", "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_names_package_reason_and_other_managers() {
        let text = explain(&Index::embedded(), &"pc:libpng".parse().unwrap());
        insta::assert_snapshot!(text, @"
        pc:libpng: libpng-dev
          because it has /usr/lib/x86_64-linux-gnu/pkgconfig/libpng.pc
          elsewhere: apk pc:libpng, dnf pkgconfig(libpng), zypper pkgconfig(libpng)
        ");
    }

    #[test]
    fn no_answer_is_said() {
        let index = Index::embedded();
        let text = explain(&index, &"header:config.h".parse().unwrap());
        assert!(text.contains("no package"), "{text}");
        let text = explain(&index, &"header:stdio.h".parse().unwrap());
        assert!(text.contains("every C"), "{text}");
    }
}
