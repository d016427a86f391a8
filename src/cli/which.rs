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
    #[arg(required = true, allow_hyphen_values = true)]
    pub what: Vec<String>,
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
    let answers: Vec<Answer> = options
        .what
        .iter()
        .map(|what| answer(&index, what, facts.manager))
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
