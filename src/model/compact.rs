//! The view as JSON on one line, the blocks of a large group by two threads.
//!
//! What a view costs is reading the words of every block again and writing them as JSON. Blocks do
//! not depend on each other, so while one thread writes a part of a group, another makes the next.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread;

use super::view::{GroupPart, Shown, View};

/// So many blocks are one part of a group; a group of fewer is not parted.
const BLOCKS_A_PART: usize = 512;

/// So many parts may be ready before they are wanted.
const PARTS_AHEAD: usize = 2;

/// Writes what `serde_json::to_writer` would.
///
/// # Errors
/// Those of `out`.
pub fn write_compact(view: &View<'_, '_>, out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"{")?;
    for (at, (key, value)) in view.shown().enumerate() {
        out.write_all(if at > 0 { b"," } else { b"" })?;
        serde_json::to_writer(&mut *out, &key)?;
        out.write_all(b":")?;
        let parts = if let Shown::Own(own) = &value { own.parts(BLOCKS_A_PART) } else { None };
        match parts {
            Some(parts) if parts.len() > 1 => write_parts(&parts, out)?,
            _ => serde_json::to_writer(&mut *out, &value)?,
        }
    }
    out.write_all(b"}")
}

/// One object of several; every second one is made by another thread.
fn write_parts(parts: &[GroupPart<'_, '_, '_, '_>], out: &mut impl Write) -> io::Result<()> {
    thread::scope(|scope| {
        let (full, filled) = sync_channel(PARTS_AHEAD);
        let (emptied, empty) = channel();
        // Without a thread the channel is closed, and all parts are made here.
        let _ = thread::Builder::new().spawn_scoped(scope, move || make_second(parts, &full, &empty));
        let mut is_first = true;
        let mut here = Vec::new();
        out.write_all(b"{")?;
        for (at, part) in parts.iter().enumerate() {
            let there = if at % 2 == 1 { filled.recv().ok() } else { None };
            let json = match &there {
                Some(json) => json,
                None => {
                    make(part, &mut here)?;
                    &here
                }
            };
            let members = &json[1..json.len() - 1];
            if !members.is_empty() {
                out.write_all(if is_first { b"" } else { b"," })?;
                out.write_all(members)?;
                is_first = false;
            }
            // The room is used again; if nobody wants it, it is freed.
            there.map(|json| emptied.send(json));
        }
        out.write_all(b"}")
    })
}

fn make_second(parts: &[GroupPart<'_, '_, '_, '_>], full: &SyncSender<Vec<u8>>, empty: &Receiver<Vec<u8>>) {
    for part in parts.iter().skip(1).step_by(2) {
        let mut json = empty.try_recv().unwrap_or_default();
        if make(part, &mut json).is_err() || full.send(json).is_err() {
            return;
        }
    }
}

fn make(part: &GroupPart<'_, '_, '_, '_>, json: &mut Vec<u8>) -> io::Result<()> {
    json.clear();
    Ok(serde_json::to_writer(json, part)?)
}

#[cfg(test)]
mod tests {
    use super::super::{Lens, top_members};
    use super::*;
    use crate::syntax::Document;

    #[test]
    fn it_is_what_serde_json_writes() {
        let block = |number: usize| match number % 7 {
            0 => format!("ondemand o{number} {{ url \"a b\"; }}\n"),
            1 => format!("live l{number};\n"),
            _ => format!("stream s{number} {{ url u{number} p=1; x {number}; }}\n"),
        };
        for count in [0, 1, 3, 4 * BLOCKS_A_PART + 1] {
            let text: String = (0..count).map(block).chain(["http 80;\nforeign a;\n".to_owned()]).collect();
            let document = Document::parse(text);
            let members = top_members(&document);
            for skip_static_streams in [false, true] {
                let lens = Lens { skip_static_streams, ..Lens::default() };
                let view = View::new(&members, &lens);
                let mut compact = Vec::new();
                write_compact(&view, &mut compact).expect("a vector takes everything");
                assert!(compact == serde_json::to_vec(&view).expect("a view is JSON"), "{count}");
            }
        }
    }
}
