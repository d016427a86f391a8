//! Functions and methods that say something about the build.

use crate::evidence::{Place, Trust};
use crate::graph::EntryKind;
use crate::packages::Capability;

use super::super::autotools::libc;
use super::super::meson_syntax::{Call, Expr};
use super::machine::{Machine, Value};
use super::modules;

type Handler = fn(&mut Machine<'_, '_>, &Call) -> Value;

static FUNCTIONS: &[(&str, Handler)] = &[
    ("project", project),
    ("add_languages", |machine, call| {
        languages(machine, &call.args, call.line);
        Value::Unknown
    }),
    ("dependency", dependency),
    ("find_program", find_program),
    ("subproject", |machine, call| {
        let name = text(machine, call, 0);
        machine
            .subprojects
            .extend(name.filter(|_| machine.standing() == Some(true)));
        Value::Object("subproject")
    }),
    ("subdir", |machine, call| {
        if let Some(name) = text(machine, call, 0)
            && machine.standing() != Some(false)
        {
            machine.subdirectory(&name);
        }
        Value::Unknown
    }),
    ("get_option", |machine, call| {
        let name = text(machine, call, 0).unwrap_or_default();
        machine
            .defaults
            .get(&name)
            .cloned()
            .unwrap_or(Value::Unknown)
    }),
    ("executable", executable),
    ("library", library),
    ("shared_library", library),
    ("both_libraries", library),
    ("static_library", library),
    ("test", |machine, call| {
        if machine.standing() != Some(false) {
            let place = machine.place(call.line);
            machine.draft().suite("meson", place);
        }
        Value::Unknown
    }),
    ("import", import),
    ("error", |machine, _| {
        machine.error();
        Value::Unknown
    }),
    ("subdir_done", |machine, _| {
        machine.leave_directory();
        Value::Unknown
    }),
];

pub fn run(machine: &mut Machine<'_, '_>, call: &Call, object: Option<Value>) -> Value {
    match object {
        None => {
            let Some((_, handler)) = FUNCTIONS.iter().find(|(name, _)| *name == call.name) else {
                // Arguments may hold calls that matter: `declare_dependency(dependencies: dependency('x'))`.
                for arg in call
                    .args
                    .iter()
                    .chain(call.keywords.iter().map(|(_, value)| value))
                {
                    machine.eval(arg);
                }
                return Value::Unknown;
            };
            handler(machine, call)
        }
        Some(object) => method(machine, call, &object),
    }
}

fn method(machine: &mut Machine<'_, '_>, call: &Call, object: &Value) -> Value {
    match (object, call.name.as_str()) {
        (Value::Object("machine"), "system") => Value::Text("linux".to_owned()),
        (Value::Object("machine"), "cpu_family") => Value::Text(std::env::consts::ARCH.to_owned()),
        (Value::Object("machine"), "endian") => Value::Text("little".to_owned()),
        (Value::Object("meson"), "get_compiler") => Value::Object("compiler"),
        (Value::Object("meson"), "is_cross_build" | "is_subproject") => Value::Bool(false),
        (Value::Object("meson"), "can_run_host_binaries" | "has_exe_wrapper") => Value::Bool(true),
        (Value::Object("compiler"), "get_id") => Value::Text("gcc".to_owned()),
        (Value::Object("compiler"), "get_argument_syntax") => Value::Text("gcc".to_owned()),
        (_, "find_library") => compiler_library(machine, call),
        (_, "has_header" | "check_header") => compiler_header(machine, call),
        (Value::Object("python"), "find_installation") => {
            let place = machine.place(call.line);
            machine.draft().tool("python", None, Trust::Manifest, place);
            let modules = keyword(machine, call, "modules");
            let (required, off) = required(machine, call, true);
            for part in modules::parts("python", modules) {
                machine.need(part, required, off.clone(), call.line);
            }
            Value::Object("installation")
        }
        (Value::Feature(value, _), "enabled") => Value::Bool(value == "enabled"),
        (Value::Feature(value, _), "disabled") => Value::Bool(value == "disabled"),
        (Value::Feature(value, _), "auto") => Value::Bool(value == "auto"),
        (Value::Feature(value, _), "allowed") if value == "disabled" => Value::Bool(false),
        (
            Value::Feature(..),
            "require" | "disable_auto_if" | "enable_if" | "enable_auto_if" | "disable_if",
        ) => object.clone(),
        (Value::Text(text), "startswith") => {
            starts(machine, call, text, |text, affix| text.starts_with(affix))
        }
        (Value::Text(text), "endswith") => {
            starts(machine, call, text, |text, affix| text.ends_with(affix))
        }
        (Value::List(items), "contains") => {
            let wanted = call
                .args
                .first()
                .map_or(Value::Unknown, |arg| machine.eval(arg));
            let known = items.iter().all(|item| matches!(item, Value::Text(_)));
            if known {
                Value::Bool(items.contains(&wanted))
            } else {
                Value::Unknown
            }
        }
        _ => {
            for (_, value) in &call.keywords {
                machine.eval(value);
            }
            if let Value::Object(module) = object {
                modules::method(machine, module, call);
            }
            Value::Unknown
        }
    }
}

