//! Lists of distribution packages: `apt.txt` (repo2docker), `Aptfile` (Heroku's apt buildpack), `bindep.txt` (OpenStack).

use super::{Format, Found, Reading, base, lines};

pub(super) const FORMAT: Format = Format {
    matches: |path| matches!(base(path), "apt.txt" | "Aptfile" | "bindep.txt"),
    read,
    pins: false,
};

fn read(reading: &mut Reading) {
    let bindep = base(reading.path) == "bindep.txt";
    for (line, text) in lines(reading.text) {
        // An Aptfile may hold addresses and `:repo:` lines.
        if text.starts_with(':') || text.contains("://") {
            continue;
        }
        let (names, condition) = text.split_once('[').unwrap_or((text, ""));
        if bindep {
            let other = condition.contains("platform:")
                && !["dpkg", "debian", "ubuntu"]
                    .iter()
                    .any(|os| condition.contains(os));
            let name = names.split_whitespace().next().filter(|_| !other);
            if let Some(name) = name {
                reading.push(Found::Package(line, name.to_owned()));
            }
            continue;
        }
        for name in names.split_whitespace() {
            reading.push(Found::Package(line, name.to_owned()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;

    #[test]
    fn names_by_line() {
        assert_eq!(
            found("binder/apt.txt", "libpq-dev # db\n\nffmpeg graphviz\n"),
            "1: package libpq-dev\n3: package ffmpeg\n3: package graphviz"
        );
        assert_eq!(
            found(
                "Aptfile",
                ":repo:deb http://x y\nhttps://x/y.deb\nlibxml2\n"
            ),
            "3: package libxml2"
        );
        assert_eq!(
            found(
                "bindep.txt",
                "gcc [compile]\nlibffi-devel [platform:rpm]\nlibffi-dev [test platform:dpkg]\n"
            ),
            "1: package gcc\n3: package libffi-dev"
        );
    }
}
