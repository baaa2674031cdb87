//! The growth of the time with the size: of changes, of texts, of the history.

use std::fs;
use std::path::Path;
use std::time::Instant;

use mediaconf::{Config, Document, FaultKind, check};

use crate::timing::{command, median, timed};
use crate::{MEDIACTL, RUNS, cases, row};

/// Elements of the changes whose growth is shown, and four times as many.
const ELEMENTS: [usize; 2] = [10_000, 40_000];

/// The numbers of changes in the history for which its growth is shown.
const ENTRIES: [usize; 2] = [10, 1_000];

fn seconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

/// Four times the size takes at most five times the time: each change.
pub fn of_changes() {
    for (name, change) in cases::cases() {
        let [small, large] = ELEMENTS.map(|count| {
            let (text, patch) = change(count);
            let document = Document::parse(text);
            seconds(|| drop(document.modify(patch, FaultKind::DOUBTS)))
        });
        row(&format!("{name}: x 4"), large / small, "<= 5");
    }
}

/// The same of each text that is checked, and read as JSON.
pub fn of_texts() {
    for (name, text) in cases::TEXTS {
        let [small, large] = ELEMENTS.map(|count| {
            let text = text(count);
            let checked = seconds(|| drop(check(&text)));
            [checked, seconds(|| drop(Config::new(&Document::parse(text)).to_json()))]
        });
        row(&format!("{name}, checked: x 4"), large[0] / small[0], "<= 5");
        row(&format!("{name}, read: x 4"), large[1] / small[1], "<= 5");
    }
}

/// A change, `history` and `blame` with few changes in the history, and with many.
pub fn of_history(folder: &Path) {
    let place = folder.join("history");
    let file = place.join("media.conf");
    let times = ENTRIES.map(|count| {
        let _ = fs::remove_dir_all(&place);
        fs::create_dir_all(&place).expect("the folder of the build is writable");
        fs::write(&file, "http 80;\nrtmp 1000;\nrtsp 1000;\n").expect("the folder is new");
        let run = |arguments: &[&str]| {
            let mut command = command(MEDIACTL, &["--conf", &file.display().to_string()]);
            command.args(arguments);
            timed(command).expect("it works").as_secs_f64()
        };
        for number in 1..=count {
            // Somebody asks for a value that was changed lately; each change sets the other one, too.
            let also = if count - number < 3 { number } else { 0 };
            let sets = [format!("rtsp={}", 1000 + number), format!("rtmp={}", 1000 + also)];
            run(&["modify", "--keep", "100000", "--set", &sets[0], "--set", &sets[1]]);
        }
        let change = (0..RUNS).map(|number| run(&["modify", "--set", &format!("http={}", 100 + number)]));
        let change = median(change.collect());
        let asked: [&[&str]; 4] =
            [&["history", "-n", "10"], &["blame", "rtmp"], &["history"], &["blame", "rtsp"]];
        let [page, blame, history, all] = asked.map(|it| median((0..RUNS).map(|_| run(it)).collect()));
        [change, page, blame, history, all]
    });
    for (at, name) in
        ["a change", "`history -n 10`", "`blame` of a value that 3 changes set"].iter().enumerate()
    {
        row(&format!("{name} with 1 000 entries / with 10"), times[1][at] / times[0][at], "<= 2");
    }
    row("`history` of 1 000 entries, seconds", times[1][3], "-");
    row("`blame` of a value that 1 000 changes set, seconds", times[1][4], "<= 1");
    let _ = fs::remove_dir_all(&place);
}