fn starts(
    machine: &mut Machine<'_, '_>,
    call: &Call,
    text: &str,
    test: fn(&str, &str) -> bool,
) -> Value {
    match self::text(machine, call, 0) {
        Some(affix) => Value::Bool(test(text, affix.as_str())),
        None => Value::Unknown,
    }
}

fn text(machine: &mut Machine<'_, '_>, call: &Call, at: usize) -> Option<String> {
    match machine.eval(call.args.get(at)?) {
        Value::Text(text) => Some(text),
        Value::List(items) => items.into_iter().find_map(|item| match item {
            Value::Text(text) => Some(text),
            _ => None,
        }),
        _ => None,
    }
}

fn keyword(machine: &mut Machine<'_, '_>, call: &Call, name: &str) -> Option<Value> {
    let (_, value) = call.keywords.iter().find(|(key, _)| key == name)?;
    Some(machine.eval(value))
}

fn project(machine: &mut Machine<'_, '_>, call: &Call) -> Value {
    let place = machine.place(call.line);
    if let Some(name) = text(machine, call, 0) {
        machine.draft().name(&name, &place);
    }
    languages(machine, call.args.get(1..).unwrap_or_default(), call.line);
    if let Some(Value::Text(version)) = keyword(machine, call, "meson_version") {
        machine
            .draft()
            .attr("meson-minimum", &version, place.clone());
        machine
            .draft()
            .tool("meson", Some(version), Trust::Manifest, place);
    }
    Value::Unknown
}

fn languages(machine: &mut Machine<'_, '_>, args: &[Expr], line: u32) {
    for arg in args {
        let items = match machine.eval(arg) {
            Value::List(items) => items,
            one => vec![one],
        };
        for item in items {
            let Value::Text(name) = item else {
                continue;
            };
            let name = match name.as_str() {
                "cpp" => "CXX".to_owned(),
                "objc" => "ObjC".to_owned(),
                other => {
                    other
                        .get(..1)
                        .map_or(String::new(), str::to_ascii_uppercase)
                        + other.get(1..).unwrap_or_default()
                }
            };
            let place = machine.place(line);
            if machine.standing() != Some(false) {
                machine.draft().attr("language", name, place);
            }
        }
    }
}

/// `option(NAME, type:, value:)` of the option file.
pub fn option(machine: &mut Machine<'_, '_>, call: &Call, path: &str) {
    let Some(name) = text(machine, call, 0) else {
        return;
    };
    let kind = match keyword(machine, call, "type") {
        Some(Value::Text(kind)) => kind,
        _ => String::new(),
    };
    let value = keyword(machine, call, "value");
    let default = match (kind.as_str(), value) {
        ("feature", Some(Value::Text(value))) => Value::Feature(value, name.clone()),
        ("feature", _) => Value::Feature("auto".to_owned(), name.clone()),
        ("boolean", Some(Value::Text(value))) => Value::Bool(value == "true"),
        ("boolean", None) => Value::Bool(true),
        ("combo", None) => match keyword(machine, call, "choices") {
            Some(Value::List(choices)) => choices.into_iter().next().unwrap_or(Value::Unknown),
            _ => Value::Unknown,
        },
        (_, Some(value)) => value,
        _ => Value::Unknown,
    };
    let shown = match &default {
        Value::Text(text) | Value::Feature(text, _) => text.clone(),
        Value::Bool(value) => value.to_string(),
        _ => "?".to_owned(),
    };
    let place = Place::new(path, call.line);
    let line = format!("{name}={shown}");
    machine.draft().attr("option", &line, place.clone());
    let words: Vec<String> = name
        .split(['-', '_'])
        .map(str::to_ascii_lowercase)
        .collect();
    let is = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    if is(&["test", "tests", "testing", "unittest", "unittests"])
        && !is(&[
            "install",
            "installed",
            "bench",
            "fuzz",
            "dir",
            "path",
            "testdata",
        ])
    {
        machine.draft().attr("test-option", line, place);
    }
    machine.defaults.insert(name, default);
}

