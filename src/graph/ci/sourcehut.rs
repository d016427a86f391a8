//! builds.sr.ht ("Build manifests"): `.build.yml` and `.builds/*.yml`.

use super::{Emit, Script, os_of_label, variables};
use crate::graph::Os;
use crate::graph::yaml::Yaml;

pub(super) fn manifest(yaml: &Yaml, emit: &mut Emit) {
    let image = yaml.text_at(&["image"]).unwrap_or_default();
    let os = os_of_label(image).or(match image.split('/').next().unwrap_or(image) {
        "arch" | "archlinux" | "nixos" | "guix" | "rocky" => Some(Os::Linux),
        "plan9" | "9front" => Some(Os::Other),
        _ => None,
    });
    let apt = image.starts_with("debian") || image.starts_with("ubuntu");
    for package in yaml.list_at(&["packages"]).iter().filter(|_| apt) {
        emit.package(package.text().unwrap_or_default(), package.mark);
    }
    for task in yaml.list_at(&["tasks"]) {
        for (name, lines) in task.map() {
            let mut script = Script::new(format!("{image} / {name}"), os);
            script.env = variables(yaml.get("environment"));
            script.extend(lines);
            emit.script(&script);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::graph::ci::testing::shown;

    #[test]
    fn tasks_in_the_clone() {
        let text = "image: debian/stable\npackages: [libpng-dev, meson]\nsources: [https://host.example/thing]\nenvironment: {A: b}\ntasks:\n- build: |\n    cd thing\n    meson setup build\n    ninja -C build\n- test: |\n    cd thing/sub\n    make check\n";
        insta::assert_snapshot!(shown(".build.yml", text), @"
        2: needs libpng-dev
        2: needs meson
        8: [] meson setup build (debian/stable / build) Linux A=b
        9: [] ninja -C build (debian/stable / build) Linux A=b
        12: [sub] make check (debian/stable / test) Linux A=b
        ");
        assert!(
            shown(
                ".builds/freebsd.yml",
                "image: freebsd/latest\ntasks: [{x: make}]\n"
            )
            .contains("Bsd")
        );
    }
}
