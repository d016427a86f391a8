//! What methods of Meson's own modules run and look for (its manual, "Modules"), and parts of a dependency.

use crate::packages::Capability;

use super::super::meson_syntax::Call;
use super::machine::{Machine, Value};

/// Modules with methods that need something: the name under `import` → the object.
const MODULES: &[(&str, &str)] = &[
    ("gnome", "gnome"),
    ("i18n", "i18n"),
    ("qt4", "qt4"),
    ("qt5", "qt5"),
    ("qt6", "qt6"),
    ("wayland", "wayland"),
    ("unstable-wayland", "wayland"),
    ("windows", "windows"),
    ("hotdoc", "hotdoc"),
];

/// Module, method, and what the method needs.
const METHODS: &[(&str, &str, &str)] = &[
    ("gnome", "compile_resources", "cmd:glib-compile-resources"),
    ("gnome", "compile_schemas", "cmd:glib-compile-schemas"),
    ("gnome", "gdbus_codegen", "cmd:gdbus-codegen"),
    ("gnome", "generate_gir", "pc:gobject-introspection-1.0"),
    ("gnome", "generate_vapi", "cmd:vapigen"),
    ("gnome", "genmarshal", "cmd:glib-genmarshal"),
    ("gnome", "gtkdoc", "cmd:gtkdoc-scan"),
    ("gnome", "mkenums", "cmd:glib-mkenums"),
    ("gnome", "mkenums_simple", "cmd:glib-mkenums"),
    ("gnome", "yelp", "cmd:itstool"),
    ("i18n", "gettext", "cmd:msgfmt"),
    ("i18n", "itstool_join", "cmd:itstool"),
    ("i18n", "merge_file", "cmd:msgfmt"),
    ("qt5", "compile_translations", "cmake:Qt5LinguistTools"),
    ("qt6", "compile_translations", "cmake:Qt6LinguistTools"),
    ("wayland", "find_protocol", "pc:wayland-protocols"),
    ("wayland", "scan_xml", "cmd:wayland-scanner"),
];

/// The object that `import` gives.
pub fn import(name: &str) -> Value {
    MODULES
        .iter()
        .find(|(known, _)| *known == name)
        .map_or(Value::Unknown, |(_, object)| Value::Object(object))
}

/// Notes what a method of a module needs.
pub fn method(machine: &mut Machine<'_, '_>, module: &str, call: &Call) {
    let needs = METHODS
        .iter()
        .filter(|(known, method, _)| *known == module && *method == call.name);
    for (_, _, need) in needs {
        if let Ok(capability) = need.parse() {
            machine.need(capability, Some(true), None, call.line);
        }
    }
}

/// The parts that `modules:` names, where they are packages of their own.
pub fn parts(dependency: &str, modules: Option<Value>) -> Vec<Capability> {
    let names: Vec<String> = match modules {
        Some(Value::Text(name)) => vec![name],
        Some(Value::List(items)) => items
            .into_iter()
            .filter_map(|item| match item {
                Value::Text(name) => Some(name),
                _ => None,
            })
            .collect(),
        _ => return Vec::new(),
    };
    let part = |name: String| match dependency {
        "boost" => Some(Capability::Library(format!(
            "boost_{}",
            name.to_ascii_lowercase()
        ))),
        "qt5" => Some(Capability::CMake(format!("Qt5{name}"))),
        "qt6" => Some(Capability::CMake(format!("Qt6{name}"))),
        "python" => Some(Capability::Python(name)),
        _ => None,
    };
    names.into_iter().filter_map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packages::Index;

    #[test]
    fn every_method_has_a_module_and_its_need_a_package() {
        let index = Index::embedded();
        for (module, method, need) in METHODS {
            assert!(
                MODULES.iter().any(|(_, object)| object == module),
                "{module}"
            );
            let capability: Capability = need.parse().unwrap();
            assert!(
                !index.providers(&capability).is_empty(),
                "{module}.{method}: {need}"
            );
        }
    }
}
