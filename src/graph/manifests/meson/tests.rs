use super::super::testing::{repo, repo_bytes, summary};

#[test]
fn options_and_conditions_decide_what_is_required() {
    let graph = repo(&[
        (
            "meson.build",
            r#"
project('demo', 'c', 'cpp', version: '1.0',
  meson_version: '>=0.60')
cc = meson.get_compiler('c')
glib = dependency('glib-2.0', version: '>= 2.40')
ssl = dependency('openssl', required: get_option('tls'))
x11 = dependency('x11', required: get_option('x11'))
json = dependency('json-c', fallback: ['jsonc', 'dep'], required: false)
m = cc.find_library('m', required: false)
ev = cc.find_library('ev')
gperf = find_program('gperf', required: false)
if host_machine.system() == 'windows'
  dependency('winsdk')
elif get_option('tests')
  subdir('test')
endif
if not ev.found()
  dependency('libuv')
endif
foreach lib : ['zlib', 'expat']
  dependency(lib)
endforeach
executable('demo', 'main.c', install: true, dependencies: [dependency('threads')])
"#,
        ),
        (
            "meson_options.txt",
            "option('tls', type: 'feature', value: 'auto')\noption('x11', type: 'feature', value: 'disabled')\noption('tests', type: 'boolean', value: true)\n",
        ),
        (
            "test/meson.build",
            "gtest = dependency('gtest')\ntest('t', executable('t', 't.c'))\n",
        ),
        ("subprojects/jsonc.wrap", "[wrap-git]\n"),
    ]);
    insta::assert_snapshot!(summary(&graph), @r##"
    meson "" demo (meson.build:2)
      fallback = json-c jsonc (meson.build:8)
      guarded = cmd:pkg-config if not ev.found() (meson.build:18)
      guarded = pc:libuv if not ev.found() (meson.build:18)
      language = C (meson.build:2)
      language = CXX (meson.build:2)
      meson-minimum = >=0.60 (meson.build:2)
      network-optional = jsonc (subprojects/jsonc.wrap)
      option = tls=auto (meson_options.txt:1)
      option = x11=disabled (meson_options.txt:2)
      option = tests=true (meson_options.txt:3)
      package-version = glib-2.0 >= 2.40 (meson.build:5)
      test-option = tests=true (meson_options.txt:3)
      tool meson >=0.60 Manifest (meson.build:2)
      system cmd:pkg-config [build] (meson.build:5)
      system pc:glib-2.0 [build] (meson.build:5)
      system cmd:pkg-config [build] if-present (meson.build:6)
      system pc:openssl [build] if-present (meson.build:6)
      system cmd:pkg-config [optional:x11] if-present (meson.build:7)
      system pc:x11 [optional:x11] if-present (meson.build:7)
      system pc:json-c [build] if-present (meson.build:8)
      system lib:ev [build] (meson.build:10)
      system cmd:gperf [build] if-present (meson.build:11)
      system cmd:pkg-config [optional:host_machine.system() == 'windows'] if-present (meson.build:13)
      system pc:winsdk [optional:host_machine.system() == 'windows'] if-present (meson.build:13)
      system cmd:pkg-config [test] (test/meson.build:1)
      system pc:gtest [test] (test/meson.build:1)
      system pc:libuv [build] if-present (meson.build:18)
      system pc:zlib [build] (meson.build:21)
      system pc:expat [build] (meson.build:21)
      entry Command demo (meson.build:23)
      suite meson (test/meson.build:2)
    "##);
}

#[test]
fn modules_and_parts_are_needs() {
    let graph = repo(&[(
        "meson.build",
        r#"project('demo', 'c')
gnome = import('gnome')
i18n = import('i18n')
gnome.generate_gir(lib, sources: 'a.c')
if get_option('docs')
  gnome.gtkdoc('demo')
endif
i18n.gettext('demo')
gnome.no_such_method()
dependency('boost', modules: ['system', 'thread'])
dependency('qt5', modules: 'Widgets', required: false)
import('python').find_installation('python3', modules: ['jinja2'])
"#,
    )]);
    let text = summary(&graph);
    for line in [
        "system pc:gobject-introspection-1.0 [build] (meson.build:4)",
        "system cmd:gtkdoc-scan [build] if-present (meson.build:6)",
        "system cmd:msgfmt [build] (meson.build:8)",
        "system lib:boost_system [build] (meson.build:10)",
        "system lib:boost_thread [build] (meson.build:10)",
        "system cmake:Qt5Widgets [build] if-present (meson.build:11)",
        "system py:jinja2 [build] (meson.build:12)",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
}

#[test]
fn hostile_build_files_are_survived() {
    repo(&[("meson.build", "project('a')\nsubdir('.')\nsubdir('')\n")]);
    repo(&[(
        "meson.build",
        &format!("project('a')\n{}", "foreach x : [1,2,3]\n".repeat(300)),
    )]);
    repo(&[(
        "meson.build",
        "project()\ndependency()\nelse\nendif\nendforeach\nx += 1\nproject('a\n",
    )]);
    repo(&[(
        "meson.build",
        "project('a')\nx = ['a']\nforeach i : [1,2,3,4,5,6,7,8]\nx = x + x + x + x\nendforeach\n",
    )]);
    repo_bytes(&[(
        "meson.build",
        b"project('\xff\xfe')\ndependency('\xc3\x28')\n",
    )]);
}
