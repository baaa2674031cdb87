//! The messages for a first-time user.

use super::serve::Serving;
use super::{CONF, Place, mode};

#[test]
fn init_makes_a_valid_configuration_with_a_password_of_its_own() {
    let place = Place::empty();
    let made = place.line("init").exits(0).prints("login admin\npassword ").says("not shown again");
    let password = made.out.lines().find_map(|line| line.strip_prefix("password ")).expect("it is shown");
    assert_eq!(password.len(), 24);
    place.line("check --strict").exits(0).says("no errors, no warnings");
    assert!(place.text().contains(&format!("edit_auth admin {password};\n")));
    assert_eq!(mode(&place.path(CONF)), 0o640);
    let before = place.bytes();
    place.line("init").exits(6).says("`media.conf` exists already").says("nothing was changed");
    assert_eq!(place.bytes(), before);
    let other = place.line("init new/folder/site.conf").exits(0);
    assert!(!other.out.contains(password), "two configurations have two passwords");
    place.line("check new/folder/site.conf").exits(0);
    place.line("--url http://h init").exits(2);
    // The account works.
    let server = Serving::over(&place);
    place.put("password", password);
    let url = server.url.clone();
    let call =
        place.mediactl(["--url", &url, "--user", "admin", "--password-file", "password", "read", "rtmp"]);
    call.without("MEDIACTL_CONF").run().exits(0).prints("1935");
}

#[test]
fn a_missing_configuration_is_told_with_what_to_do() {
    let place = Place::empty();
    for command in [&["read"][..], &["status"], &["modify", "--set", "rtmp=1"], &["serve"]] {
        let run = place.run(command).exits(7).says("does not exist\nhint: `mediactl init` makes a first");
        run.says("`--conf FILE`, `--url URL` or `--context NAME`");
    }
}
