//! Many changes in a second: each node ends in the newest, with few reloads.

use std::fs;
use std::thread;

use crate::members::{Members, set_port};
use crate::nodes::Nodes;
use crate::timing::milliseconds;

const CHANGES: usize = 200;
const WRITERS: usize = 4;

pub fn line(etcd: &Members, count: usize) {
    let nodes = Nodes::start(etcd, count, &["--reload-cmd", "echo >> reloads"]);
    nodes.follow(etcd, 1);
    let reloads = || -> Vec<usize> {
        let of_node = |file: &std::path::PathBuf| {
            fs::read_to_string(file.with_file_name("reloads")).map_or(0, |text| text.lines().count())
        };
        nodes.files.iter().map(of_node).collect()
    };
    let before = reloads();
    let writers: Vec<_> = (0..WRITERS).map(|_| etcd.writer()).collect();
    let took = milliseconds(|| {
        thread::scope(|scope| {
            for (number, writer) in writers.iter().enumerate() {
                let first = 30_000 + number * CHANGES;
                scope.spawn(move || {
                    (first..first + CHANGES / WRITERS).for_each(|port| set_port(writer, port))
                });
            }
        });
    });
    let newest = writers[0].read().expect("it is there");
    let text = String::from_utf8_lossy(newest.bytes()).into_owned();
    let later = milliseconds(|| nodes.have(&text));
    let reloads = reloads().into_iter().zip(before).map(|(after, before)| after - before);
    println!(
        "\n{CHANGES} changes by {WRITERS} writers in {took:.0} ms: at most {} reloads on each of {count} nodes, which \
         all had the newest {later:.0} ms later",
        reloads.max().unwrap_or_default(),
    );
}
