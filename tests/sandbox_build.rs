//! Building Dockerfiles through the engine's API, with the host's certificates in the steps and not in the text.

mod sandbox_support;

use std::path::PathBuf;

use envc::sandbox::{Base, BuildRequest, BuildStyle, Company, Engine, docker_engine};
use sandbox_support::*;

fn build(
    engine: &Engine,
    dockerfile: &str,
    company: Option<&Company>,
) -> Result<(String, String), String> {
    let context = tempfile::tempdir().unwrap();
    std::fs::write(context.path().join("hello world"), "hi\n").unwrap();
    let request = BuildRequest {
        dockerfile,
        context: context.path(),
        files: &[PathBuf::from("hello world")],
        extra: &[],
        tag: None,
        args: &[("NAME".into(), "value".into())],
        company,
        style: BuildStyle::for_dockerfile(dockerfile),
    };
    let mut output = Vec::new();
    let result = engine.build(&request, &|| false, &mut |bytes| {
        output.extend_from_slice(bytes)
    });
    let output = String::from_utf8_lossy(&output).into_owned();
    match result {
        Ok(id) => Ok((id, output)),
        Err(error) => Err(format!("{error}\n{output}")),
    }
}

const CLASSIC: &str = "FROM debian:bookworm\nARG NAME\nCOPY [\"hello world\", \"/srv/hello\"]\nRUN echo \"got $NAME\"; cat /srv/hello; env | grep SSL_CERT_FILE || true\n";

const BUILDKIT: &str = "FROM debian:bookworm AS base\nRUN --mount=type=cache,target=/var/cache/x touch /var/cache/x/y && echo made-$(ls /var/cache/x)\nFROM base\nRUN test ! -e /var/cache/x/y\n";

#[test]
fn both_builders_build() {
    let engine = match docker_engine() {
        Ok(engine) => engine,
        Err(error) => {
            eprintln!("SKIPPED: {error}");
            return;
        }
    };
    let store = tempfile::tempdir().unwrap();
    let options = options(store.path());
    let company = Company::collect(&options, store.path(), &Base::Image("x".into())).unwrap();
    let (id, output) = build(&engine, CLASSIC, Some(&company)).unwrap();
    assert!(id.starts_with("sha256:"), "{id}");
    assert!(
        output.contains("got value") && output.contains("hi\n"),
        "{output}"
    );
    engine.remove_image(&id);
    let (id, output) = build(&engine, CLASSIC, None).unwrap();
    assert!(!output.contains("SSL_CERT_FILE="), "{output}");
    engine.remove_image(&id);
    match build(&engine, BUILDKIT, Some(&company)) {
        Ok((id, output)) => {
            assert!(output.contains("made-y"), "{output}");
            engine.remove_image(&id);
        }
        Err(error) => {
            eprintln!("SKIPPED: {error}");
            assert!(error.contains("buildx"), "{error}");
        }
    }
    let error = build(
        &engine,
        "FROM debian:bookworm\nRUN echo before; exit 9\n",
        None,
    )
    .unwrap_err();
    assert!(error.contains("before") && error.contains('9'), "{error}");
}