/// `required:` as (required, option that switches it off). Without the keyword it is required.
fn required(
    machine: &mut Machine<'_, '_>,
    call: &Call,
    default: bool,
) -> (Option<bool>, Option<String>) {
    match keyword(machine, call, "required") {
        None => (Some(default), None),
        Some(Value::Bool(value)) => (Some(value), None),
        Some(Value::Feature(value, name)) => match value.as_str() {
            "enabled" => (Some(true), None),
            "disabled" => (Some(false), Some(name)),
            _ => (Some(false), None),
        },
        Some(_) => (None, None),
    }
}

/// Names that Meson answers itself, without a package (its "Dependencies" page).
const NONE: &[&str] = &[
    "threads",
    "openmp",
    "dl",
    "m",
    "iconv",
    "intl",
    "appleframeworks",
    "coarray",
    "",
    "atomic",
    "rt",
];

/// Dependencies that Meson finds by other means than pkg-config.
const SPECIAL: &[(&str, &str)] = &[
    ("boost", "cmake:Boost"),
    ("llvm", "cmd:llvm-config"),
    ("cups", "cmd:cups-config"),
    ("pcap", "header:pcap.h"),
    ("mpi", "cmd:mpicc"),
    ("gtest", "pc:gtest"),
    ("gmock", "pc:gmock"),
    ("python3", "header:Python.h"),
    ("python", "header:Python.h"),
    ("curses", "pc:ncurses"),
    ("libgcrypt", "cmd:libgcrypt-config"),
    ("gpgme", "cmd:gpgme-config"),
    ("zlib", "pc:zlib"),
    ("vulkan", "pc:vulkan"),
    ("blas", "pc:blas"),
    ("GL", "pc:gl"),
    ("OpenCL", "pc:OpenCL"),
    ("jni", "header:jni.h"),
    ("pybind11", "pc:pybind11"),
    ("numpy", "py:numpy"),
    ("qt5", "pc:Qt5Core"),
    ("qt6", "pc:Qt6Core"),
];

fn dependency(machine: &mut Machine<'_, '_>, call: &Call) -> Value {
    let Some(name) = text(machine, call, 0).filter(|name| !NONE.contains(&name.as_str())) else {
        return Value::Object("dependency");
    };
    let (mut required, off) = required(machine, call, true);
    let place = machine.place(call.line);
    match keyword(machine, call, "version") {
        Some(Value::Text(version)) => machine.draft().attr(
            "package-version",
            format!("{name} {version}"),
            place.clone(),
        ),
        Some(Value::List(items)) => {
            for item in items {
                if let Value::Text(version) = item {
                    machine.draft().attr(
                        "package-version",
                        format!("{name} {version}"),
                        place.clone(),
                    );
                }
            }
        }
        _ => {}
    }
    let fallback = match keyword(machine, call, "fallback") {
        Some(Value::Text(text)) => Some(text),
        Some(Value::List(items)) => items.into_iter().find_map(|item| match item {
            Value::Text(text) => Some(text),
            _ => None,
        }),
        _ => None,
    };
    if let Some(fallback) = fallback {
        machine
            .draft()
            .attr("fallback", format!("{name} {fallback}"), place);
        // A copy in the tree stands in for it.
        let copy = super::super::tree::join(&machine.top, &format!("subprojects/{fallback}"))
            .unwrap_or_default();
        if machine.reading.tree.has_dir(&copy) {
            required = Some(false);
        }
    }
    let by_cmake =
        matches!(keyword(machine, call, "method"), Some(Value::Text(method)) if method == "cmake");
    let special = SPECIAL
        .iter()
        .find(|(known, _)| *known == name)
        .and_then(|(_, capability)| capability.parse().ok());
    let capability = special.unwrap_or_else(|| {
        if by_cmake {
            Capability::CMake(name.clone())
        } else {
            Capability::PkgConfig(name.clone())
        }
    });
    if let Capability::PkgConfig(_) = capability {
        machine.need(
            Capability::Command("pkg-config".to_owned()),
            required,
            off.clone(),
            call.line,
        );
    }
    let modules = keyword(machine, call, "modules");
    for part in modules::parts(&name, modules) {
        machine.need(part, required, off.clone(), call.line);
    }
    Value::Found(machine.need(capability, required, off, call.line))
}

