//! `mediactl serve` as a process, and the other commands beside it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixDatagram;
use std::process::Child;
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, prlimit};

use super::{CONF, Call, Place, Run, SAMPLE, has, mode};
use crate::waiting::{PATIENCE, eventually, until};

/// A server over the configuration of a place, with its address. It is killed when this is dropped.
pub(crate) struct Serving {
    child: Child,
    /// Reads the log all the time: a pipe that is full would stop the server.
    log: Option<JoinHandle<String>>,
    pub(crate) url: String,
    /// Of the certificate that it made, if it did.
    pub(crate) fingerprint: String,
}

impl Serving {
    pub(crate) fn over(place: &Place) -> Self {
        Self::with(place, &["--listen", "127.0.0.1:0"])
    }

    pub(crate) fn with(place: &Place, options: &[&str]) -> Self {
        let call = place.mediactl(["serve"].iter().chain(options));
        Self::of(call, !options.contains(&"none"))
    }

    /// What a call starts; `listens` tells whether it does on TCP, too.
    pub(crate) fn of(call: Call, listens: bool) -> Self {
        let mut child = call.start();
        let mut lines = BufReader::new(child.stdout.take().expect("stdout is a pipe")).lines();
        let mut stderr = child.stderr.take().expect("stderr is a pipe");
        let log = std::thread::spawn(move || {
            let mut log = Vec::new();
            stderr.read_to_end(&mut log).expect("a pipe can be read");
            String::from_utf8_lossy(&log).into_owned()
        });
        let mut serving = Self { child, log: Some(log), url: String::new(), fingerprint: String::new() };
        let mut next = || lines.next().expect("it says where it listens").expect("it is text");
        let mut first = next();
        if let Some(found) = first.strip_prefix("fingerprint ") {
            serving.fingerprint = found.to_owned();
            first = next();
        }
        assert_eq!(first, format!("listening on the Unix socket of {CONF}"));
        if listens {
            serving.url = next().trim_start_matches("listening on ").to_owned();
        }
        serving
    }

    /// Runs a command over the network, with the account of the sample.
    pub(crate) fn remote(&self, place: &Place, arguments: &[&str]) -> Run {
        place.remote(&self.url, arguments).run()
    }

    /// The host and the port.
    pub(crate) fn address(&self) -> &str {
        self.url.trim_start_matches("http://").split('/').next().expect("it has a host")
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    fn process(&self) -> Pid {
        i32::try_from(self.pid()).ok().and_then(Pid::from_raw).expect("it has an id")
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.process(), signal).expect("it runs");
    }

    /// Sets the limit of its open files.
    fn limit_files(&self, limit: u64) {
        let maximum = getrlimit(Resource::Nofile).maximum;
        prlimit(Some(self.process()), Resource::Nofile, Rlimit { current: Some(limit), maximum })
            .expect("it runs");
    }

