//! The names of options and directives whose values are secrets, in every family of servers.

/// The last words of names of options, directives, query parameters, headers and JSON members whose value is
/// a secret: `pass` is the last word of `db_pass`, `smtpPass` and `db-pass2`.
pub static SECRET_WORDS: &[&str] = &[
    "password",
    "passphrase",
    "passwd",
    "pass",
    "pwd",
    "psk",
    "secret",
    "token",
    "key",
    "iv",
    "license",
    "authorization",
    "credential",
    "credentials",
    "bearer",
    "jwt",
    "signature",
    "cookie",
    "tokens",
    "passcode",
    "pin",
    "otp",
    "pw",
    "sig",
    "hmac",
];

/// Other such names that count only as the key of a query: a directive or an option with this name has no secret.
pub static SECRET_KEYS: &[&str] =
    &["auth", "sid", "loginpas", "authbasic", "wmsauthsign", "wms_auth_sign", "hdnts", "hdnea"];

/// The ends of other such names, written without `_` and `-`.
pub static SECRET_ENDINGS: &[&str] = &[
    "password",
    "passphrase",
    "passwd",
    "secret",
    "accesstoken",
    "apitoken",
    "authtoken",
    "sessiontoken",
    "dbpass",
    "userpass",
    "userpwd",
    "apikey",
    "authkey",
    "accesskey",
    "accesskeyid",
    "mykey",
    "privatekey",
    "secretkey",
    "secretkeybase",
    "streamkey",
    "userkey",
    "sessionid",
    "sessid",
];
