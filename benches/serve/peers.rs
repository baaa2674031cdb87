//! Those that the server is compared with. What is not installed is left out, and that is printed.

use std::fs;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use crate::served::Running;

pub const CADDY: &str = "127.0.0.1:20190";
pub const ETCD: &str = "127.0.0.1:20192";

/// Caddy with as many routes as there are streams.
pub fn caddy(folder: &Path, routes: usize) -> Option<Running> {
    let route = |number| {
        format!(
            r#"{{"@id":"r{number}","match":[{{"path":["/cam{number}/*"]}}],"handle":[{{"handler":"static_response","body":"camera {number} rtsp://10.0.0.1:554/h264 title"}}]}}"#
        )
    };
    let routes: Vec<String> = (0..routes).map(route).collect();
    let config = format!(
        r#"{{"admin":{{"listen":"{CADDY}"}},"apps":{{"http":{{"servers":{{"s":{{"listen":["127.0.0.1:20191"],"automatic_https":{{"disable":true}},"routes":[{}]}}}}}}}}}}"#,
        routes.join(",")
    );
    let file = folder.join("caddy.json");
    fs::write(&file, config).expect("a file can be written");
    start(Command::new("caddy").arg("run").arg("--config").arg(&file).env("HOME", folder), CADDY)
}

/// A single etcd, whose data are beside the configuration.
pub fn etcd(folder: &Path) -> Option<Running> {
    let (client, peer) = (format!("http://{ETCD}"), "http://127.0.0.1:20193");
    let mut command = Command::new("etcd");
    command.arg("--data-dir").arg(folder.join("etcd"));
    command.args(["--listen-client-urls", &client, "--advertise-client-urls", &client]);
    command.args(["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer]);
    start(command.args(["--initial-cluster", &format!("default={peer}")]), ETCD)
}

fn start(command: &mut Command, address: &str) -> Option<Running> {
    let name = command.get_program().to_string_lossy().into_owned();
    let Ok(child) = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn() else {
        println!("{name} IS NOT INSTALLED: its comparisons are left out");
        return None;
    };
    let running = Running(child);
    let is_up = (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        TcpStream::connect(address).is_ok()
    });
    if !is_up {
        println!("{name} DOES NOT START: its comparisons are left out");
    }
    is_up.then_some(running)
}

/// Runs tiny_http with `threads` threads, which answer with `length` bytes, until the process ends.
pub fn bare_tiny_http(threads: usize, length: usize) -> String {
    let server = Arc::new(tiny_http::Server::http("127.0.0.1:0").expect("a port is free"));
    let address = server.server_addr().to_ip().expect("it is TCP").to_string();
    for _ in 0..threads {
        let server = server.clone();
        std::thread::spawn(move || {
            while let Ok(request) = server.recv() {
                let _ = request.respond(tiny_http::Response::from_data(vec![b'x'; length]));
            }
        });
    }
    address
}
