use super::super::testing::{repo, summary};

#[test]
fn packages_of_a_project() {
    let graph = repo(&[
        (
            "cabal.project",
            "packages: ./core\n          app/*.cabal\nwith-compiler: ghc-9.4.7\n",
        ),
        (
            "core/core.cabal",
            "cabal-version: 2.4\nname:          core\ntested-with:   GHC == 9.2.8, GHC ==9.4.7\n\nlibrary\n    -- c\n    build-depends:\n        base >= 4.9 && < 5\n      , bytestring\n    if os(linux)\n        extra-libraries: z\n    pkgconfig-depends: libpq >= 9, zlib\n\ntest-suite spec\n  type: exitcode-stdio-1.0\n  build-depends: base, hspec\n",
        ),
        (
            "app/app.cabal",
            "name: app\nexecutable app\n  main-is: Main.hs\n  build-depends: core\n",
        ),
        ("s/stack.yaml", "resolver: lts-21.0\n"),
        (
            "s/package.yaml",
            "name: s\ndependencies:\n- base >= 4\ntests:\n  spec: {}\n",
        ),
    ]);
    insta::assert_snapshot!(summary(&graph), @r#"
    haskell "" test (cabal.project)
      build-command = cabal build all (cabal.project)
      install-command = cabal build all --enable-tests --only-dependencies (cabal.project)
      manager = cabal (cabal.project)
      member = app (cabal.project:1)
      member = core (cabal.project:1)
      test-command = cabal test all (cabal.project)
      tool ghc 9.4.7 Lock (cabal.project:3)
      tool ghc 9.2.8 || 9.4.7 Manifest (core/core.cabal:3)
    haskell "app" app (app/app.cabal:1)
      package = app (app/app.cabal:1)
      workspace-root = . (app/app.cabal)
      project haskell "" (cabal.project)
      hackage core [runtime] (app/app.cabal:4)
      project haskell "core" (core/core.cabal:2)
      entry Command app (app/app.cabal:2)
    haskell "core" core (core/core.cabal:2)
      ghc = 9.2.8 (core/core.cabal:3)
      ghc = 9.4.7 (core/core.cabal:3)
      package = core (core/core.cabal:2)
      workspace-root = . (core/core.cabal)
      project haskell "" (cabal.project)
      tool ghc 9.2.8 || 9.4.7 Manifest (core/core.cabal:3)
      hackage base >= 4.9 && < 5 [runtime] (core/core.cabal:7)
      hackage bytestring [runtime] (core/core.cabal:7)
      system lib:z [runtime] (core/core.cabal:11)
      system cmd:pkg-config [build] (core/core.cabal:12)
      system pc:libpq [runtime] (core/core.cabal:12)
      system pc:zlib [runtime] (core/core.cabal:12)
      hackage base [test] (core/core.cabal:16)
      hackage hspec [test] (core/core.cabal:16)
      suite cabal (core/core.cabal:14)
    haskell "s" s (s/package.yaml:1)
      build-command = stack build (s/stack.yaml)
      install-command = stack build --only-dependencies --test (s/stack.yaml)
      manager = stack (s/stack.yaml)
      resolver = lts-21.0 (s/stack.yaml:1)
      test-command = stack test (s/stack.yaml)
      hackage base >= 4 [runtime] (s/package.yaml:3)
      suite cabal (s/package.yaml:5)
    "#);
}

proptest::proptest! {
    #[test]
    fn any_text_is_survived(text in "(?s)([a-z: ,\n-]|build-depends:|packages:|library|executable|if |\\PC){0,60}") {
        repo(&[("a.cabal", &text), ("cabal.project", &text), ("stack.yaml", &text), ("b/package.yaml", &text)]);
    }
}
