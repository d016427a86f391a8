use super::super::testing::{repo, summary};

#[test]
fn a_package_with_a_lock_file() {
    let graph = repo(&[
        (
            "package.json",
            "{\n  \"name\": \"@s/tool\",\n  \"version\": \"1.0.0\",\n  \"type\": \"module\",\n  \"engines\": {\"node\": \">=18\", \"vscode\": \"1\"},\n  \"bin\": \"cli.js\",\n  \"main\": \"./index.js\",\n  \"scripts\": {\n    \"build\": \"tsc\",\n    \"test\": \"node --test\"\n  },\n  \"dependencies\": {\"a\": \"^1\", \"g\": \"github:x/y\"},\n  \"devDependencies\": {\"node-gyp\": \"10\"}\n}\n",
        ),
        (
            "package-lock.json",
            "{\"packages\": {\"node_modules/a\": {\n\"hasInstallScript\": true}}}",
        ),
        ("cli.js", ""),
        ("tsconfig.json", "{}"),
    ]);
    insta::assert_snapshot!(summary(&graph), @r#"
    node "" @s/tool (package.json:2)
      build-command = npm run build (package.json:9)
      install-command = npm ci (package-lock.json)
      install-script = a (package-lock.json:1)
      language = TypeScript (tsconfig.json)
      lock = package-lock.json (package-lock.json)
      module-type = module (package.json:4)
      native = node-gyp (package.json:13)
      network = g from github:x/y (package.json:12)
      package = @s/tool (package.json:2)
      package-manager = npm (package-lock.json)
      run-command = node cli.js (package.json:6)
      script = build (package.json:9)
      script = test (package.json:10)
      test-command = npm test (package.json:10)
      tool node >=18 Manifest (package.json:5)
      npm a@^1 [runtime] (package.json:12)
      npm g@github:x/y [runtime] (package.json:12)
      npm node-gyp@10 [dev] (package.json:13)
      system cmd:python3 [build] (package.json:13)
      system cmd:make [build] (package.json:13)
      system cmd:c++ [build] (package.json:13)
      entry Command tool (package.json:6)
      entry Library @s/tool (package.json:7)
      suite node-test (package.json:10)
    "#);
}

#[test]
fn a_workspace_is_many_projects() {
    let graph = repo(&[
        (
            "package.json",
            "{\"name\": \"root\", \"private\": true, \"packageManager\": \"pnpm@8.6.0+sha256.aa\",\n\"volta\": {\"node\": \"20.1.0\"}, \"scripts\": {\"test\": \"echo \\\"Error: no test specified\\\" && exit 1\"}}",
        ),
        (
            "pnpm-workspace.yaml",
            "packages:\n  - 'packages/*'\n  - '!packages/old'\n  - examples/*\n",
        ),
        ("pnpm-lock.yaml", "lockfileVersion: '6.0'\n"),
        (
            "packages/a/package.json",
            "{\"name\": \"a\", \"dependencies\": {\"b\": \"workspace:*\"}, \"devDependencies\": {\"vitest\": \"1\"}}",
        ),
        (
            "packages/b/package.json",
            "{\"name\": \"b\", \"main\": \"b.js\", \"scripts\": {\"start\": \"node b\"}}",
        ),
        ("packages/old/b.js", ""),
        (
            "packages/old/package.json",
            "{\"name\": \"old\", \"main\": \"b.js\"}",
        ),
        (
            "examples/e/package.json",
            "{\"name\": \"e\", \"main\": \"b.js\"}",
        ),
    ]);
    insta::assert_snapshot!(summary(&graph), @r#"
    node "" root (package.json:1)
      install-command = pnpm install --frozen-lockfile (pnpm-lock.yaml)
      lock = pnpm-lock.yaml (pnpm-lock.yaml)
      member = examples/e (pnpm-workspace.yaml:4)
      member = packages/a (pnpm-workspace.yaml:2)
      member = packages/b (pnpm-workspace.yaml:2)
      package = root (package.json:1)
      package-manager = pnpm (package.json:1)
      script = test (package.json:2)
      tool node 20.1.0 Lock (package.json:2)
      tool pnpm 8.6.0 Lock (package.json:1)
    node "packages/a" a (packages/a/package.json:1)
      package = a (packages/a/package.json:1)
      package-manager = pnpm (package.json:1)
      test-command = pnpm exec vitest run (packages/a/package.json:1)
      workspace-root = . (packages/a/package.json)
      project node "" (package.json:1)
      npm b@workspace:* [runtime] (packages/a/package.json:1)
      npm vitest@1 [dev] (packages/a/package.json:1)
      project node "packages/b" (packages/b/package.json:1)
      suite vitest (packages/a/package.json:1)
    node "packages/b" b (packages/b/package.json:1)
      package = b (packages/b/package.json:1)
      package-manager = pnpm (package.json:1)
      run-command = pnpm start (packages/b/package.json:1)
      script = start (packages/b/package.json:1)
      workspace-root = . (packages/b/package.json)
      project node "" (package.json:1)
      entry Library b (packages/b/package.json:1)
    node "packages/old" old (packages/old/package.json:1)
      install-command = npm install (packages/old/package.json)
      package = old (packages/old/package.json:1)
      package-manager = npm (packages/old/package.json)
      entry Library old (packages/old/package.json:1)
    "#);
}

#[test]
fn managers_by_lock_file() {
    let install = |file: &str, text: &str| {
        let graph = repo(&[
            (
                "package.json",
                "{\"name\": \"a\", \"main\": \"x\", \"scripts\": {\"test\": \"jest\"}}",
            ),
            (file, text),
        ]);
        let facts = super::super::testing::project(&graph, "node", "");
        let value = |name: &str| {
            facts
                .attr(name)
                .map_or("", |attr| attr.value.as_str())
                .to_owned()
        };
        format!("{} | {}", value("install-command"), value("test-command"))
    };
    assert_eq!(install("x", ""), "npm install | npm test");
    assert_eq!(install("npm-shrinkwrap.json", "{}"), "npm ci | npm test");
    assert_eq!(
        install("yarn.lock", "# yarn lockfile v1\n"),
        "yarn install --frozen-lockfile | yarn run test"
    );
    assert_eq!(
        install("yarn.lock", "__metadata:\n  version: 8\n"),
        "yarn install --immutable | yarn run test"
    );
    assert_eq!(
        install("bun.lockb", "\u{1}"),
        "bun install --frozen-lockfile | bun run test"
    );
}

#[test]
fn hostile_manifests_are_survived() {
    for text in [
        "{",
        "[]",
        "{\"name\": 3, \"scripts\": [], \"workspaces\": {\"packages\": [\"[\", 3, \"../..\"]}, \"bin\": {\"a\": 1}}",
        "\u{feff}{\r\n\"name\": \"a\",\r\n\"main\": \"$(x)\"}",
    ] {
        repo(&[
            ("package.json", text),
            ("pnpm-workspace.yaml", "packages: {"),
            ("package-lock.json", "[["),
        ]);
    }
}
