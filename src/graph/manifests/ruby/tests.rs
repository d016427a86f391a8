use super::super::testing::{repo, summary};

#[test]
fn a_gem_with_an_extension() {
    let graph = repo(&[
        (
            "fast.gemspec",
            "Gem::Specification.new do |spec|\n  spec.name = 'fast'\n  spec.required_ruby_version = '>= 2.7'\n  spec.extensions = %w[ext/fast/extconf.rb]\n  spec.extensions = ['ext/fast/extconf.rb']\n  spec.executables = [\"fast\"]\n  spec.add_dependency 'json', '>= 2', '< 3'\n  spec.add_development_dependency(\"rake-compiler\", \"~> 1.2\")\nend\n",
        ),
        (
            "Gemfile",
            "source 'https://x'\nruby file: '.ruby-version'\ngemspec\ngem 'rspec', '~> 3', group: :test\ngroup :development do\n  gem \"pry\" # c\n  gem 'local', path: '../l'\nend\ngem 'puma'\n",
        ),
        (
            "Gemfile.lock",
            "GEM\n  specs:\n\nRUBY VERSION\n   ruby 3.2.2p53\n\nBUNDLED WITH\n   2.4.10\n",
        ),
        (".ruby-version", "3.2.2\n"),
        ("Rakefile", "require 'rake/extensiontask'\ntask :compile\n"),
        ("spec/a_spec.rb", ""),
    ]);
    insta::assert_snapshot!(summary(&graph), @r#"
    ruby "" fast (fast.gemspec:2)
      build-command = bundle exec rake compile (fast.gemspec)
      gemspec = gemspec (Gemfile:3)
      install-command = bundle install (Gemfile.lock)
      lock = Gemfile.lock (Gemfile.lock)
      native = ext/fast/extconf.rb (fast.gemspec:5)
      package = fast (fast.gemspec:2)
      test-command = bundle exec rspec (spec/a_spec.rb)
      tool ruby >= 2.7 Manifest (fast.gemspec:3)
      system header:ruby.h [build] (fast.gemspec:5)
      system cmd:make [build] (fast.gemspec:5)
      system cmd:cc [build] (fast.gemspec:5)
      rubygems json >= 2, < 3 [runtime] (fast.gemspec:7)
      rubygems rake-compiler ~> 1.2 [dev] (fast.gemspec:8)
      tool ruby 3.2.2 Lock (.ruby-version:1)
      rubygems rspec ~> 3 [test] (Gemfile:4)
      rubygems pry [dev] (Gemfile:6)
      rubygems local [dev] (Gemfile:7)
      rubygems puma [runtime] (Gemfile:9)
      tool bundler 2.4.10 Lock (Gemfile.lock:8)
      entry Command fast (fast.gemspec:6)
      entry Library fast (fast.gemspec)
      suite rspec (spec/a_spec.rb)
    "#);
}

#[test]
fn an_application() {
    let graph = repo(&[
        (
            "Gemfile",
            "gem 'rails', '7.1'\nif ENV['X']\n  gem 'y'\nend\n",
        ),
        ("bin/rails", "#!/usr/bin/env ruby\n"),
        ("config/application.rb", ""),
        ("config.ru", ""),
        ("test/models/a_test.rb", ""),
    ]);
    insta::assert_snapshot!(summary(&graph), @r#"
    ruby "" test (Gemfile)
      install-command = bundle install (Gemfile)
      rails = rails (Gemfile)
      run-command = bin/rails server (bin/rails)
      test-command = bin/rails test (test/models/a_test.rb)
      rubygems rails 7.1 [runtime] (Gemfile:1)
      rubygems y [runtime] (Gemfile:3)
      suite minitest (test/models/a_test.rb)
    "#);
}

proptest::proptest! {
    #[test]
    fn any_text_is_survived(text in "(?s)([a-z(){}\"'., :=\n]|gem|group|do|end|ruby|extensions|name|path){0,60}") {
        repo(&[("Gemfile", &text), ("x.gemspec", &text), ("Gemfile.lock", &text)]);
    }
}