    /// True if it has not ended, be it stopped or not.
    pub(crate) fn runs(&self) -> bool {
        // What has ended is still there for whoever started it.
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.pid())).unwrap_or_default();
        stat.rsplit_once(')').is_some_and(|(_, state)| !state.trim_start().starts_with(['Z', 'X']))
    }

    /// Has it load the file again, some time.
    pub(crate) fn hang_up(&self) {
        self.signal(Signal::HUP);
    }

    /// Ends it as an administrator would.
    pub(crate) fn stop(self) -> Run {
        self.signal(Signal::TERM);
        self.ended()
    }

    /// Ends it as a crash would.
    pub(crate) fn kill(mut self) -> Run {
        self.child.kill().expect("it runs");
        self.ended()
    }

    fn ended(mut self) -> Run {
        let status = self.child.wait().expect("it ends");
        let log = self.log.take().expect("the log is read until the end");
        Run { code: status.code(), out: String::new(), err: log.join().expect("a log can be read") }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // It is gone already unless a test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a test on the file, through a server over it, and over the network, with the options that choose that.
pub(crate) fn each_way(place: &Place, test: impl Fn(&str)) {
    test("");
    let server = Serving::over(place);
    test("");
    test(&format!("--url {} ", server.url));
}

#[test]
fn a_certificate_of_its_own_is_made_once_and_trusted_by_its_fingerprint() {
    let place = Place::with(SAMPLE);
    let start = || Serving::with(&place, &["--listen", "127.0.0.1:0", "--tls-self-signed"]);
    let server = start();
    assert!(server.url.starts_with("https://"), "{}", server.url);
    let made = server.fingerprint.clone();
    let state = format!(".{CONF}.mediactl");
    let certificate = format!("{state}/tls-cert.pem");
    server.remote(&place, &["read", "rtsp", "--fingerprint", &made]).exits(0).prints("554");
    server.remote(&place, &["read", "rtsp", "--cacert", &certificate]).exits(0);
    server.remote(&place, &["read", "rtsp"]).exits(7).says(&made);
    let key = place.path(&format!("{state}/tls-key.pem"));
    assert_eq!(mode(&key), 0o600);
    server.stop().exits(0);
    let again = start();
    assert_eq!(again.fingerprint, made, "the certificate is kept");
    again.stop().exits(0);
    fs::remove_file(key).expect("it is there");
    let new = start();
    assert_ne!(new.fingerprint, made, "without its key a certificate is of no use");
    new.stop().exits(0);
    place.put(&certificate, "no certificate");
    let broken = place.line("serve --listen 127.0.0.1:0 --tls-self-signed");
    broken.exits(3).says("cannot read a certificate");
    place.line("serve --tls-self-signed --tls-cert x --tls-key y").exits(2);
}

#[test]
fn an_update_runs_until_the_server_ends() {
    let place = Place::with(SAMPLE);
    let server = Serving::over(&place);
    place.put("new.conf", SAMPLE.replace("rtsp 554", "rtsp 555"));
    place.line("update new.conf").exits(0).prints("+rtsp 555;").says("updated media.conf");
    assert_eq!(place.text(), SAMPLE);
    place.line("read rtsp").exits(0).prints("555");
    place.line("read --saved rtsp").exits(0).prints("554");
    place.line("diff").exits(1).prints("-rtsp 555;");
    place.line("diff new.conf").exits(0);
    place.line("diff saved new.conf").exits(1);
    server.stop().exits(0).says("was not saved");
    place.line("update new.conf").exits(7);
}

#[test]
fn a_file_has_at_most_one_server() {
    let place = Place::with(SAMPLE);
    let server = Serving::with(&place, &["--listen", "none"]);
    let second = place.line("serve --listen none").exits(5);
    assert!(second.err.contains(&format!("process {}", server.pid())), "{second:#?}");
    place.line("modify --set rtsp=1 --check-cmd true").exits(2);
    fs::remove_file(place.path(CONF)).expect("it is there");
    for (line, code) in [("fmt", 5), ("modify --set rtmp=1", 5), ("status", 7), ("diff", 7)] {
        place.line(line).exits(code).says("hint: `mediactl save FILE` makes it");
    }
    place.line("fmt --force").exits(0);
    server.kill();
    // The socket of the one that was killed is still there, and does no harm.
    assert!(place.path(&format!(".{CONF}.mediactl/sock")).exists());
    place.set(&["rtsp=555"]).exits(0);
    place.line("read rtsp").exits(0).prints("555");
    let server = Serving::with(&place, &["--listen", "none"]);
    place.set(&["rtsp=556"]).exits(0);
    server.stop().exits(0);
    assert!(!place.path(&format!(".{CONF}.mediactl/sock")).exists());
    assert!(place.text().contains("rtsp 556;"));
}

#[test]
fn a_server_that_does_not_answer_keeps_the_file_to_itself() {
    let place = Place::with(SAMPLE);
    let server = Serving::with(&place, &["--listen", "none"]);
    std::fs::remove_file(place.path(&format!(".{CONF}.mediactl/sock"))).expect("it is there");
    place.set(&["rtsp=555"]).exits(7).says("can't be reached");
    let status = place.line("status").exits(0).says("showing the file").hides("none is running");
    status.prints("server:        process ").prints(", which can't be reached\n").hides("saved:");
    let json = place.line("status -o json").exits(0).json();
    assert!(json["unreachable"].to_string().contains("which can't be reached"), "{json}");
    has(&json, serde_json::json!({"server": null, "saved": null}));
    place.line("read rtsp").exits(0).prints("554").says("showing the file");
    server.stop().exits(0);
}

#[test]
fn serve_refuses_what_it_cannot_serve() {
    let open = Place::with("http 80;\n");
    let refused = open.line("serve --listen 127.0.0.1:0").exits(3);
    refused.says("has no usable `edit_auth`").says("modify --set edit_auth.login=");
    let server = Serving::with(&open, &["--listen", "none"]);
    open.line("read http").exits(0);
    server.stop().exits(0);

    let broken = Place::with("stream a {\nhttp 80;;\nbroken \"\n");
    broken.line("serve").exits(3).says("media.conf:1:10: error").says("media.conf:3:8: error");
    Place::empty().line("serve").exits(7);
    let place = Place::with(SAMPLE);
    place.line("serve --listen nowhere").exits(2);
    place.line("serve --tls-cert none.pem --tls-key none.pem").exits(3).says("none.pem");
}

#[test]
fn a_hangup_loads_the_file_again() {
    let place = Place::with(SAMPLE);
    let server = Serving::with(&place, &["--listen", "none", "--log-format", "json"]);
    let reads = |expected: &str| place.line("read rtsp").out.trim() == expected;
    place.put(CONF, SAMPLE.replace("rtsp 554", "rtsp 555"));
    assert!(reads("554"));
    server.hang_up();
    eventually(|| reads("555"));
    place.put(CONF, format!("{SAMPLE}edit_auth a geheim }}\n"));
    let place_of_error = format!("media.conf:{}:", SAMPLE.lines().count() + 1);
    server.hang_up();
    eventually(|| place.line("status").out.contains(&place_of_error));
    assert!(reads("555"));
    let status = place.line("status").exits(1).prints("saved:         no").prints(&place_of_error);
    status.hides("geheim").hides("no value differs");
    let said = server.stop().exits(0).says(&place_of_error).hides("geheim");
    let said =
        said.says("SIGHUP: the file was not loaded").says("\"note\":\"SIGHUP: the file was loaded again\"");
    // What happens without a request is an object, too.
    assert!(said.err.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()), "{said:?}");
}

