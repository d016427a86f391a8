//! How a Ruby project is installed, compiled, tested and run.

use crate::evidence::Place;
use crate::graph::Facts;

use super::super::Reading;
use super::super::drafts::Draft;
use super::super::tree::{base, join};
use super::beside;

/// Reads the tree beside the manifest; of gemspec and Gemfile in one directory, both may add.
pub fn read(reading: &mut Reading<'_>) {
    let tree = reading.tree;
    let gemfile = beside(reading, "Gemfile").or_else(|| beside(reading, "gems.rb"));
    let rakefile = ["Rakefile", "rakefile", "Rakefile.rb"]
        .iter()
        .find_map(|name| beside(reading, name));
    let rails =
        beside(reading, "bin/rails").filter(|_| beside(reading, "config/application.rb").is_some());
    let rackup = beside(reading, "config.ru");
    let rspec = beside(reading, ".rspec");
    let lock = beside(reading, "Gemfile.lock");
    let specs = first_test(reading, "spec", "_spec.rb");
    let units = first_test(reading, "test", "_test.rb");
    let rake_text = rakefile
        .as_ref()
        .and_then(|path| tree.read(path))
        .unwrap_or_default();
    let draft = reading.drafts.project("ruby", reading.dir);
    draft.product |= rails.is_some() || rackup.is_some() || rakefile.is_some();
    let place = Place::file(reading.path);
    let Some(gemfile) = gemfile else {
        return without_bundler(reading, specs, units);
    };
    let dependency = |name: &str| {
        let found = draft
            .items()
            .iter()
            .find(|item| matches!(item.facts, Facts::Dependency(_)) && item.name.starts_with(name));
        found.map(|item| item.place.clone())
    };
    let by_spec = rspec
        .or(specs)
        .map(Place::file)
        .filter(|_| rake_text.is_empty() || !rake_text.contains("minitest"));
    let by_gem = ["minitest", "test-unit"]
        .iter()
        .find_map(|name| dependency(name));
    let rspec_gem = dependency("rspec");
    let has_rails = dependency("rails").is_some() || rails.is_some();
    let install = lock.map_or_else(|| Place::file(&gemfile), Place::file);
    draft.command("install", "bundle install", install);
    if draft.has_attr("native") && rake_text.contains("ompil") {
        draft.command("build", "bundle exec rake compile", place.clone());
    }
    if has_rails {
        draft.attr("rails", "rails", place.clone());
    }
    if let Some(place) = by_spec.or(rspec_gem) {
        draft.suite("rspec", place.clone());
        draft.command("test", "bundle exec rspec", place);
    }
    if let Some(path) = units {
        let place = Place::file(path);
        draft.suite("minitest", by_gem.unwrap_or_else(|| place.clone()));
        let rake = rakefile.as_ref().map(Place::file);
        match (rails.as_ref(), rake) {
            (Some(_), _) => draft.command("test", "bin/rails test", place),
            (None, Some(rake)) if rake_text.contains("TestTask") => {
                draft.command("test", "bundle exec rake test", rake);
            }
            (None, Some(rake)) => draft.command("test", "bundle exec rake", rake),
            (None, None) => {}
        }
    } else if let Some(path) = rakefile {
        draft.command("test", "bundle exec rake", Place::file(path));
    }
    run(draft, rails, rackup, place);
}

/// A test's file below a directory, by the ending that its framework looks for, or the older prefixes.
fn first_test(reading: &Reading<'_>, sub: &str, ending: &str) -> Option<String> {
    let dir = join(reading.dir, sub)?;
    let found = reading.tree.below(&dir).find(|entry| {
        let name = base(&entry.path);
        let prefixed = name.starts_with("test_") || name.starts_with("spec_");
        entry.path.ends_with(ending) || (ending == "_test.rb" && prefixed && name.ends_with(".rb"))
    });
    found.map(|entry| entry.path.clone())
}

/// An application's server, or a site's generator.
fn run(draft: &mut Draft, rails: Option<String>, rackup: Option<String>, place: Place) {
    let site = draft.items().iter().any(|item| item.name == "jekyll");
    match (rails, rackup) {
        (Some(path), _) => draft.command("run", "bin/rails server", Place::file(path)),
        (None, Some(path)) => draft.command("run", "bundle exec rackup", Place::file(path)),
        _ if site => draft.command("build", "bundle exec jekyll build", place),
        _ => {}
    }
}

fn without_bundler(reading: &mut Reading<'_>, specs: Option<String>, units: Option<String>) {
    let place = Place::file(reading.path);
    let file = base(reading.path).to_owned();
    let draft = reading.drafts.project("ruby", reading.dir);
    if let Ok(word) = shlex::try_quote(&file) {
        draft.command("build", format!("gem build {word}"), place);
    }
    if let Some(path) = specs {
        draft.suite("rspec", Place::file(&path));
        draft.command("test", "rspec", Place::file(path));
    }
    if let Some(path) = units {
        draft.suite("minitest", Place::file(&path));
        draft.command("test", "rake test", Place::file(path));
    }
}