fn find_program(machine: &mut Machine<'_, '_>, call: &Call) -> Value {
    let Some(name) = text(machine, call, 0) else {
        return Value::Object("program");
    };
    let (required, off) = required(machine, call, true);
    let script = super::super::tree::join(&machine.dir, &name)
        .is_some_and(|path| machine.reading.tree.has(&path));
    let common = [
        "sh", "bash", "sed", "grep", "awk", "cat", "cp", "mv", "ln", "env", "true", "diff", "find",
        "sort", "tar", "mkdir", "test", "install", "meson",
    ];
    if name.starts_with("python") {
        let place = machine.place(call.line);
        machine.draft().tool("python", None, Trust::Manifest, place);
    } else if !script && !common.contains(&name.as_str()) && !name.contains('/') && name.len() < 100
    {
        return Value::Found(machine.need(Capability::Command(name), required, off, call.line));
    }
    Value::Object("program")
}

fn compiler_library(machine: &mut Machine<'_, '_>, call: &Call) -> Value {
    let (required, off) = required(machine, call, true);
    if let Some(name) =
        text(machine, call, 0).filter(|name| !libc::is_library(name) && name.len() < 100)
    {
        return Value::Found(machine.need(Capability::Library(name), required, off, call.line));
    }
    Value::Object("dependency")
}

fn compiler_header(machine: &mut Machine<'_, '_>, call: &Call) -> Value {
    let (required, off) = required(machine, call, false);
    if let Some(name) =
        text(machine, call, 0).filter(|name| !libc::is_header(name) && name.len() < 100)
    {
        machine.need(Capability::Header(name), required, off, call.line);
    }
    Value::Unknown
}

fn import(machine: &mut Machine<'_, '_>, call: &Call) -> Value {
    match text(machine, call, 0).as_deref() {
        Some("python" | "python3") => Value::Object("python"),
        Some(name) => modules::import(name),
        None => Value::Unknown,
    }
}

fn nested(machine: &mut Machine<'_, '_>, call: &Call) {
    for (_, value) in &call.keywords {
        machine.eval(value);
    }
}

fn executable(machine: &mut Machine<'_, '_>, call: &Call) -> Value {
    nested(machine, call);
    let installed = matches!(keyword(machine, call, "install"), Some(Value::Bool(true)));
    let own = !super::super::tree::is_auxiliary(&machine.dir) && machine.standing() != Some(false);
    if let Some(name) = text(machine, call, 0).filter(|_| own) {
        let place = machine.place(call.line);
        if !installed {
            machine.draft().attr("uninstalled", &name, place.clone());
        }
        machine.draft().entry(&name, EntryKind::Command, place);
    }
    Value::Object("program")
}

fn library(machine: &mut Machine<'_, '_>, call: &Call) -> Value {
    nested(machine, call);
    let installed = matches!(keyword(machine, call, "install"), Some(Value::Bool(true)));
    if let Some(name) =
        text(machine, call, 0).filter(|_| installed && machine.standing() != Some(false))
    {
        let place = machine.place(call.line);
        machine.draft().entry(&name, EntryKind::Library, place);
    }
    Value::Object("library")
}
