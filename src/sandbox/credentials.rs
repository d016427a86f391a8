//! Credentials in the addresses of package indexes: taken out of every variable, given to commands only as files on a
//! tmpfs, and blotted out of whatever commands print.

use std::fmt::Write;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Shortest secret that is looked for in output: a shorter one is part of too many words.
const SHORTEST: usize = 4;

/// A user and password of one machine.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Login {
    scheme: String,
    /// With its port.
    host: String,
    /// Host and path, for tools that tell directories apart.
    place: String,
    user: String,
    password: String,
}

/// What was found, and everything that must not be seen.
#[derive(Debug, Clone, Default)]
pub struct Credentials {
    logins: Vec<Login>,
    secrets: Vec<String>,
}

impl Credentials {
    /// A value without the user and password of any address in it.
    pub fn clean(&mut self, value: &str) -> String {
        let mut out = String::new();
        let mut rest = value;
        while let Some(at) = rest.find("://") {
            let (before, after) = rest.split_at(at + 3);
            let end = after
                .find(|c: char| "/?#,|;\"'".contains(c) || c.is_whitespace())
                .unwrap_or(after.len());
            let (authority, path) = after.split_at(end);
            out.push_str(before);
            match authority.rsplit_once('@') {
                Some((login, host)) => {
                    let scheme = before.trim_end_matches("://");
                    let scheme = scheme.rsplit(|c: char| !c.is_ascii_alphanumeric()).next();
                    self.add(scheme.unwrap_or_default(), login, host, path);
                    out.push_str(host);
                }
                None => out.push_str(authority),
            }
            rest = path;
        }
        out + rest
    }

    fn add(&mut self, scheme: &str, login: &str, host: &str, path: &str) {
        let (user, password) = login.split_once(':').unwrap_or((login, ""));
        let end = path
            .find(|c: char| "?#,|;\"'".contains(c) || c.is_whitespace())
            .unwrap_or(path.len());
        let login = Login {
            scheme: scheme.to_owned(),
            host: host.to_owned(),
            place: format!("{host}{}", path.get(..end).unwrap_or_default()),
            user: decoded(user),
            password: decoded(password),
        };
        self.hide(password);
        // A token often stands in the user's place.
        if password.is_empty() {
            self.hide(user);
        }
        self.hide(&login.password);
        self.hide(&STANDARD.encode(format!("{}:{}", login.user, login.password)));
        self.hide(&STANDARD.encode(&login.password));
        if !self.logins.contains(&login) {
            self.logins.push(login);
        }
    }

    /// A further value that must not be seen.
    pub fn hide(&mut self, secret: &str) {
        let new = !self.secrets.iter().any(|known| known == secret);
        if secret.len() >= SHORTEST && new {
            self.secrets.push(secret.to_owned());
        }
    }

    pub fn secrets(&self) -> &[String] {
        &self.secrets
    }

    pub fn is_empty(&self) -> bool {
        self.logins.is_empty()
    }

    /// For pip, uv, go, curl: netrc(5).
    pub fn netrc(&self) -> String {
        let mut text = String::new();
        for login in &self.logins {
            let host = login.host.split(':').next().unwrap_or_default();
            let _ = writeln!(
                text,
                "machine {host} login {} password {}",
                login.user, login.password
            );
        }
        text
    }

    /// For npm, yarn and pnpm.
    pub fn npmrc(&self) -> String {
        let mut text = String::new();
        for login in &self.logins {
            let place = login.place.trim_end_matches('/');
            let password = STANDARD.encode(&login.password);
            let _ = writeln!(
                text,
                "//{place}/:username={}\n//{place}/:_password={password}",
                login.user
            );
        }
        text
    }

    /// For apt: apt_auth.conf(5); without a scheme it is for encrypted connections only.
    pub fn apt_auth(&self) -> String {
        let mut text = String::new();
        for login in &self.logins {
            let _ = writeln!(
                text,
                "machine {}://{} login {} password {}",
                login.scheme, login.host, login.user, login.password
            );
        }
        text
    }

