//! The user who runs this program: times in their zone, which is shown, their name, and the folder for their data.

use std::env;
use std::path::PathBuf;
use std::time::SystemTime;

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, Timestamp, Zoned};
use rustix::process::getuid;

use crate::error::{Error, ErrorKind};
use crate::http::api::by_sudo;
use crate::store::clock;

/// `2026-11-22T15:04:05+01:00`, in the zone of this machine, or of `TZ`.
pub fn shown(time: SystemTime) -> String {
    match Timestamp::try_from(time) {
        Ok(time) => time.to_zoned(TimeZone::system()).strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
        // Before the year -9999, or after 9999.
        Err(_) => clock::rfc3339(time),
    }
}

/// `22:49` for a time of today, `2026-11-22 22:49` for another, in the same zone.
pub fn short(time: SystemTime) -> String {
    let Ok(time) = Timestamp::try_from(time) else { return shown(time) };
    let time = time.to_zoned(TimeZone::system());
    let is_of_today = time.date() == Zoned::now().date();
    time.strftime(if is_of_today { "%H:%M" } else { "%Y-%m-%d %H:%M" }).to_string()
}

/// Parses a time: a date, a date with a time of day, either in the zone of this machine; one with a
/// zone; or how long ago it was.
pub fn parse(text: &str) -> Result<SystemTime, Error> {
    let now = Zoned::now();
    let local = |time: DateTime| time.to_zoned(TimeZone::system()).ok().map(|time| time.timestamp());
    let at_midnight = |date: Date| local(date.to_datetime(Time::midnight()));
    let ago = || {
        let span: Span = text.trim().trim_end_matches("ago").trim_end().parse().ok()?;
        let span = if span.is_negative() { span } else { -span };
        Some(now.checked_add(span).ok()?.timestamp())
    };
    let found = match text {
        "today" => at_midnight(now.date()),
        "yesterday" => now.date().yesterday().ok().and_then(at_midnight),
        _ => text
            .parse::<Timestamp>()
            .ok()
            .or_else(|| if text.contains([':', 'T']) { local(text.parse().ok()?) } else { None })
            .or_else(|| text.parse().ok().and_then(at_midnight))
            .or_else(ago),
    };
    let found = found.filter(|time| time.as_duration() >= SignedDuration::ZERO);
    found.map(SystemTime::from).ok_or_else(|| {
        let hint = "write a date such as `2026-11-22` or `2026-11-22 15:04`, or how long ago: `2h`, `3 days`";
        Error::new(ErrorKind::Invalid, format!("`{text}` is no time")).hint(hint)
    })
}

/// The user who runs this program, for hooks and the history.
pub fn local_user() -> String {
    if let Some(by) = sudo_user().as_deref().and_then(by_sudo) {
        return by;
    }
    let uid = getuid().as_raw();
    match env::var("USER") {
        Ok(user) if !user.is_empty() => format!("{user} (uid {uid})"),
        _ => format!("uid {uid}"),
    }
}

/// The user who called this program as root by sudo; none without sudo.
pub fn sudo_user() -> Option<String> {
    let user = env::var("SUDO_USER").ok().filter(|_| getuid().is_root())?;
    (by_sudo(&user).is_some() && user != "root").then_some(user)
}

/// The folder that a variable such as `XDG_STATE_HOME` names, else the one below the home of the user; `None` if no variable
/// says where that is.
pub fn folder_of_user(variable: &str, below_home: &str) -> Option<PathBuf> {
    let folder = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    folder(variable).or_else(|| Some(folder("HOME")?.join(below_home)))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::{parse, short, shown};

    #[test]
    fn a_short_time_has_a_date_before_today() {
        let now = SystemTime::now();
        let old = short(now - Duration::from_secs(3 * 24 * 60 * 60));
        assert_eq!(short(now).len(), "22:49".len());
        assert_eq!(old.len(), "2026-11-22 22:49".len());
        assert!(shown(now - Duration::from_secs(3 * 24 * 60 * 60)).starts_with(&old[..10]), "{old}");
    }

    #[test]
    fn times_are_dates_or_how_long_ago() {
        let fixed = parse("2026-11-22T15:04:05+01:00").expect("it is a time");
        assert_eq!(fixed, SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_356_245));
        assert!(parse("2026-11-22").expect("a date") < parse("2026-11-22 15:04").expect("a time of day"));
        let two_hours = SystemTime::now().duration_since(parse("2h ago").expect("it is a span"));
        let off = two_hours.expect("it is past").as_secs().abs_diff(7200);
        assert!(off < 60, "{off}");
        assert!(parse("3 days").expect("a span") < parse("1d").expect("a span"));
        assert!(parse("yesterday").expect("a day") < parse("today").expect("a day"));
        for wrong in ["", "x", "2026-13-01", "soon"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
