use super::*;
use crate::emit::progress::tests_events::events;
use crate::verify::attest::{Testimony, certify};
use crate::verify::sample;

fn page(change: impl FnOnce(&mut Run, &mut Plan, &mut Pyramid, &mut String)) -> String {
    let (mut run, mut plan, mut pyramid) = (sample::run(), sample::plan(), sample::pyramid());
    let mut script = include_str!("sample-setup.sh").to_owned();
    change(&mut run, &mut plan, &mut pyramid, &mut script);
    let certificate = certify(Testimony {
        run: &run,
        setup_sh: script.as_bytes(),
        asked: None,
        docker: None,
        docker_skipped: Some("no engine answers".into()),
        charges: vec![sample::charge(false)],
        finished: jiff::Timestamp::UNIX_EPOCH,
    });
    let graph_summary = [("file".to_owned(), 212), ("command".to_owned(), 31)].into();
    report(&ReportData {
        repository: &run.script.repository,
        graph_summary: &graph_summary,
        plan: &plan,
        script_text: &script,
        pyramid: &pyramid,
        run: &run,
        certificate: &certificate,
        events: &events(),
    })
    .unwrap()
}

#[test]
fn says_what_a_reader_looks_for() {
    let page = page(|_, _, _, _| {});
    if let Some(path) = std::env::var_os("ENVC_SHOW_REPORT") {
        std::fs::write(path, &page).unwrap();
    }
    for part in [
        "Verified: testability",
        "24 passed, 1 failed (ctest)",
        "src/gz.c:12",
        "zlib1g-dev",
        "5 project",
        "sudo make install",
        "install zlib1g-dev for header:zlib.h",
        "ctest gives other counts when it runs again",
        "dismissed",
        "<svg class=\"chart\"",
    ] {
        assert!(page.contains(part), "{part:?} is not on the page");
    }
}

#[test]
fn asks_for_nothing_from_outside() {
    let page = page(|_, _, _, _| {});
    assert!(page.contains("default-src 'none'"));
    for request in [
        "<script", "src=", "@import", "url(", "http://", "https://", "<iframe", "<object",
    ] {
        assert!(!page.contains(request), "{request:?} is on the page");
    }
}

#[test]
fn hostile_values_stay_text() {
    let bad = "</style></pre></title><script>alert(1)</script>\"'><img src=x onerror=alert(1)>{{7}}javascript:x\u{1b}]0;t\u{7}\u{202e}";
    let page = page(|run, plan, pyramid, script| {
        run.script.repository.name = bad.into();
        script.push_str(bad);
        run.sandbox.distribution = bad.into();
        for result in &mut run.results {
            result.reason = bad.into();
            result.command = bad.into();
            result.tail = vec![bad.into()];
        }
        for repair in &mut run.repairs {
            repair.reason = bad.into();
            repair.failure.title = bad.into();
            repair.failure.lines = vec![bad.into()];
        }
        plan.base.image = bad.into();
        plan.notes = vec![bad.into()];
        for package in &mut plan.packages {
            package.package = bad.into();
            package.because[0].text = bad.into();
            package.because[0].place = Some(crate::evidence::Place::new(bad, 1));
        }
        for command in &mut pyramid.commands {
            command.command = bad.into();
            command.dir = bad.into();
        }
        for left in &mut pyramid.left_out {
            left.command = bad.into();
            left.reason = bad.into();
        }
        plan.conflicts[0].losers[0].value = bad.into();
        plan.toolchains[0].requirement = bad.into();
        plan.env[0].value = bad.into();
    });
    assert!(
        page.contains("&lt;script&gt;alert(1)"),
        "it is not shown at all"
    );
    for unescaped in ["<script", "<img", "onerror=", "\u{1b}", "\u{202e}"] {
        assert!(!page.contains(unescaped), "{unescaped:?} is on the page");
    }
    // As many closing tags as on a harmless page: none came from a value.
    let harmless = super::tests::page(|_, _, _, _| {});
    for tag in ["</style>", "</title>", "</pre>"] {
        assert_eq!(
            page.matches(tag).count(),
            harmless.matches(tag).count(),
            "{tag}"
        );
    }
    assert!(!page.contains("href=\"javascript"));
}

#[test]
fn a_run_that_reached_nothing_has_a_page_too() {
    let page = page(|run, _, pyramid, _| {
        run.layers = sample::layers(false);
        run.results.clear();
        run.repairs.clear();
        pyramid.commands.clear();
        run.end = crate::run::EndReason::NoRepair("header x.h is missing".into());
    });
    assert!(page.contains("Not verified"));
    assert!(page.contains("No repair was left for: header x.h is missing."));
    assert!(page.contains("No command was found for this level."));
}
