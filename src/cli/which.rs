//! `envc which`: the package that provides something, for this machine's distribution.

use clap::Args;

use crate::packages::{Answer, Index, answer};
use crate::sandbox::Base;

use super::deps::base_facts;
use super::exit::{Exit, Failure};
use super::show::{print, print_json};

#[derive(Debug, Args)]
pub struct Which {
    /// zlib.h, libpng.pc, -lssl, Qt5, protoc, cv2, libfoo.so.3, AM_PATH_X, or a capability such as header:zlib.h.
    #[arg(required_unless_present = "library")]
    pub what: Vec<String>,
    /// A library by its name for the linker.
    #[arg(short = 'l', value_name = "NAME")]
    pub library: Vec<String>,
    /// Whose packages to name: host, rootfs:PATH or image:REF [default: this machine's, else Debian's].
    #[arg(long, value_parser = super::arguments::base, value_name = "BASE")]
    pub base: Option<Base>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

pub fn run(options: &Which) -> Result<Exit, Failure> {
    let facts = base_facts(options.base.as_ref())?;
    let index = Index::for_base(&facts);
    let libraries = options.library.iter().map(|name| format!("-l{name}"));
    let answers: Vec<Answer> = options
        .what
        .iter()
        .cloned()
        .chain(libraries)
        .map(|what| answer(&index, &what, facts.manager))
        .collect();
    if options.json {
        print_json(&answers)?;
    } else {
        for each in &answers {
            print(&crate::emit::sanitize(&each.to_string()))?;
        }
    }
    let all = answers
        .iter()
        .all(|each| !each.found.is_empty() || each.standard);
    Ok(if all {
        Exit::Verified
    } else {
        Exit::NotReached
    })
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::super::arguments::{Arguments, Command};

    #[test]
    fn options_after_names_are_options_and_libraries_are_names() {
        let parsed = Arguments::try_parse_from(["envc", "which", "zlib.h", "-lssl", "--json"]);
        let Ok(Arguments {
            command: Command::Which(which),
            ..
        }) = parsed
        else {
            panic!("not read");
        };
        assert!(which.json);
        assert_eq!(
            (which.what, which.library),
            (vec!["zlib.h".to_owned()], vec!["ssl".to_owned()])
        );
        assert!(Arguments::try_parse_from(["envc", "which"]).is_err());
        assert!(Arguments::try_parse_from(["envc", "which", "zlib.h", "--jsn"]).is_err());
    }
}
