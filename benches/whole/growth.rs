//! The growth of the time with the size: of changes, of texts, of the history.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Instant;

use mediaconf::plumbing::edit::{hunks_of_splices, modify as edited};
use mediaconf::plumbing::model::{Lens, View, check as check_text, top_members, write_compact};
use mediaconf::plumbing::syntax::Document;
use mediactl::store::Revision;

use crate::timing::{command, median, timed};
use crate::{MEDIACTL, RUNS, cases};

/// Elements of the changes whose growth is shown, and of those twice and four times as large.
const ELEMENTS: [usize; 3] = [10_000, 20_000, 40_000];

/// The numbers of changes in the history for which its growth is shown.
const ENTRIES: [usize; 4] = [10, 100, 1_000, 10_000];

/// Twice the size takes twice the time: each change, and the diff of its text.
pub fn of_changes() {
    println!("\n{:45} {:>26} {:>26}", "change of so many elements", "change", "its diff");
    for (name, change) in cases::CASES {
        let times = ELEMENTS.map(|count| {
            let (text, patch) = change(count);
            let document = Document::parse(text);
            let start = Instant::now();
            let edit = edited(&document, patch).expect("it is proved").expect("something changes");
            let made = start.elapsed().as_secs_f64();
            let new = document.with(&edit.splices);
            std::hint::black_box(hunks_of_splices(document.text(), new.text(), &edit.splices));
            [made, start.elapsed().as_secs_f64() - made]
        });
        println!("{name:45} {:>26} {:>26}", factors(times, 0), factors(times, 1));
    }
}

/// A change takes the same time however many are kept; `history` and `blame` grow with their number.
pub fn of_history(folder: &Path) {
    println!("\n{:>16} {:>12} {:>12} {:>12}", "history entries", "modify", "history", "blame");
    let place = folder.join("history");
    let (file, state) = (place.join("media.conf"), place.join(".mediactl/media.conf/history"));
    for count in ENTRIES {
        let _ = fs::remove_dir_all(&place);
        fs::create_dir_all(&place).expect("the folder of the build is writable");
        let text = |serial: usize| format!("http 80;\nrtmp {};\n", 1000 + serial % 60_000);
        fs::write(&file, text(0)).expect("the folder is new");
        let run = |arguments: &[&str]| {
            let mut command = command(MEDIACTL, &["--conf", &file.display().to_string()]);
            command.args(arguments);
            timed(command).expect("it works").as_secs_f64() * 1e3
        };
        run(&["modify", "--keep", "100000", "--set", "rtmp=1001"]);
        let mut journal = String::new();
        for serial in 1..=count {
            let of = |serial: usize| Revision::from_text(text(serial).as_bytes());
            let (before, after) = (of(serial - 1), of(serial));
            let names = r#""operation":"modify","by":"me""#;
            writeln!(
                journal,
                r#"{{"serial":{serial},"at":0,{names},"before":"{before}","after":"{after}"}}"#
            )
            .expect("a string can be written to");
            fs::write(state.join(format!("{serial}.conf")), text(serial - 1)).expect("it was made");
        }
        fs::write(state.join("journal"), journal).expect("it was made");
        fs::write(&file, text(count)).expect("the folder is new");
        let modify = (0..RUNS).map(|run_| run(&["modify", "--set", &format!("rtmp={}", 100 + run_)]));
        let modify = median(modify.collect());
        let [history, blame] = [["history"].as_slice(), &["blame", "rtmp"]].map(run);
        println!("{count:>16} {modify:>9.1} ms {history:>9.1} ms {blame:>9.1} ms");
    }
    let _ = fs::remove_dir_all(&place);
}

/// Twice the size takes twice the time: each text that is checked, and read as JSON.
pub fn of_texts() {
    println!("\n{:45} {:>26} {:>26}", "a text of so many elements", "check", "read");
    for (name, text) in cases::TEXTS {
        let times = ELEMENTS.map(|count| {
            let document = Document::parse(text(count));
            let start = Instant::now();
            std::hint::black_box(check_text(document.text()));
            let checked = start.elapsed().as_secs_f64();
            let members = top_members(&document);
            write_compact(&View::new(&members, &Lens::default()), &mut Vec::new()).expect("memory takes it");
            [checked, start.elapsed().as_secs_f64() - checked]
        });
        println!("{name:45} {:>26} {:>26}", factors(times, 0), factors(times, 1));
    }
}

/// The first of three times, and how they grow.
fn factors(times: [[f64; 2]; 3], column: usize) -> String {
    let [one, two, four] = times.map(|times| times[column]);
    format!("{:8.1} ms x {:4.1} x {:4.1}", one * 1e3, two / one, four / two)
}
