//! A connection breaks after a change was sent: it is made once, or told as unknown.

use std::sync::Arc;

use super::etcd::Etcd;
use super::proxy::{Line, Proxy};
use crate::cli::{CONF, Place, Run, SAMPLE};

#[test]
fn a_change_whose_answer_is_lost_is_made_once_or_told_as_unknown() {
    let Some(etcd) = Etcd::start(1) else { return };
    let etcd = Arc::new(etcd);
    let place = Arc::new(Place::with(SAMPLE));
    let direct = |arguments: &[&str]| etcd.mediactl(&place, "/p", arguments).run();
    direct(&["save", CONF, "-q"]).exits(0);
    let another = {
        let (etcd, place) = (etcd.clone(), place.clone());
        move || {
            let set = ["modify", "--set", "streams.cam1.prepush=77", "-q"];
            etcd.mediactl(&place, "/p", &set).run().exits(0);
        }
    };
    let proxy = Proxy::start(etcd.address(0), another);
    let url = format!("etcd://{}/p", proxy.address);
    let run = |line: Line, arguments: &[&str]| -> Run {
        proxy.set(line);
        let arguments = [&["--cluster", &url, "--timeout", "2"], arguments].concat();
        place.mediactl(&arguments).without("MEDIACTL_CONF").run()
    };
    let made = || direct(&["history", "-o", "json"]).exits(0).json().as_array().map_or(0, Vec::len);
    let title = || direct(&["read", "title"]).out;

    run(Line::Whole, &["modify", "--set", "title=a", "-q"]).exits(0);
    assert_eq!(made(), 2);
    run(Line::LosesOneAnswer, &["modify", "--set", "title=b", "-q"]).exits(0);
    assert_eq!((made(), title().contains('b')), (3, true));
    run(Line::LosesOneAnswer, &["save", CONF, "-q"]).exits(0);
    assert_eq!(made(), 4);
    // It was made, and another change since: it is not made again.
    run(Line::LosesOneAnswerToAnother, &["modify", "--set", "title=c", "-q"]).exits(0);
    assert_eq!((made(), title().contains('c')), (6, true));
    run(Line::Whole, &["modify", "--set", "title=d", "--confirm", "60", "-q"]).exits(0);
    run(Line::LosesOneAnswer, &["confirm", "-q"]).exits(0);
    assert_eq!((made(), title().contains('d')), (7, true));
    run(Line::BreaksBehindOne, &["modify", "--set", "title=e"])
        .exits(8)
        .says("it is unknown whether the change of")
        .says("`mediactl history` shows whether it was made");
    assert_eq!((made(), title().contains('e')), (8, true));
    run(Line::Broken, &["modify", "--set", "title=f"]).exits(7).says("nothing was changed");
    assert_eq!(made(), 8);
}