    /// User and password for an address that was cleaned.
    pub fn of(&self, address: &str) -> Option<(&str, &str)> {
        let host = address.split_once("://")?.1.split('/').next()?;
        let login = self.logins.iter().find(|login| login.host == host)?;
        Some((&login.user, &login.password))
    }
}

/// `%xx` as the byte it stands for.
pub(super) fn percent_decoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(value) if byte == b'%' => {
                bytes.push(value);
                rest = after.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    bytes
}

fn decoded(text: &str) -> String {
    String::from_utf8_lossy(&percent_decoded(text)).into_owned()
}

/// Blots secrets out of a stream, wherever its pieces are cut.
pub struct Blotter<'a> {
    secrets: &'a [String],
    held: Vec<u8>,
}

const BLOT: &[u8] = b"[hidden]";

impl<'a> Blotter<'a> {
    pub fn new(secrets: &'a [String]) -> Self {
        Self {
            secrets,
            held: Vec::new(),
        }
    }

    /// Passes on what cannot be the beginning of a secret.
    pub fn push(&mut self, piece: &[u8], sink: &mut dyn FnMut(&[u8])) {
        if self.secrets.is_empty() {
            return sink(piece);
        }
        self.held.extend_from_slice(piece);
        let mut out = Vec::new();
        let mut at = 0;
        while let Some(rest) = self.held.get(at..).filter(|rest| !rest.is_empty()) {
            let whole = self
                .secrets
                .iter()
                .find(|secret| rest.starts_with(secret.as_bytes()));
            if let Some(secret) = whole {
                out.extend_from_slice(BLOT);
                at += secret.len();
                continue;
            }
            if self
                .secrets
                .iter()
                .any(|secret| secret.as_bytes().starts_with(rest))
            {
                break;
            }
            out.extend(rest.first());
            at += 1;
        }
        self.held.drain(..at);
        if !out.is_empty() {
            sink(&out);
        }
    }

    /// The rest, when the stream has ended.
    pub fn finish(self, sink: &mut dyn FnMut(&[u8])) {
        if !self.held.is_empty() {
            sink(&self.held);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lose_their_login() {
        let mut found = Credentials::default();
        let value = "https://me:s%40cret@mirror.invalid:8443/simple https://plain.invalid/a@b";
        assert_eq!(
            found.clean(value),
            "https://mirror.invalid:8443/simple https://plain.invalid/a@b"
        );
        assert_eq!(
            found.clean("sparse+https://token1@x.invalid/"),
            "sparse+https://x.invalid/"
        );
        assert_eq!(
            found.clean("no address, me:you@there"),
            "no address, me:you@there"
        );
        assert_eq!(
            found.netrc(),
            "machine mirror.invalid login me password s@cret\nmachine x.invalid login token1 password \n"
        );
        assert!(
            found
                .npmrc()
                .contains("//mirror.invalid:8443/simple/:username=me\n")
        );
        assert!(
            found
                .apt_auth()
                .starts_with("machine https://mirror.invalid:8443 login me ")
        );
        assert_eq!(
            found.of("https://mirror.invalid:8443/x"),
            Some(("me", "s@cret"))
        );
        assert_eq!(found.of("https://plain.invalid/"), None);
        for secret in ["s%40cret", "s@cret", "token1", "bWU6c0BjcmV0"] {
            assert!(
                found.secrets().iter().any(|known| known == secret),
                "{secret}"
            );
        }
    }

    #[test]
    fn secrets_are_blotted_out_wherever_a_piece_ends() {
        let secrets = ["hunter22".to_owned(), "other".to_owned()];
        let text = b"a hunter22 b hunter2 c other hunter22";
        for cut in 0..text.len() {
            let mut out = Vec::new();
            let mut blotter = Blotter::new(&secrets);
            for piece in [&text[..cut], &text[cut..]] {
                blotter.push(piece, &mut |bytes| out.extend_from_slice(bytes));
            }
            blotter.finish(&mut |bytes| out.extend_from_slice(bytes));
            let out = String::from_utf8(out).unwrap();
            assert_eq!(out, "a [hidden] b hunter2 c [hidden] [hidden]", "{cut}");
        }
    }
}
