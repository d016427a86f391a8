//! The `check_*` commands of CMake's own modules: what a build tries to include or to link, and goes on without.

use crate::packages::Capability;

use super::super::autotools::libc;
use super::commands::word;
use super::finds::of_use;
use super::machine::Machine;

type Words = Vec<(String, u32)>;

/// `check_include_file(HEADER VAR)`, `check_include_files("A;B" VAR)` and the forms for C++.
pub fn include_files(machine: &mut Machine<'_, '_>, words: &Words, line: u32) {
    let Some((variable, headers)) = words.split_last() else {
        return;
    };
    let headers: Vec<&str> = headers
        .iter()
        .flat_map(|(word, _)| word.split(';'))
        .filter(|name| name.contains('.') && !name.starts_with('-') && !libc::is_header(name))
        .take(50)
        .collect();
    for header in headers {
        of_use(
            machine,
            Capability::Header(header.to_owned()),
            &variable.0,
            line,
        );
    }
    machine.vars.insert(variable.0.clone(), None);
}

/// `check_library_exists(LIBRARY FUNCTION PATH VAR)`.
pub fn library_exists(machine: &mut Machine<'_, '_>, words: &Words, line: u32) {
    let (name, variable) = (word(words, 0), word(words, 3));
    let name = name.strip_prefix("-l").unwrap_or(&name);
    if !libc::is_library(name) && !name.contains(['/', ' ', ';']) {
        of_use(
            machine,
            Capability::Library(name.to_owned()),
            &variable,
            line,
        );
    }
    if !variable.is_empty() {
        machine.vars.insert(variable, None);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{repo, summary};

    #[test]
    fn checks_look_for_headers_and_libraries() {
        let graph = repo(&[(
            "CMakeLists.txt",
            "project(a C)\ninclude(CheckLibraryExists)\ncheck_library_exists(snappy snappy_compress \"\" HAVE_SNAPPY)\ncheck_library_exists(m sin \"\" HAVE_M)\ncheck_library_exists(${X} f \"\" HAVE_X)\nCHECK_INCLUDE_FILE(expat.h HAVE_EXPAT_H)\ncheck_include_files(\"stdio.h;png.h\" HAVE_PNG)\ncheck_include_file_cxx(fmt/core.h HAVE_FMT)\n",
        )]);
        let text = summary(&graph);
        for name in [
            "lib:snappy",
            "header:expat.h",
            "header:png.h",
            "header:fmt/core.h",
        ] {
            assert!(text.contains(name), "{name}: {text}");
        }
        assert!(
            !text.contains("lib:m ") && !text.contains("stdio.h") && !text.contains("${X}"),
            "{text}"
        );
    }
}
