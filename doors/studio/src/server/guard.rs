//! Who may connect: the right host, the right origin, the token where one is needed.
//!
//! A page of somebody else in the same browser can send requests to 127.0.0.1, and a name of somebody else can be made to
//! point there. Browsers tell the truth in `Host` and `Origin`, so both are checked on every request. Programs that are
//! no browsers send no `Origin`, and are not what is guarded against.

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, Uri, header};

/// What requests must carry.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    address: SocketAddr,
    token: Option<String>,
}

/// The cookie that holds the token.
pub(crate) const COOKIE: &str = "pliant-token";

impl Guard {
    /// For a server at `address`; one that others can reach gets a token.
    pub(crate) fn new(address: SocketAddr) -> Result<Self, getrandom::Error> {
        let token = if address.ip().is_loopback() { None } else { Some(random_token()?) };
        Ok(Self { address, token })
    }

    pub(crate) fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Why a request is refused, if it is.
    pub(crate) fn refuses(&self, uri: &Uri, headers: &HeaderMap) -> Option<&'static str> {
        let text = |name| headers.get(name).and_then(|v| v.to_str().ok());
        // A request may name its host in its target too; browsers do not, so two names are suspicious.
        let mut hosts = headers.get_all(header::HOST).iter();
        let host = match (hosts.next().and_then(|h| h.to_str().ok()), hosts.next(), uri.authority()) {
            (Some(host), None, None) => host,
            _ => return Some("a request must name one Host"),
        };
        if !self.is_ours(host) {
            return Some("this Host is not the studio's; open the address that it printed");
        }
        if headers.contains_key(header::ORIGIN) {
            let origin = text(header::ORIGIN).and_then(|o| o.strip_prefix("http://"));
            if !origin.is_some_and(|o| o.eq_ignore_ascii_case(host)) {
                return Some("pages of another Origin may not use the studio");
            }
        }
        match &self.token {
            Some(token) if !self.presents(token, uri, headers) => Some(
                "the token is missing or wrong; open the address that the studio printed, with its token",
            ),
            _ => None,
        }
    }

    /// The token of the address line, if it is right: then it may be kept in a cookie.
    pub(crate) fn token_in(&self, uri: &Uri) -> Option<&str> {
        let token = self.token.as_deref()?;
        in_query(uri).is_some_and(|t| same(t, token)).then_some(token)
    }

    fn presents(&self, token: &str, uri: &Uri, headers: &HeaderMap) -> bool {
        let bearer = headers.get(header::AUTHORIZATION).and_then(|v| v.to_str().ok());
        let bearer = bearer.and_then(|v| v.strip_prefix("Bearer "));
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|v| v.to_str().ok());
        let mut cookies =
            cookies.flat_map(|line| line.split(';')).filter_map(|one| one.trim().split_once('='));
        let cookie = cookies.find(|(name, _)| *name == COOKIE).map(|(_, value)| value);
        [in_query(uri), bearer, cookie].into_iter().flatten().any(|given| same(given, token))
    }

    /// Our port, and an address or `localhost`: a name could be made to point here, an address cannot.
    fn is_ours(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
            _ => (host, Some(80)),
        };
        if port != Some(self.address.port()) {
            return false;
        }
        if name.eq_ignore_ascii_case("localhost") {
            return self.address.ip().is_loopback() || self.address.ip().is_unspecified();
        }
        let literal = name.strip_prefix('[').and_then(|n| n.strip_suffix(']')).unwrap_or(name);
        match (literal.parse::<IpAddr>(), self.address.ip()) {
            (Ok(_), ours) if ours.is_unspecified() => true,
            (Ok(named), ours) if ours.is_loopback() => named.is_loopback(),
            (Ok(named), ours) => named == ours,
            (Err(_), _) => false,
        }
    }
}

fn in_query(uri: &Uri) -> Option<&str> {
    uri.query()?.split('&').find_map(|pair| pair.strip_prefix("token="))
}

/// In a time that does not tell how much of it was right.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

fn random_token() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|b| format!("{b:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(header::HeaderName, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect()
    }

    fn guard(address: &str) -> Guard {
        Guard::new(address.parse().unwrap()).unwrap()
    }

    #[test]
    fn only_its_own_host_passes() {
        let guard = guard("127.0.0.1:7420");
        let passes =
            |host: &str| guard.refuses(&"/".parse().unwrap(), &headers(&[(header::HOST, host)])).is_none();
        for host in ["127.0.0.1:7420", "localhost:7420", "LOCALHOST:7420", "[::1]:7420"] {
            assert!(passes(host), "{host}");
        }
        for host in [
            "evil.example:7420",
            "127.0.0.1:7421",
            "127.0.0.1",
            "10.0.0.7:7420",
            "localhost.evil.example:7420",
            "",
            "[::1]",
        ] {
            assert!(!passes(host), "{host}");
        }
        assert!(guard.refuses(&"/".parse().unwrap(), &HeaderMap::new()).is_some());
        let twice = headers(&[(header::HOST, "127.0.0.1:7420"), (header::HOST, "evil.example")]);
        // A map built from pairs keeps the last; two values must be appended.
        let mut both = twice.clone();
        both.append(header::HOST, "127.0.0.1:7420".parse().unwrap());
        assert!(guard.refuses(&"/".parse().unwrap(), &both).is_some());
    }

    #[test]
    fn pages_of_others_are_refused() {
        let guard = guard("127.0.0.1:7420");
        let from = |origin: &str| {
            let headers = headers(&[(header::HOST, "localhost:7420"), (header::ORIGIN, origin)]);
            guard.refuses(&"/socket".parse().unwrap(), &headers).is_none()
        };
        assert!(from("http://localhost:7420"));
        for origin in [
            "http://evil.example",
            "https://localhost:7420",
            "http://127.0.0.1:7420",
            "null",
            "http://localhost",
            "",
        ] {
            assert!(!from(origin), "{origin}");
        }
    }

    #[test]
    fn an_address_that_others_reach_needs_the_token() {
        let guard = guard("0.0.0.0:7420");
        let token = guard.token().unwrap().to_owned();
        assert_eq!(token.len(), 32);
        let host = (header::HOST, "192.168.0.5:7420");
        let refuses = |uri: &str, more: Option<(header::HeaderName, &str)>| {
            let pairs: Vec<_> = [host.clone()].into_iter().chain(more).collect();
            guard.refuses(&uri.parse().unwrap(), &headers(&pairs)).is_some()
        };
        assert!(refuses("/", None));
        assert!(refuses("/?token=0123", None));
        assert!(!refuses(&format!("/?token={token}"), None));
        assert!(!refuses(&format!("/?renderer=gpu&token={token}"), None));
        assert!(!refuses("/socket", Some((header::COOKIE, &format!("a=b; pliant-token={token}")))));
        assert!(!refuses("/socket", Some((header::AUTHORIZATION, &format!("Bearer {token}")))));
        assert!(refuses("/socket", Some((header::AUTHORIZATION, &format!("Bearer {token}0")))));
        assert!(guard.token_in(&"/".parse().unwrap()).is_none());
        assert!(self::guard("127.0.0.1:1").token().is_none());
    }
}
