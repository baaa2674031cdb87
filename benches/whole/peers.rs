//! The time of other programs for the same work on the same content. What is not installed is left out.
//!
//! None of them does what `mediactl` does: `sed` proves nothing and syncs nothing, `jq` and `augtool`
//! write the file anew, `nginx -t` also resolves names and opens files.

use std::fs;
use std::path::Path;

use crate::MEDIACTL;
use crate::contents::{configuration, nginx};
use crate::timing::{check, command, compare, read_compact};

const STREAMS: usize = 10_000;

/// The rows of all peers. A ratio of 1 is as fast as the peer.
pub fn all(folder: &Path) {
    println!("\nagainst others, {STREAMS} streams, or as many `server` blocks of nginx");
    let [conf, json, sites, seds] =
        ["peers.conf", "peers.json", "peers.nginx", "peers.sed"].map(|name| folder.join(name));
    fs::write(&conf, configuration(STREAMS)).expect("the folder of the build is writable");
    fs::copy(&conf, &seds).expect("the folder of the build is writable");
    fs::write(&sites, nginx(STREAMS)).expect("the folder of the build is writable");
    let as_json = read_compact(&conf)().stdout(std::process::Stdio::piped()).output();
    fs::write(&json, as_json.expect("the configuration is read").stdout).expect("the folder is writable");
    let [conf, json, sites, seds] = [&conf, &json, &sites, &seds].map(|file| file.display().to_string());

    let mut nginx = || command("nginx", &["-t", "-q", "-c", &sites, "-e", "/dev/null"]);
    compare("check / nginx -t", 1.0, &mut check(Path::new(&conf)), &mut nginx);

    let mut jq = || command("jq", &["-c", ".", &json]);
    compare("read -o compact / jq -c .", 1.0, &mut read_compact(Path::new(&conf)), &mut jq);

    let mut read = || command(MEDIACTL, &["--conf", &conf, "read", "-r", "streams.cam009000.title"]);
    let mut jq = || command("jq", &["-r", ".streams.cam009000.title", &json]);
    compare("read PATH / jq PATH", 1.0, &mut read, &mut jq);
    let lens = format!("Nginx incl {sites}");
    let server = format!("/files{sites}/http/server[9000]");
    let mut augtool = || command("augtool", &["-A", "--transform", &lens, &format!("get {server}/listen")]);
    compare("read PATH / augtool get", 1.0, &mut read, &mut augtool);

    let mut number = 0;
    let mut set = || {
        number += 1;
        command(
            MEDIACTL,
            &["--conf", &conf, "modify", "--set", &format!("streams.cam009000.prepush={number}")],
        )
    };
    let mut port = 1000;
    let mut augtool = || {
        port += 1;
        let set = format!("set {server}/listen 127.0.0.1:{port}");
        command("augtool", &["-A", "-s", "--transform", &lens, &set])
    };
    compare("modify --set / augtool set", 1.0, &mut set, &mut augtool);
    let mut value = 0;
    let mut sed = || {
        value += 1;
        command("sed", &["-i", &format!("/^stream cam009000 /,/^}}/s/prepush .*;/prepush {value};/"), &seds])
    };
    compare("modify --set / sed -i", 1.0, &mut set, &mut sed);
    println!();
}
