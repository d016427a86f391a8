//! Macros with a handler of their own, and those whose arguments are not run.

use super::{Handler, handlers, text};

/// By name; what is not listed is known by `knowledge/autoconf-macros.toml`, expanded, or left alone.
pub(super) static HANDLERS: &[(&str, Handler)] = &[
    ("AC_INIT", |run, call| {
        // With one argument it is the old form: a file that must exist.
        if call.args.len() > 1 {
            let place = run.place(call.line);
            run.draft.name(text(call, 0), &place);
        }
    }),
    ("AC_PREREQ", |run, call| {
        run.attr("autoconf-minimum", text(call, 0), call.line);
        handlers::minimum(run, "autoconf", text(call, 0), call.line);
    }),
    ("AC_CONFIG_MACRO_DIR", |run, call| {
        run.attr("macro-dir", text(call, 0), call.line)
    }),
    ("AC_CONFIG_MACRO_DIRS", |run, call| {
        run.attr("macro-dir", text(call, 0), call.line)
    }),
    ("AC_CONFIG_SUBDIRS", |run, call| {
        for dir in text(call, 0).split_whitespace() {
            run.attr("subdir", dir, call.line);
        }
    }),
    ("AC_PROG_CC", |run, call| {
        run.attr("language", "C", call.line)
    }),
    ("AC_PROG_CC_C99", |run, call| {
        run.attr("language", "C", call.line)
    }),
    ("AM_PROG_CC_C_O", |run, call| {
        run.attr("language", "C", call.line)
    }),
    ("AC_PROG_CXX", |run, call| {
        run.attr("language", "CXX", call.line)
    }),
    ("AC_PROG_FC", |run, call| {
        run.attr("language", "Fortran", call.line)
    }),
    ("AC_PROG_F77", |run, call| {
        run.attr("language", "Fortran", call.line)
    }),
    ("AC_PROG_OBJC", |run, call| {
        run.attr("language", "ObjC", call.line)
    }),
    ("AC_PROG_LEX", |run, call| {
        run.command("flex", false, call.line)
    }),
    ("AM_PROG_LEX", |run, call| {
        run.command("flex", false, call.line)
    }),
    ("AC_PROG_YACC", |run, call| {
        run.command("bison", false, call.line)
    }),
    ("AM_INIT_AUTOMAKE", |run, call| {
        // Among the options, a bare number is the oldest automake that will do (automake manual, "Options").
        for word in text(call, 0).split_whitespace() {
            handlers::minimum(run, "automake", word, call.line);
        }
        if call.args.len() > 1 {
            let place = run.place(call.line);
            run.draft.name(text(call, 0), &place);
        }
        run.bootstraps("automake", "cmd:automake", call);
    }),
    ("LT_INIT", |run, call| {
        run.bootstraps("libtool", "cmd:libtoolize", call)
    }),
    ("AC_PROG_LIBTOOL", |run, call| {
        run.bootstraps("libtool", "cmd:libtoolize", call)
    }),
    ("AM_PROG_LIBTOOL", |run, call| {
        run.bootstraps("libtool", "cmd:libtoolize", call)
    }),
    ("AM_GNU_GETTEXT", |run, call| {
        run.bootstraps("gettext", "cmd:autopoint", call)
    }),
    ("AM_GNU_GETTEXT_VERSION", |run, call| {
        run.bootstraps("gettext", "cmd:autopoint", call)
    }),
    ("IT_PROG_INTLTOOL", |run, call| {
        run.bootstraps("gettext", "cmd:intltoolize", call)
    }),
    ("GTK_DOC_CHECK", |run, call| {
        run.bootstraps("gtk-doc", "cmd:gtkdocize", call)
    }),
    ("PKG_PROG_PKG_CONFIG", |run, call| {
        run.command("pkg-config", true, call.line)
    }),
    ("PKG_CHECK_MODULES", handlers::pkg_check_modules),
    ("PKG_CHECK_MODULES_STATIC", handlers::pkg_check_modules),
    ("AC_CHECK_HEADER", handlers::check_headers),
    ("AC_CHECK_HEADERS", handlers::check_headers),
    ("AC_CHECK_HEADERS_ONCE", handlers::check_headers),
    ("AC_CHECK_LIB", |run, call| {
        handlers::library(run, call, text(call, 0))
    }),
    ("AC_SEARCH_LIBS", |run, call| {
        let first = text(call, 1).split_whitespace().next().unwrap_or_default();
        handlers::library(run, call, first);
    }),
    ("AC_PATH_PROG", |run, call| {
        handlers::program(run, call, text(call, 1))
    }),
    ("AC_PATH_PROGS", |run, call| {
        handlers::program(run, call, text(call, 1))
    }),
    ("AC_PATH_TOOL", |run, call| {
        handlers::program(run, call, text(call, 1))
    }),
    ("AC_CHECK_PROG", |run, call| {
        handlers::program(run, call, text(call, 1))
    }),
    ("AC_CHECK_PROGS", |run, call| {
        handlers::program(run, call, text(call, 1))
    }),
    ("AC_CHECK_TOOL", |run, call| {
        handlers::program(run, call, text(call, 1))
    }),
    ("AC_ARG_ENABLE", |run, call| {
        handlers::option(run, call, "enable")
    }),
    ("AC_ARG_WITH", |run, call| {
        handlers::option(run, call, "with")
    }),
    ("AS_IF", handlers::as_if),
    ("AC_REQUIRE", |run, call| run.require_macro(call)),
    ("PKG_CHECK_EXISTS", handlers::pkg_check_exists),
    ("AC_LIB_HAVE_LINKFLAGS", |run, call| {
        handlers::library(run, call, text(call, 0))
    }),
    ("AC_LIB_LINKFLAGS", |run, call| {
        handlers::library(run, call, text(call, 0))
    }),
    ("AC_TRY_COMPILE", handlers::compiles),
    ("AC_TRY_LINK", handlers::compiles),
    ("AC_TRY_RUN", handlers::compiles),
    ("AC_TRY_CPP", handlers::compiles),
    ("AC_LANG_PROGRAM", handlers::compiles),
    ("AC_LANG_SOURCE", handlers::compiles),
    ("AC_ERROR", |run, _| run.error()),
    ("AC_MSG_ERROR", |run, _| run.error()),
    ("AC_MSG_FAILURE", |run, _| run.error()),
];

/// Macros whose arguments are no code that `configure` runs where they stand.
pub(super) const OPAQUE: &[&str] = &[
    "AC_DEFUN",
    "AC_DEFUN_ONCE",
    "AU_DEFUN",
    "m4_define",
    "AC_LANG_PROGRAM",
    "AC_LANG_SOURCE",
    "AC_DEFINE",
    "AC_DEFINE_UNQUOTED",
    "AC_SUBST",
    "AS_HELP_STRING",
    "AC_HELP_STRING",
    "AC_MSG_CHECKING",
    "AC_MSG_RESULT",
    "AC_MSG_WARN",
    "AC_MSG_NOTICE",
    "AH_TEMPLATE",
    "AC_TRY_COMPILE",
    "AC_TRY_LINK",
    "AC_TRY_RUN",
    "AH_TOP",
    "AH_BOTTOM",
    "AC_CONFIG_FILES",
    "AC_OUTPUT",
    "AC_REQUIRE",
    "m4_pattern_forbid",
];
