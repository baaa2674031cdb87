//! Many changes in a second: each node ends in the newest, with few reloads.

use std::fs;

use crate::members::{Members, set_port};
use crate::nodes::Nodes;
use crate::timing::milliseconds;

const CHANGES: usize = 200;

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
    let writer = etcd.writer();
    let took = milliseconds(|| (0..CHANGES).for_each(|change| set_port(&writer, 30_000 + change)));
    let newest = writer.read().expect("it is there");
    let text = String::from_utf8_lossy(newest.bytes()).into_owned();
    let later = milliseconds(|| nodes.have(&text));
    let reloads = reloads().into_iter().zip(before).map(|(after, before)| after - before);
    println!(
        "\n{CHANGES} changes in {took:.0} ms: at most {} reloads on each of {count} nodes, which \
         all had the newest {later:.0} ms later",
        reloads.max().unwrap_or_default(),
    );
}