/// The new password is not the one that the client has: it has to prove that it knows it.
#[test]
fn a_change_is_confirmed_with_the_credentials_that_hold_then() {
    let place = Place::with(SAMPLE);
    let server = Serving::over(&place);
    let remote = |password: &str, arguments: &[&str]| {
        place.remote(&server.url, arguments).account("admin", password).run()
    };
    remote("hunter2", &["modify", "--set", "edit_auth.password=new", "--confirm", "60", "-q"]).exits(0);
    remote("hunter2", &["confirm"]).exits(4);
    remote("new", &["confirm"]).exits(0);
    remote("new", &["read", "rtsp"]).exits(0);
    server.stop().exits(0);
}

#[test]
fn an_unconfirmed_change_is_rolled_back_when_the_server_ends_or_starts() {
    let place = Place::with(SAMPLE);
    for kill in [true, false] {
        let server = Serving::with(&place, &["--listen", "none"]);
        place.line("modify --set rtmp=1 --confirm 60 -q").exits(0);
        assert_ne!(place.text(), SAMPLE);
        if kill {
            server.kill();
            place.line("read rtmp").exits(0).says("the next change, or `mediactl serve`, rolls it back");
            place.line("status").exits(1).prints("the next change, or a server that starts, rolls it back");
            let server = Serving::with(&place, &["--listen", "none"]);
            assert_eq!(place.text(), SAMPLE);
            server.stop().exits(0);
        } else {
            server.stop().exits(0).says("was rolled back");
        }
        assert_eq!(place.text(), SAMPLE);
    }
}

