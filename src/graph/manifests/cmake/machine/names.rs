//! What names in a condition stand for: the platform, variables, options and targets.

use super::super::condition::{self, Names};
use super::{MAX_VALUE, Machine};

/// What is true on the machines that envc builds on.
pub(super) const PLATFORM: &[(&str, &str)] = &[
    ("UNIX", "1"),
    ("LINUX", "1"),
    ("WIN32", "0"),
    ("MSVC", "0"),
    ("MINGW", "0"),
    ("MSYS", "0"),
    ("CYGWIN", "0"),
    ("APPLE", "0"),
    ("IOS", "0"),
    ("ANDROID", "0"),
    ("BSD", "0"),
    ("EMSCRIPTEN", "0"),
    ("BORLAND", "0"),
    ("XCODE", "0"),
    ("WINDOWS_STORE", "0"),
    ("WINCE", "0"),
    ("HAIKU", "0"),
    ("CMAKE_CROSSCOMPILING", "0"),
    ("CMAKE_COMPILER_IS_GNUCC", "1"),
    ("CMAKE_COMPILER_IS_GNUCXX", "1"),
    ("CMAKE_C_COMPILER_ID", "GNU"),
    ("CMAKE_CXX_COMPILER_ID", "GNU"),
    ("CMAKE_SYSTEM_NAME", "Linux"),
    ("CMAKE_HOST_SYSTEM_NAME", "Linux"),
    ("CMAKE_HOST_UNIX", "1"),
    ("CMAKE_HOST_WIN32", "0"),
    ("CMAKE_HOST_APPLE", "0"),
    ("PROJECT_IS_TOP_LEVEL", "1"),
    // What the modules of KDE set where nobody says otherwise.
    ("QT_MAJOR_VERSION", "5"),
    ("QT_VERSION_MAJOR", "5"),
    ("KF_MAJOR_VERSION", "5"),
    ("CMAKE_SCRIPT_MODE_FILE", ""),
    ("HUNTER_ENABLED", "0"),
    ("VCPKG_TOOLCHAIN", "0"),
];

impl Names for Machine<'_, '_> {
    fn truth(&self, name: &str) -> Option<bool> {
        let value = self.vars.get(name)?.as_ref()?;
        Some(condition::constant(value).unwrap_or(true))
    }

    fn text(&self, name: &str) -> Option<String> {
        self.vars.get(name)?.clone()
    }

    fn is_option(&self, name: &str) -> bool {
        self.options.contains(name)
    }

    fn defined(&self, name: &str) -> Option<bool> {
        match self.vars.get(name) {
            Some(Some(_)) => Some(true),
            Some(None) => None,
            // Checks of the compiler and the environment set variables that are not followed.
            None if name.starts_with("HAVE_")
                || name.starts_with("ENV{")
                || name.ends_with("_FOUND") =>
            {
                None
            }
            None => Some(false),
        }
    }

    fn target(&self, name: &str) -> Option<bool> {
        self.targets.contains_key(name).then_some(true)
    }

    fn expand(&self, text: &str) -> Option<String> {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            out.push_str(before);
            let (name, tail) = after.split_once('}')?;
            out.push_str(self.vars.get(name)?.as_ref()?);
            if out.len() > MAX_VALUE {
                return None;
            }
            rest = tail;
        }
        out.push_str(rest);
        (!out.contains("$ENV{")).then_some(out)
    }
}
