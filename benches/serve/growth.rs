//! The figures for more clients, and for larger bodies.

use std::path::Path;

use super::client::Client;
use super::{median, rate, resident, timed};
use crate::served::{AUTHORIZATION, HEAD, READ, configuration, serve};

const CLIENTS: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];
const SAVE: &str = "/media/api/save_config";

/// Megabytes of a text, how many times it is saved, and what may be resident afterwards.
const BODIES: [(usize, usize, &str); 4] =
    [(1, 16, "-"), (3, 16, "-"), (10, 16, "<= 80 MB"), (30, 10, "<= 120 MB")];

/// One to 64 clients, each with a connection of its own, which ask without a pause.
pub fn clients(folder: &Path) {
    let [few, many] = [("few", 12), ("many", 10_000)].map(|(name, streams)| {
        let folder = folder.join(name);
        std::fs::create_dir(&folder).expect("a folder can be made");
        serve(&folder, &configuration(HEAD, streams))
    });
    println!(
        "\n{:>8} {:>16} {:>24} {:>12}",
        "clients", "reads of 2 KB", "reads of 10 000 streams", "resident"
    );
    for clients in CLIENTS {
        let small = rate(&few.1, clients, READ, AUTHORIZATION);
        let large = rate(&many.1, clients, READ, AUTHORIZATION);
        println!("{clients:>8} {small:>14.0}/s {large:>22.0}/s {:>9.1} MB", resident(&many.0));
    }
}

/// Texts of 1 to 30 MB: saved again and again, each time over a new connection, then read.
pub fn bodies(folder: &Path) {
    println!("\n{:>8} {:>12} {:>12} {:>12}   resident afterwards", "body", "save", "read", "of text");
    for (megabytes, saves, most) in BODIES {
        let (server, address) = serve(folder, HEAD);
        let streams = megabytes * 1_000_000 / configuration("", 1).len();
        let mut save = Vec::new();
        for number in 0..saves {
            let text = configuration(&format!("{HEAD}# {number}\n"), streams);
            let headers = format!("{AUTHORIZATION}Connection: close\r\n");
            let mut client = Client::connect(&address);
            save.push(timed(|| client.expect(200, "POST", SAVE, &headers, &text)));
        }
        let after = resident(&server);
        let mut reader = Client::connect(&address);
        let mut read = |path: &str| {
            median((0..5).map(|_| timed(|| reader.expect(200, "GET", path, AUTHORIZATION, ""))).collect())
        };
        let (json, text) = (read(READ), read(&format!("{READ}?format=conf")));
        println!(
            "{megabytes:>5} MB {:>9.1} ms {json:>9.1} ms {text:>9.1} ms   {after:.1} MB after {saves} saves, target {most}",
            median(save)
        );
    }
}
