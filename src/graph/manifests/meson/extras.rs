//! Parts of dependencies (`modules:`), and what the methods of Meson's GNOME module run.

use crate::packages::Capability;

use super::super::meson_syntax::Call;
use super::calls::keyword;
use super::machine::{Machine, Value};

/// Methods of `import('gnome')` and what each needs besides GLib (Meson's manual, "GNOME module"). A GIR file is made
/// of those of the libraries below it, which come with the scanner's own module.
const GNOME: &[(&str, &[&str])] = &[
    (
        "generate_gir",
        &["cmd:g-ir-scanner", "pc:gobject-introspection-1.0"],
    ),
    ("generate_vapi", &["cmd:vapigen"]),
    ("yelp", &["cmd:itstool", "cmd:xmllint"]),
];

/// What a method of the GNOME module needs.
pub fn gnome(machine: &mut Machine<'_, '_>, call: &Call, name: &str) -> Value {
    let needs = GNOME.iter().find(|(method, _)| *method == name);
    for need in needs.iter().flat_map(|(_, needs)| needs.iter()) {
        if let Ok(capability) = need.parse() {
            machine.need(capability, Some(true), None, call.line);
        }
    }
    for (_, value) in &call.keywords {
        machine.eval(value);
    }
    Value::Unknown
}

/// `dependency('boost', modules: ['regex'])`, `dependency('qt5', modules: ['Core', 'Svg'])`.
pub fn modules(
    machine: &mut Machine<'_, '_>,
    call: &Call,
    name: &str,
    required: Option<bool>,
    off: Option<&String>,
) {
    let make: fn(&str) -> Capability = match name {
        "boost" => |part| Capability::Library(format!("boost_{part}")),
        "qt5" => |part| Capability::PkgConfig(format!("Qt5{part}")),
        "qt6" => |part| Capability::PkgConfig(format!("Qt6{part}")),
        _ => return,
    };
    let listed = match keyword(machine, call, "modules") {
        Some(Value::List(items)) => items,
        Some(one) => vec![one],
        None => return,
    };
    for item in listed.into_iter().take(100) {
        if let Value::Text(part) = item
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        {
            machine.need(make(&part), required, off.cloned(), call.line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{repo, summary};

    #[test]
    fn modules_and_methods_have_needs_of_their_own() {
        let graph = repo(&[(
            "meson.build",
            "project('a', 'c')\ngnome = import('gnome')\nboost = dependency('boost', modules: ['regex', 'system'])\nqt = dependency('qt5', modules: 'Svg', required: false)\nif boost.found()\n  gnome.generate_gir(lib, sources: [])\nendif\ngnome.yelp('a')\n",
        )]);
        let text = summary(&graph);
        for name in [
            "lib:boost_regex",
            "lib:boost_system",
            "pc:Qt5Svg",
            "pc:gobject-introspection-1.0",
            "cmd:itstool",
        ] {
            assert!(text.contains(name), "{name}: {text}");
        }
        assert!(!text.contains("vapigen"), "{text}");
    }
}
