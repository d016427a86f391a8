//! `Vagrantfile` (Vagrant, "Shell provisioner"): the shell text that it provisions its machine with.

use std::sync::LazyLock;

use regex::Regex;

use super::{Format, Found, Reading, base};

/// `config.vm.provision "shell", inline: <<-SHELL` and `$script = <<-'SCRIPT'`.
static DOCUMENT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?:inline\s*(?::|=>)|^\s*\$?\w+\s*=|\.inline\s*=)\s*<<[-~]?["']?([A-Za-z_]\w*)["']?"#,
    )
    .expect("a literal pattern")
});

static INLINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"inline\s*(?::|=>|=)\s*(?:"([^"\\#]+)"|'([^'\\]+)')"#).expect("a literal pattern")
});

pub(super) const FORMAT: Format = Format {
    matches: |path| base(path) == "Vagrantfile",
    read,
    pins: false,
};

fn read(reading: &mut Reading) {
    let mut lines = (1..).zip(reading.text.lines());
    let mut found = Vec::new();
    while let Some((number, line)) = lines.next() {
        if line.trim_start().starts_with('#') {
            continue;
        }
        if let Some(mark) = DOCUMENT.captures(line).and_then(|found| found.get(1)) {
            let body: Vec<&str> = lines
                .by_ref()
                .map(|(_, line)| line)
                .take_while(|line| line.trim() != mark.as_str())
                .collect();
            found.push((number + 1, body.join("\n")));
        } else if let Some(text) = INLINE
            .captures(line)
            .and_then(|found| found.get(1).or(found.get(2)))
        {
            found.push((number, text.as_str().to_owned()));
        }
    }
    for (line, text) in found {
        reading.push(Found::Shell(line, text, "Vagrantfile".to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;

    #[test]
    fn inline_shell() {
        let text = "Vagrant.configure(\"2\") do |config|\n  # inline: \"no\"\n  config.vm.box = \"debian/bookworm64\"\n  config.vm.provision \"shell\", inline: <<-SHELL\n    apt-get update\n    apt-get install -y gcc\n  SHELL\n  config.vm.provision :shell, inline: 'make -C /vagrant'\nend\n";
        insta::assert_snapshot!(found("Vagrantfile", text), @"
        5: shell     apt-get update⏎    apt-get install -y gcc (Vagrantfile)
        8: shell make -C /vagrant (Vagrantfile)
        ");
    }
}
