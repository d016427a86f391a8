//! The events of a small run, for the tests of what shows them.

use crate::pyramid::Level;
use crate::run::{Event, Verdict, What};
use crate::sandbox::Outcome;
use crate::verify::sample;

fn started(id: &str, level: Level, command: &str) -> What {
    What::CommandStarted {
        id: id.into(),
        level,
        command: command.into(),
    }
}

fn finished(id: &str, exit: i32, verdict: Verdict, reason: &str) -> What {
    What::CommandFinished {
        id: id.into(),
        outcome: Outcome::Exited(exit),
        wall: 2.25,
        verdict,
        reason: reason.into(),
    }
}

fn layer(layer: u8, attempt: u32, exit: i32, reused: bool, text: &str) -> Vec<What> {
    vec![
        What::LayerStarted { layer, attempt },
        What::Output {
            of: format!("layer-{layer}"),
            text: text.into(),
        },
        What::LayerFinished {
            layer,
            outcome: Outcome::Exited(exit),
            wall: 6.5,
            reused,
        },
    ]
}

pub fn events() -> Vec<Event> {
    let stage = |stage: &str| What::StageStarted {
        stage: stage.into(),
    };
    let mut all = vec![
        stage("scan"),
        What::StageFinished {
            stage: "scan".into(),
            wall: 0.03,
            summary: "212 files, C and Python".into(),
        },
        What::Warning {
            text: "submodule vendor/\u{1b}[2Jx is empty".into(),
        },
        stage("build"),
    ];
    all.extend(layer(3, 0, 0, false, "Get:1 packages\nSetting up cmake\n"));
    all.extend(layer(5, 0, 2, false, "gcc -c src/gz.c\nsrc/gz.c:12:10: \u{1b}[31mfatal error\u{1b}[0m: zlib.h: No such file\nmake: *** [all] Error 1"));
    all.extend([
        What::Diagnosed {
            failure: sample::failure(),
        },
        What::EditTried {
            edit: "install zlib1g-dev for header:zlib.h".into(),
            because: "the package index".into(),
        },
    ]);
    all.extend(layer(3, 2, 0, true, ""));
    all.extend(layer(5, 2, 0, false, "built\n"));
    all.extend([
        What::EditKept {
            edit: "install zlib1g-dev for header:zlib.h".into(),
        },
        What::Replay {
            why: "one edit was kept".into(),
        },
        started("t1", Level::Testability, "ctest --test-dir build"),
        What::Output {
            of: "t1".into(),
            text: "24 passed, 1 failed\n".into(),
        },
        finished("t1", 8, Verdict::RepositoryFails, "24 passed, 1 failed"),
        started("r1", Level::Runnability, "build/json_parse --help"),
        What::Output {
            of: "r1".into(),
            text: "json_parse: no such option\n".into(),
        },
        finished("r1", 1, Verdict::Failed, "exit 1"),
        What::Finished {
            reached: Some(Level::Testability),
            reason: "every command was tried".into(),
        },
    ]);
    all.into_iter()
        .enumerate()
        .map(|(at, what)| Event {
            at: at as f64 * 1.5,
            what,
        })
        .collect()
}
