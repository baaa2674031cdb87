//! Errors of the libraries for TCP, TLS and HTTP in the words of this program.

use std::error::Error;
use std::io;
use std::sync::Arc;

use rustls::{CertificateError, OtherError};
use thiserror::Error;
use url::ParseError;

use crate::http::api::Fingerprint;
use crate::store::reason;

/// The reason why an encrypted connection failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TlsFault {
    #[error("its certificate is from an authority that is not trusted")]
    UnknownAuthority,
    /// `openssl req -x509` makes such a certificate by default.
    #[error("its certificate is for an authority, not for a server")]
    AuthorityAsServer,
    /// A certificate that the user may trust by its fingerprint.
    #[error("{why}; its fingerprint is {found}")]
    Unknown { found: Fingerprint, why: Box<TlsFault> },
    #[error("its certificate has the fingerprint {found}, and not {pinned}")]
    OtherFingerprint { found: Fingerprint, pinned: Fingerprint },
    #[error("its certificate is for another host")]
    OtherHost,
    #[error("its certificate has expired, or is not valid yet")]
    OutOfDate,
    #[error("it does not speak TLS")]
    NotTls,
    /// Any other fault, in the words of the library.
    #[error("{0}")]
    Other(String),
}

impl TlsFault {
    fn from_error(error: &rustls::Error) -> Self {
        let rustls::Error::InvalidCertificate(fault) = error else {
            let is_message = matches!(error, rustls::Error::InvalidMessage(_));
            return if is_message { Self::NotTls } else { Self::Other(error.to_string().to_lowercase()) };
        };
        match fault {
            // A bad signature was made by another authority of the same name.
            CertificateError::UnknownIssuer | CertificateError::BadSignature => Self::UnknownAuthority,
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                Self::OtherHost
            }
            CertificateError::Expired
            | CertificateError::ExpiredContext { .. }
            | CertificateError::NotValidYet
            | CertificateError::NotValidYetContext { .. } => Self::OutOfDate,
            CertificateError::Other(OtherError(other)) if other.is::<Rejected>() => {
                other.downcast_ref().map_or(Self::UnknownAuthority, Rejected::fault)
            }
            // The type of this error is private to the library.
            CertificateError::Other(other) if format!("{other:?}").contains("CaUsedAsEndEntity") => {
                Self::AuthorityAsServer
            }
            fault => Self::Other(fault.to_string().to_lowercase()),
        }
    }
}

/// A certificate that a verifier of this program rejected; the library carries it through the handshake.
#[derive(Debug, Error)]
pub(super) enum Rejected {
    #[error("unknown certificate {found}: {why}")]
    Unknown { found: Fingerprint, why: rustls::Error },
    #[error("certificate {found} instead of {pinned}")]
    Other { found: Fingerprint, pinned: Fingerprint },
}

impl Rejected {
    /// The error `why`, with the fingerprint that was found if it says no more than that nobody known
    /// vouches for the certificate.
    pub(super) fn if_unknown(found: Fingerprint, why: rustls::Error) -> rustls::Error {
        match TlsFault::from_error(&why) {
            TlsFault::UnknownAuthority | TlsFault::AuthorityAsServer => Self::Unknown { found, why }.into(),
            _ => why,
        }
    }

    fn fault(&self) -> TlsFault {
        match self {
            Self::Unknown { found, why } => {
                TlsFault::Unknown { found: *found, why: Box::new(TlsFault::from_error(why)) }
            }
            Self::Other { found, pinned } => TlsFault::OtherFingerprint { found: *found, pinned: *pinned },
        }
    }
}

impl From<Rejected> for rustls::Error {
    fn from(rejected: Rejected) -> Self {
        Self::InvalidCertificate(CertificateError::Other(OtherError(Arc::new(rejected))))
    }
}

/// Finds a fault of TLS among the causes of an error.
pub(super) fn tls_fault(error: &(dyn Error + 'static)) -> Option<TlsFault> {
    chain(error).find_map(|error| error.downcast_ref()).map(TlsFault::from_error)
}

/// An error and its causes, including the error inside an [`io::Error`], which is not its source.
pub(super) fn chain<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error: &&'e (dyn Error + 'static)| {
        let held = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        held.map(|held| held as &(dyn Error + 'static)).or_else(|| error.source())
    })
}

/// Describes the reason why a connection failed, without a URL.
pub(super) fn connection_fault(error: &(dyn Error + 'static)) -> String {
    if let Some(words) = chain(error).find_map(|error| error.downcast_ref().and_then(of_http)) {
        return words.to_owned();
    }
    let last = chain(error).last().unwrap_or(error);
    let words = match last.downcast_ref::<io::Error>() {
        Some(error) => reason(error),
        None => reason(&io::Error::other(last.to_string())),
    };
    // The standard library has no error type for the resolver.
    match words.starts_with("failed to lookup address information") {
        true => "the name of the host can't be resolved".to_owned(),
        false => words,
    }
}

/// True if the other end closed the connection, in the handshake or before it answered.
pub(super) fn was_closed(error: &(dyn Error + 'static)) -> bool {
    let is_end = |kind| {
        use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
        matches!(kind, BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
    };
    chain(error).any(|error| {
        match (error.downcast_ref::<hyper::Error>(), error.downcast_ref::<io::Error>()) {
            (Some(error), _) => error.is_incomplete_message() || error.is_closed(),
            (_, Some(error)) => is_end(error.kind()),
            _ => false,
        }
    })
}

fn of_http(error: &hyper::Error) -> Option<&'static str> {
    match error {
        error if error.is_parse() => Some("the answer is not HTTP"),
        error if error.is_incomplete_message() || error.is_closed() => {
            Some("the server closed the connection")
        }
        _ => None,
    }
}

/// Describes the reason why a text is no URL.
pub(super) fn url_fault(error: ParseError) -> &'static str {
    match error {
        ParseError::RelativeUrlWithoutBase | ParseError::RelativeUrlWithCannotBeABaseBase => {
            "it does not start with `http://` or `https://`"
        }
        ParseError::EmptyHost => "it has no host",
        ParseError::InvalidPort => "its port is not a number from 0 to 65535",
        ParseError::InvalidIpv4Address => "its host is not a valid IPv4 address",
        ParseError::InvalidIpv6Address => "its host is not a valid IPv6 address",
        ParseError::IdnaError | ParseError::InvalidDomainCharacter => {
            "its host has a character that no host name can have"
        }
        _ => "it is not a valid URL",
    }
}