/// The header of the account of the sample: `admin:hunter2`.
pub(crate) const ACCOUNT: &str = "Basic YWRtaW46aHVudGVyMg==";

/// The answer to a request that closes its connection.
pub(crate) fn sent(address: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers with text");
    answer
}

#[test]
fn a_log_that_nobody_reads_stops_no_answer() {
    let place = Place::with(SAMPLE);
    let mut child = place.mediactl(["serve", "--listen", "127.0.0.1:0"]).start();
    let mut said = BufReader::new(child.stdout.take().expect("stdout is a pipe")).lines();
    let url = said.nth(1).expect("it says where it listens").expect("it is text");
    let address = url.trim_start_matches("listening on http://").split('/').next().expect("it has a host");
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("it is no zero");
    let mut answers = BufReader::new(stream.try_clone().expect("there are open files left")).lines();
    for number in 0..3000 {
        let request = format!("HEAD /healthz?{number} HTTP/1.1\r\nHost: h\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("it reads");
        let answer = answers.by_ref().map(|line| line.expect("it answers"));
        let head: Vec<String> = answer.take_while(|line| !line.is_empty()).collect();
        assert_eq!(head[0], "HTTP/1.1 200 OK", "{number}");
    }
    kill_process(Pid::from_child(&child), Signal::TERM).expect("it runs");
    until("it ends", || child.try_wait().expect("it is ours"));
}

#[test]
fn systemd_is_told_when_the_server_listens_and_when_it_stops() {
    let place = Place::with(SAMPLE);
    let path = place.path("notify");
    let socket = UnixDatagram::bind(&path).expect("it can be bound");
    socket.set_read_timeout(Some(PATIENCE)).expect("it is not zero");
    let next = || {
        let mut message = [0; 64];
        let length = socket.recv(&mut message).expect("something is told");
        String::from_utf8_lossy(&message[..length]).into_owned()
    };
    let call = place.mediactl(["serve", "--listen", "none"]);
    let server = Serving::of(call.env("NOTIFY_SOCKET", &path.display().to_string()), false);
    assert_eq!(next(), "READY=1");
    server.stop().exits(0);
    assert_eq!(next(), "STOPPING=1");
}

#[test]
fn a_server_whose_thread_fails_ends_with_a_code_of_its_own_and_the_next_one_rolls_back() {
    let place = Place::with(SAMPLE);
    let server = Serving::over(&place);
    place.line("modify --set rtsp=555 --confirm 10m").exits(0);
    let request = |path: &str, more: &str| {
        format!("GET {path} HTTP/1.1\r\nHost: h\r\nAuthorization: {ACCOUNT}\r\n{more}\r\n")
    };
    let status = sent(server.address(), &request("/media/api/status", "Connection: close\r\n"));
    let tag = status.lines().find_map(|line| line.strip_prefix("ETag: ")).expect("it has a tag").to_owned();
    let waits = request("/media/api/status?wait=60", &format!("If-None-Match: {tag}\r\n"));
    // Each request that waits takes four files, and each round brings one. So it is tiny_http at some time that gets none.
    // On a busy machine it may get all that it needs: then all clients go, and it begins again.
    until("it got all files that it needs", || {
        let mut clients = Vec::new();
        for limit in 10..200 {
            if !server.runs() {
                return Some(());
            }
            server.limit_files(limit);
            let Ok(mut client) = TcpStream::connect(server.address()) else { continue };
            client.set_read_timeout(Some(Duration::from_millis(200))).expect("it is no zero");
            // It may end at any time, and it answers when it can.
            let _ = client.write_all(waits.as_bytes());
            let _ = client.read(&mut [0; 1024]);
            clients.push(client);
        }
        None
    });
    server.ended().exits(12).says("error: the thread `").says("` failed: ");
    assert!(place.text().contains("rtsp 555;"), "{}", place.text());
    Serving::over(&place).stop().exits(0);
    assert_eq!(place.text(), SAMPLE);
}
