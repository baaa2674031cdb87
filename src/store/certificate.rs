//! The end of the validity of a certificate (RFC 5280, section 4.1.2.5).

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use yasna::tags::TAG_UTCTIME;
use yasna::{ASN1Result, BERReader, BERReaderSeq, Tag};

/// The time after which a certificate, given in DER, is not valid; `None` if it is none, or ends before 1970.
pub fn certificate_expiry(der: &[u8]) -> Option<SystemTime> {
    let seconds = yasna::parse_der(der, |certificate| {
        certificate.read_sequence(|parts| {
            let not_after = parts.next().read_sequence(of_validity)?;
            skip(parts, 2)?;
            Ok(not_after)
        })
    });
    Some(UNIX_EPOCH + Duration::from_secs(u64::try_from(seconds.ok()?).ok()?))
}

/// The whole seconds until a time; less than zero if it is over.
pub fn seconds_until(end: SystemTime) -> i64 {
    let seconds = |time: Duration| i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
    match end.duration_since(SystemTime::now()) {
        Ok(left) => seconds(left),
        Err(over) => -seconds(over.duration()),
    }
}

/// Reads the part of a certificate that is signed.
fn of_validity(parts: &mut BERReaderSeq<'_, '_>) -> ASN1Result<i64> {
    parts.read_optional(|version| version.read_tagged(Tag::context(0), |version| version.read_der()))?;
    // The serial number, the algorithm of the signature, and the issuer.
    skip(parts, 3)?;
    let not_after = parts.next().read_sequence(|validity| {
        skip(validity, 1)?;
        seconds(validity.next())
    })?;
    while parts.read_optional(|rest| rest.read_der())?.is_some() {}
    Ok(not_after)
}

fn skip(parts: &mut BERReaderSeq<'_, '_>, count: usize) -> ASN1Result<()> {
    (0..count).try_for_each(|_| parts.next().read_der().map(drop))
}

fn seconds(time: BERReader<'_, '_>) -> ASN1Result<i64> {
    match time.lookahead_tag()? {
        TAG_UTCTIME => Ok(time.read_utctime()?.datetime().unix_timestamp()),
        _ => Ok(time.read_generalized_time()?.datetime().unix_timestamp()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_the_validity_is_read_in_both_forms() {
        let key = rcgen::KeyPair::generate().expect("a key can be made");
        // Years from 2050 on have another form.
        for (year, seconds) in [(2031, 1_924_992_000), (2050, 2_524_608_000), (2999, 32_472_144_000)] {
            let mut params = rcgen::CertificateParams::new(["a.example".to_owned()]).expect("it is a name");
            params.not_after = rcgen::date_time_ymd(year, 1, 1);
            let made = params.self_signed(&key).expect("it can be signed");
            assert_eq!(
                certificate_expiry(made.der()),
                Some(UNIX_EPOCH + Duration::from_secs(seconds)),
                "{year}"
            );
            for length in 0..made.der().len() {
                assert_eq!(certificate_expiry(&made.der()[..length]), None, "{length}");
            }
        }
    }
}
