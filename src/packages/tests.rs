//! Lookups in the embedded index, each answer checked against bookworm's own lists by hand.

use super::*;

fn best(text: &str) -> Option<String> {
    let capability: Capability = text.parse().unwrap();
    Index::embedded()
        .best(&capability)
        .map(|candidate| candidate.package)
}

fn check(cases: &[(&str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(capability, package)| {
            let found = best(capability);
            (found.as_deref() != Some(*package))
                .then(|| format!("{capability}: {found:?}, not {package}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn headers_lead_to_their_packages() {
    check(&[
        ("header:zlib.h", "zlib1g-dev"),
        ("header:png.h", "libpng-dev"),
        ("header:SDL.h", "libsdl2-dev"),
        ("header:SDL2/SDL.h", "libsdl2-dev"),
        ("header:SDL/SDL.h", "libsdl1.2-dev"),
        ("header:libpq-fe.h", "libpq-dev"),
        ("header:curl/curl.h", "libcurl4-openssl-dev"),
        ("header:jpeglib.h", "libjpeg-dev"),
        ("header:Python.h", "python3-dev"),
        ("header:mysql.h", "default-libmysqlclient-dev"),
        ("header:mysql/mysql.h", "default-libmysqlclient-dev"),
        ("header:curses.h", "libncurses-dev"),
        ("header:ncurses.h", "libncurses-dev"),
        ("header:gtk/gtk.h", "libgtk-3-dev"),
        ("header:glib.h", "libglib2.0-dev"),
        ("header:boost/asio.hpp", "libboost-dev"),
        ("header:boost/asio/ip/tcp.hpp", "libboost-dev"),
        ("header:opencv2/core.hpp", "libopencv-dev"),
        ("header:ft2build.h", "libfreetype-dev"),
        ("header:openssl/ssl.h", "libssl-dev"),
        ("header:jni.h", "default-jdk-headless"),
        ("header:hdf5.h", "libhdf5-dev"),
        ("header:mpi.h", "mpi-default-dev"),
        ("header:GL/gl.h", "libgl-dev"),
        ("header:GL/glew.h", "libglew-dev"),
        ("header:X11/Xlib.h", "libx11-dev"),
        ("header:Eigen/Dense", "libeigen3-dev"),
        ("header:gtest/gtest.h", "libgtest-dev"),
        ("header:sqlite3.h", "libsqlite3-dev"),
        ("header:event.h", "libevent-dev"),
        ("header:ev.h", "libev-dev"),
        ("header:uv.h", "libuv1-dev"),
        ("header:pcre.h", "libpcre3-dev"),
        ("header:pcre2.h", "libpcre2-dev"),
        ("header:readline/readline.h", "libreadline-dev"),
        ("header:libxml/parser.h", "libxml2-dev"),
        ("header:expat.h", "libexpat1-dev"),
        ("header:yaml.h", "libyaml-dev"),
        ("header:json-c/json.h", "libjson-c-dev"),
        ("header:jansson.h", "libjansson-dev"),
        ("header:gmp.h", "libgmp-dev"),
        ("header:zmq.h", "libzmq3-dev"),
        ("header:llvm/IR/Module.h", "llvm-dev"),
        ("header:clang-c/Index.h", "libclang-dev"),
        ("header:QtCore/QString", "qtbase5-dev"),
        ("header:pcap.h", "libpcap-dev"),
        ("header:alsa/asoundlib.h", "libasound2-dev"),
        ("header:ffi.h", "libffi-dev"),
        ("header:fmt/core.h", "libfmt-dev"),
        ("header:nlohmann/json.hpp", "nlohmann-json3-dev"),
        ("header:catch2/catch.hpp", "catch2"),
        ("header:rpc/rpc.h", "libtirpc-dev"),
        ("header:systemd/sd-daemon.h", "libsystemd-dev"),
        ("header:sys/capability.h", "libcap-dev"),
        ("header:security/pam_appl.h", "libpam0g-dev"),
        ("header:tcl.h", "tcl-dev"),
        ("header:ldap.h", "libldap-dev"),
        ("header:lzma.h", "liblzma-dev"),
        ("header:bzlib.h", "libbz2-dev"),
        ("header:zstd.h", "libzstd-dev"),
        ("header:lz4.h", "liblz4-dev"),
        ("header:check.h", "check"),
        ("header:cmocka.h", "libcmocka-dev"),
        ("header:iconv.h", "libc6-dev"),
        ("header:stdio.h", "libc6-dev"),
        ("header:linux/if.h", "linux-libc-dev"),
        ("header:sndfile.h", "libsndfile1-dev"),
        ("header:libavcodec/avcodec.h", "libavcodec-dev"),
        ("header:cairo.h", "libcairo2-dev"),
        ("header:archive.h", "libarchive-dev"),
        ("header:magic.h", "libmagic-dev"),
        ("header:uuid/uuid.h", "uuid-dev"),
        ("header:fftw3.h", "libfftw3-dev"),
        ("header:libusb.h", "libusb-1.0-0-dev"),
        ("header:CL/cl.h", "ocl-icd-opencl-dev"),
        ("header:unwind.h", "libunwind-dev"),
        ("header:json/json.h", "libjsoncpp-dev"),
        ("header:fuse.h", "libfuse-dev"),
        ("header:google/protobuf/message.h", "libprotobuf-dev"),
        ("header:postgres.h", "postgresql-server-dev-all"),
        ("header:wx/wx.h", "libwxgtk3.2-dev"),
        ("header:gelf.h", "libelf-dev"),
        ("header:numa.h", "libnuma-dev"),
    ]);
}

#[test]
fn pkg_config_modules_lead_to_their_packages() {
    check(&[
        ("pc:libpng", "libpng-dev"),
        ("pc:zlib", "zlib1g-dev"),
        ("pc:gtk+-3.0", "libgtk-3-dev"),
        ("pc:openssl", "libssl-dev"),
        ("pc:libcurl", "libcurl4-openssl-dev"),
        ("pc:sdl2", "libsdl2-dev"),
        ("pc:glib-2.0", "libglib2.0-dev"),
        ("pc:python3", "python3-dev"),
        ("pc:libpq", "libpq-dev"),
        ("pc:lua5.4", "liblua5.4-dev"),
        ("pc:ncurses", "libncurses-dev"),
        ("pc:x11", "libx11-dev"),
        ("pc:dbus-1", "libdbus-1-dev"),
        ("pc:libudev", "libudev-dev"),
        ("pc:systemd", "systemd"),
        ("pc:freetype2", "libfreetype-dev"),
        ("pc:cairo", "libcairo2-dev"),
        ("pc:eigen3", "libeigen3-dev"),
        ("pc:libusb-1.0", "libusb-1.0-0-dev"),
        ("pc:libxml-2.0", "libxml2-dev"),
        ("pc:wayland-client", "libwayland-dev"),
    ]);
}

#[test]
fn cmake_packages_lead_to_their_packages() {
    check(&[
        ("cmake:ZLIB", "zlib1g-dev"),
        ("cmake:PNG", "libpng-dev"),
        ("cmake:OpenSSL", "libssl-dev"),
        ("cmake:CURL", "libcurl4-openssl-dev"),
        ("cmake:Boost", "libboost-dev"),
        ("cmake:Qt5", "qtbase5-dev"),
        ("cmake:Qt6", "qt6-base-dev"),
        ("cmake:Qt5Core", "qtbase5-dev"),
        ("cmake:SDL2", "libsdl2-dev"),
        ("cmake:Eigen3", "libeigen3-dev"),
        ("cmake:OpenCV", "libopencv-dev"),
        ("cmake:fmt", "libfmt-dev"),
        ("cmake:GTest", "libgtest-dev"),
        ("cmake:Python3", "python3-dev"),
        ("cmake:LLVM", "llvm-dev"),
        ("cmake:Protobuf", "libprotobuf-dev"),
        ("cmake:nlohmann_json", "nlohmann-json3-dev"),
        ("cmake:PostgreSQL", "libpq-dev"),
        ("cmake:MySQL", "default-libmysqlclient-dev"),
        ("cmake:X11", "libx11-dev"),
        ("cmake:BLAS", "libblas-dev"),
        ("cmake:LAPACK", "liblapack-dev"),
        ("cmake:Catch2", "catch2"),
        ("cmake:yaml-cpp", "libyaml-cpp-dev"),
        ("cmake:TBB", "libtbb-dev"),
        ("cmake:ECM", "extra-cmake-modules"),
        ("cmake:JPEG", "libjpeg-dev"),
        ("cmake:Doxygen", "doxygen"),
        ("cmake:absl", "libabsl-dev"),
        ("cmake:JNI", "default-jdk-headless"),
        ("cmake:GLib", "libglib2.0-dev"),
        ("cmake:SQLite", "libsqlite3-dev"),
        ("cmake:boost_filesystem", "libboost-filesystem-dev"),
        ("cmake:Qt5Svg", "libqt5svg5-dev"),
        ("cmake:Cairo", "libcairo2-dev"),
        ("cmake:LibArchive", "libarchive-dev"),
        ("cmake:GLFW3", "libglfw3-dev"),
        ("cmake:LibUSB", "libusb-1.0-0-dev"),
    ]);
}

#[test]
fn libraries_lead_to_their_packages() {
    check(&[
        ("lib:z", "zlib1g-dev"),
        ("lib:ssl", "libssl-dev"),
        ("lib:crypto", "libssl-dev"),
        ("lib:m", "libc6-dev"),
        ("lib:pthread", "libc6-dev"),
        ("lib:png", "libpng-dev"),
        ("lib:jpeg", "libjpeg-dev"),
        ("lib:ncurses", "libncurses-dev"),
        ("lib:tinfo", "libncurses-dev"),
        ("lib:blas", "libblas-dev"),
        ("lib:lapack", "liblapack-dev"),
        ("lib:curl", "libcurl4-openssl-dev"),
        ("lib:mysqlclient", "default-libmysqlclient-dev"),
        ("lib:boost_system", "libboost-system-dev"),
        ("lib:stdc++", "g++"),
        ("lib:X11", "libx11-dev"),
        ("lib:GL", "libgl-dev"),
        ("lib:xml2", "libxml2-dev"),
        ("lib:uuid", "uuid-dev"),
        ("lib:pq", "libpq-dev"),
        ("lib:readline", "libreadline-dev"),
        ("lib:edit", "libedit-dev"),
        ("lib:libz.so", "zlib1g-dev"),
    ]);
}

#[test]
fn commands_lead_to_their_packages() {
    check(&[
        ("cmd:flex", "flex"),
        ("cmd:bison", "bison"),
        ("cmd:meson", "meson"),
        ("cmd:ninja", "ninja-build"),
        ("cmd:cmake", "cmake"),
        ("cmd:gcc", "gcc"),
        ("cmd:g++", "g++"),
        ("cmd:cc", "gcc"),
        ("cmd:make", "make"),
        ("cmd:pkg-config", "pkg-config"),
        ("cmd:python3", "python3"),
        ("cmd:python", "python-is-python3"),
        ("cmd:perl", "perl"),
        ("cmd:awk", "mawk"),
        ("cmd:xxd", "xxd"),
        ("cmd:git", "git"),
        ("cmd:svn", "subversion"),
        ("cmd:protoc", "protobuf-compiler"),
        ("cmd:clang", "clang"),
        ("cmd:rustc", "rustc"),
        ("cmd:cargo", "cargo"),
        ("cmd:go", "golang-go"),
        ("cmd:node", "nodejs"),
        ("cmd:npm", "npm"),
        ("cmd:java", "default-jre-headless"),
        ("cmd:javac", "default-jdk-headless"),
        ("cmd:autoreconf", "autoconf"),
        ("cmd:aclocal", "automake"),
        ("cmd:libtoolize", "libtool"),
        ("cmd:msgfmt", "gettext"),
        ("cmd:autopoint", "autopoint"),
        ("cmd:makeinfo", "texinfo"),
        ("cmd:xsltproc", "xsltproc"),
        ("cmd:gperf", "gperf"),
        ("cmd:tclsh", "tcl"),
        ("cmd:ruby", "ruby"),
        ("cmd:php", "php-cli"),
        ("cmd:tox", "tox"),
        ("cmd:gfortran", "gfortran"),
        ("cmd:sphinx-build", "python3-sphinx"),
        ("cmd:gtkdocize", "gtk-doc-tools"),
        ("cmd:psql", "postgresql-client"),
        ("cmd:xz", "xz-utils"),
        ("cmd:ps", "procps"),
        ("cmd:mpicc", "mpi-default-dev"),
        ("cmd:convert", "imagemagick"),
        ("cmd:lua", "lua5.4"),
        ("cmd:mysql", "default-mysql-client"),
        ("cmd:ld", "binutils"),
        ("cmd:jq", "jq"),
        ("cmd:ssh", "openssh-client"),
        ("cmd:which", "debianutils"),
    ]);
}

#[test]
fn macros_and_python_modules_lead_to_their_packages() {
    check(&[
        ("m4:AX_CXX_COMPILE_STDCXX", "autoconf-archive"),
        ("m4:AX_PTHREAD", "autoconf-archive"),
        ("m4:PKG_CHECK_MODULES", "pkg-config"),
        ("m4:AM_PATH_SDL", "libsdl1.2-dev"),
        ("m4:LT_INIT", "libtool"),
        ("m4:AM_GNU_GETTEXT", "gettext"),
        ("m4:GTK_DOC_CHECK", "gtk-doc-tools"),
        ("m4:AM_INIT_AUTOMAKE", "automake"),
        ("py:tkinter", "python3-tk"),
        ("py:venv", "python3-venv"),
        ("py:distutils", "python3-distutils"),
        ("py:numpy", "python3-numpy"),
        ("py:yaml", "python3-yaml"),
        ("py:gi", "python3-gi"),
        ("py:google.protobuf", "python3-protobuf"),
        ("py:PIL", "python3-pil"),
        ("py:json", "python3"),
        ("pkg:libfoo-dev", "libfoo-dev"),
    ]);
}

#[test]
fn names_that_say_nothing_lead_nowhere() {
    for text in [
        "header:windows.h",
        "header:winsock2.h",
        "header:io.h",
        "header:config.h",
        "header:version.h",
        "header:types.h",
        "header:utils.h",
        "header:util.h",
        "header:common.h",
        "header:client.h",
        "header:server.h",
        "header:list.h",
        "header:foo/config.h",
        "header:src/util.h",
        "header:core/types.h",
        "header:mylib/mylib.h",
        "header:queue.h",
        "header:buffer.h",
        "header:matrix.h",
        "header:CoreFoundation/CoreFoundation.h",
        "header:mach/mach_time.h",
        "header:my_project_internal_state.h",
        "header:../zlib.h",
        "header:parser.tab.h",
        "cmake:Threads",
        "cmake:OpenMP",
        "cmake:NoSuchThing",
        "cmake:Utils",
        "cmake:Common",
        "cmake:Foo",
        "cmake:CUDA",
        "header:stdafx.h",
        "pc:no-such-module",
        "lib:nosuchlibrary",
        "cmd:no-such-command",
        "m4:MYPROJECT_CHECK_THING",
        "py:no_such_module",
        "pkg:$(reboot)",
        "pkg:-o",
        "header:*",
    ] {
        assert_eq!(best(text), None, "{text}");
    }
}

#[test]
#[ignore = "prints how long a look-up takes"]
fn time_of_a_look_up() {
    let index = Index::embedded();
    for text in [
        "header:zlib.h",
        "header:SDL.h",
        "pc:libpng",
        "lib:ssl",
        "cmd:protoc",
        "cmake:Qt5",
        "py:cv2",
        "so:libz.so.1",
    ] {
        let capability: Capability = text.parse().unwrap();
        index.providers(&capability);
        let start = std::time::Instant::now();
        for _ in 0..1000 {
            std::hint::black_box(index.providers(&capability));
        }
        println!(
            "{text}: {:.1} microseconds",
            start.elapsed().as_secs_f64() * 1000.0
        );
    }
}
