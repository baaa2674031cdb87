//! A certificate that the server makes itself. Clients trust it by its fingerprint.

use rcgen::{CertificateParams, DnType, Error, IsCa, KeyPair};

/// Makes a certificate for these names and addresses, and its key, both in PEM. It does not expire: a client
/// that knows its fingerprint needs no date.
pub fn self_signed(names: Vec<String>) -> Result<[String; 2], Error> {
    let key = KeyPair::generate()?;
    let common_name = names.first().cloned().unwrap_or_default();
    let mut params = CertificateParams::new(names)?;
    params.distinguished_name.push(DnType::CommonName, common_name);
    // As its own authority, clients that check it by `--cacert` would refuse it.
    params.is_ca = IsCa::ExplicitNoCa;
    let certificate = params.self_signed(&key)?;
    Ok([certificate.pem(), key.serialize_pem()])
}
