//! Attacks in large numbers on a real server: `cargo bench --bench attack`.
//!
//! The suite has the same attacks in small numbers, with assertions. Here each goes on while a good
//! client asks for the configuration over new connections; what is printed is how long its answers
//! took, how many came within a second, and what the server has grown to. Attacks on the slots are
//! over a small configuration, as the time to write 3 MB is not what they are about.
#![allow(clippy::disallowed_methods, missing_docs, reason = "a benchmark makes files and runs programs")]

mod served;

use std::collections::VecDeque;
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use served::{
    AUTHORIZATION, HEAD, MEDIACTL, MODIFY, READ, Running, configuration, serve, serve_by, serve_with,
    status_of,
};

/// The number of streams of a configuration that is 3 MB of JSON.
const STREAMS: usize = 10_500;

/// The number of requests of the good client during each attack.
const QUESTIONS: usize = 20;

/// The same during attacks on the slots.
const MANY_QUESTIONS: usize = 100;

/// Connections of an attack on the slots: as many as there are slots.
const ATTACKERS: usize = 64;

/// The account of `view_auth` where there is one.
const VIEWER: &str = "Authorization: Basic dmlld2VyOmxvb2s=\r\n";

/// Mounts a file system that never answers on a folder, and becomes the program that follows. Any user may do so
/// in a namespace of mounts and users.
const WITH_DEAD_MOUNT: &str = "exec 3<>/dev/fuse && \
     mount -i -t fuse -o fd=3,rootmode=40000,user_id=0,group_id=0 dead \"$0\" && exec \"$@\"";

/// A good client gives up after this.
const PATIENCE: Duration = Duration::from_secs(10);

/// No question is asked after this.
const LIMIT: Duration = Duration::from_secs(600);

fn main() {
    if !served::is_bench() {
        return;
    }
    let began = Instant::now();
    let folder = served::folder();
    let text = configuration(HEAD, STREAMS);
    let (running, address) = serve(folder.path(), &text);
    println!("{:44} {:>12} {:>12} {:>10} {:>9}", "attack", "median", "slowest", "resident", "threads");
    let read = format!("GET {READ} HTTP/1.1\r\nHost: a\r\n{AUTHORIZATION}\r\n");
    let post = head_of_a_change();
    let mut server = Attacked { running, address, read: read.clone(), began };
    server.under("nothing", Vec::new);
    server.under("20 x 10 000 pipelined requests, never read", || {
        (0..20).map(|_| read.repeat(10_000)).collect()
    });
    server.under("500 idle connections", || vec![String::new(); 500]);
    server.under("60 stalled bodies of 200 KB", || {
        vec![format!("{post}Content-Length: 200000\r\n{AUTHORIZATION}\r\n{{"); 60]
    });
    server.under("60 bodies of 64 TB that never come", || {
        vec![format!("{post}Content-Length: 70368744177664\r\n\r\n"); 60]
    });
    server.under("40 readers of 3 MB who do not read", || vec![read.clone(); 40]);
    server.under("60 header lines without an end", || {
        vec![format!("GET / HTTP/1.1\r\nX: {}", "x".repeat(30_000)); 60]
    });
    server.under("20 x 500 wrong passwords", || (0..20).map(guesses).collect());
    get_in_among_guesses(&server.address);
    let nobody = format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "x".repeat(30_000));
    server.under("30 x 200 paths of 30 KB, not let in", || vec![nobody.repeat(200); 30]);
    server.under("2 patches of 30 MB of empty lists", || vec![patch_of_empty_lists(); 2]);
    let log = fs::metadata(folder.path().join("log")).map_or(0, |log| log.len());
    println!("the log has {} KB", log / 1000);
    assert!(
        fs::read_to_string(folder.path().join("media.conf")).is_ok_and(|now| now == text),
        "the file is whole"
    );
    println!("the file is as it was");
    drop(server);
    answer_with_zeros();
    answer_without_an_end();
    attack_the_metrics();
    stop_a_server();
    attack_the_slots(began);
    attack_the_commands();
    read_as_viewers();
    read_beside_a_dead_disk();
}

/// A server whose answer is 60 MB of zeros: what its client takes of time and memory.
fn answer_with_zeros() {
    let body = format!("{{\"a\":[0{}]}}", ",0".repeat(30_000_000));
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
    let answer = head + &body;
    measure_a_client("a client of 60 MB of zeros", "http", move |stream| {
        // Who has enough closes the connection.
        let _ = stream.write_all(answer.as_bytes());
    });
}

/// An etcd whose answers have no end: the same of a client of a cluster.
fn answer_without_an_end() {
    measure_a_client("a client of an etcd that answers on and on", "etcd", |stream| {
        let head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"kvs\":[";
        let more = [b' '; 65_536];
        let mut sent = stream.write_all(head);
        while sent.is_ok() {
            sent = stream.write_all(&more);
        }
    });
}

/// A client of a server that reads a request and answers as it likes.
fn measure_a_client(what: &str, scheme: &str, answer: impl Fn(&mut TcpStream) + Send + 'static) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
    let address = listener.local_addr().expect("it has an address");
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let _ = stream.read(&mut [0; 4096]);
            answer(&mut stream);
        }
    });
    let start = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_mediactl"));
    match scheme {
        "etcd" => command.args(["--cluster", &format!("etcd://{address}/media/prod")]),
        _ => command.args(["--url", &format!("http://{address}")]),
    };
    command.args(["--timeout", "12", "read"]).stderr(Stdio::null());
    let mut client = Running(command.spawn().expect("the program starts"));
    let mut peak = String::new();
    let ended = loop {
        if let Some(ended) = client.0.try_wait().expect("it is a child") {
            break ended;
        }
        let now = status_of(&client, "VmHWM");
        if now != "?" {
            peak = now;
        }
        thread::sleep(Duration::from_millis(1));
    };
    assert_eq!(ended.code(), Some(7), "the answer is refused");
    println!("{what:44} {:>9} ms {peak:>10}", start.elapsed().as_millis());
}

/// Slow heads at the port of the metrics, and scrapes: how many of 100 are answered, how soon, and what they take of
/// the processor.
fn attack_the_metrics() {
    let folder = served::folder();
    let text = configuration(HEAD, STREAMS);
    let (running, [_, metrics]) = serve_with(folder.path(), &text, &["--metrics", "127.0.0.1:0"]);
    let scrape = "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n";
    for (what, slow) in [("100 scrapes", 0), ("100 scrapes beside 400 slow heads", 400)] {
        let siege = Siege::new(&metrics, slow, "GET /metrics HT".to_owned(), "");
        let over = AtomicBool::new(false);
        let before = processor_time(&running);
        let mut times: Vec<_> = thread::scope(|scope| {
            scope.spawn(|| siege.lay(&over));
            thread::sleep(Duration::from_secs(1));
            let times = (0..100).filter_map(|_| ask(&metrics, scrape)).collect();
            over.store(true, Ordering::SeqCst);
            times
        });
        times.sort();
        let [median, slowest] =
            [times.get(times.len() / 2), times.last()].map(|time| time.map(Duration::as_millis));
        let took = processor_time(&running) - before;
        let answered = times.len();
        println!(
            "{what:44} {answered} answered, {median:?} ms, {slowest:?} ms, {took:.2} s of the processor"
        );
        assert_eq!(answered, 100, "each scrape is answered");
    }
}

/// A server that is stopped: how long `status` takes to say so.
fn stop_a_server() {
    let folder = served::folder();
    let (running, _) = serve(folder.path(), HEAD);
    let signal = |name: &str| {
        let id = running.0.id().to_string();
        Command::new("kill").args([name, &id]).status().expect("there is `kill`")
    };
    signal("-STOP");
    let start = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_mediactl"));
    command.args(["--conf", "media.conf", "status"]).current_dir(folder.path());
    let told = command.output().expect("the program starts").stdout;
    println!("{:44} {:>9} ms", "`status` of a server that is stopped", start.elapsed().as_millis());
    assert!(String::from_utf8_lossy(&told).contains("which can't be reached"), "it is not denied");
    signal("-CONT");
}

/// Texts and arguments that make a command tell or take more than it may.
fn attack_the_commands() {
    let folder = served::folder();
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("it is writable");
    let runs = |what: &str, arguments: &[&str]| {
        let start = Instant::now();
        let mut command = Command::new(env!("CARGO_BIN_EXE_mediactl"));
        let done = command.args(arguments).current_dir(folder.path()).output().expect("the program starts");
        assert_eq!(done.status.code(), Some(3), "{what}");
        let told = done.stdout.len() + done.stderr.len();
        println!("{what:44} {:>9} ms {told:>10} bytes", start.elapsed().as_millis());
    };
    put("media.conf", &configuration(HEAD, 20_000));
    let replacement = format!("s/Camera/{}/", "x".repeat(100_000));
    let replace = ["modify", "--dry-run", "--replace", "streams.*.title", &replacement];
    runs("100 KB into 20 000 values", &[&["--conf", "media.conf"][..], &replace].concat());
    let all: String = (0..30).map(|at| format!("include {at}.inc;\n").repeat(2)).collect();
    (0..30).for_each(|at| put(&format!("{at}.inc"), &all));
    runs("30 files that include each other twice", &["check", "0.inc"]);
    put("elsewhere.conf", "include /proc/self/environ;\n");
    runs("a file elsewhere that is no configuration", &["check", "elsewhere.conf"]);
}

/// Requests of `view_auth` over 1 MB of text: what they take of the processor and of memory, and how long an
/// editor waits beside them.
fn read_as_viewers() {
    let head = format!("{HEAD}view_auth viewer look;\n");
    read_messages(&head);
    let text = configuration(&head, 1_000_000 / configuration("", 1).len());
    let editor = format!("GET {READ} HTTP/1.1\r\nHost: a\r\n{AUTHORIZATION}\r\n");
    let viewer = editor.replace(AUTHORIZATION, VIEWER);
    let folder = served::folder();

    let (running, address) = serve(folder.path(), &text);
    let before = processor_time(&running);
    let answered = (0..10).filter_map(|_| ask(&address, &viewer)).count();
    let took = processor_time(&running) - before;
    println!(
        "{:44} {answered} of 10 answered, {took:.2} s of processor time",
        "10 reads of a viewer, 1 MB of text"
    );
    assert!(answered == 10 && took <= 0.6, "all of them cost one");
    drop(running);

    let (running, address) = serve(folder.path(), &text);
    assert!(ask(&address, &editor).is_some(), "it has been read");
    let before = kilobytes(&running, "VmRSS");
    let burst: Vec<_> = (0..50)
        .map(|_| {
            thread::spawn({
                let (address, viewer) = (address.clone(), viewer.clone());
                move || ask(&address, &viewer)
            })
        })
        .collect();
    let answered = burst.into_iter().filter_map(|one| one.join().ok().flatten()).count();
    let more = (kilobytes(&running, "VmHWM") - before) / 1024;
    println!("{:44} {answered} of 50 answered, {more} MB more", "50 viewers at once");
    assert!(answered == 50 && more <= 60, "they share what they read");

    let deaf: Vec<_> = (0..60)
        .filter_map(|_| {
            let mut stream = TcpStream::connect(&address).ok()?;
            stream.write_all(viewer.as_bytes()).ok()?;
            Some(stream)
        })
        .collect();
    let slowest = (0..QUESTIONS).map(|_| ask(&address, &editor)).max_by_key(|took| took.unwrap_or(PATIENCE));
    let slowest = slowest.flatten().unwrap_or(PATIENCE);
    println!(
        "{:44} {:>9} ms for the slowest",
        "an editor beside 60 viewers who do not read",
        slowest.as_millis()
    );
    assert!(slowest < Duration::from_secs(1), "an editor has a slot");
    drop(deaf);
}

/// Reads of viewers that show the space of an archive whose disk does not answer: how many of 64 at once are
/// answered, and how soon an editor is then.
fn read_beside_a_dead_disk() {
    let folder = served::folder();
    let dead = folder.path().join("dead");
    fs::create_dir(&dead).expect("a folder can be made");
    let mounted = |program: &str| {
        let mut command = Command::new("unshare");
        command.args(["-Urm", "sh", "-c", WITH_DEAD_MOUNT]).arg(&dead).arg(program).stderr(Stdio::null());
        command
    };
    if !mounted("true").status().is_ok_and(|ended| ended.success()) {
        return println!("{:44} left out: nothing can be mounted here", "64 reads beside a dead disk");
    }
    let text = format!("{HEAD}view_auth viewer look;\ndvr {};\n", dead.display());
    let (running, [address]) = serve_by(mounted(MEDIACTL), folder.path(), &text, &[]);
    let editor = format!("GET {READ} HTTP/1.1\r\nHost: a\r\n{AUTHORIZATION}\r\n");
    let viewer = format!("GET {READ}?runtime=true HTTP/1.1\r\nHost: a\r\n{VIEWER}\r\n");
    let times: Vec<Duration> = thread::scope(|scope| {
        let asked: Vec<_> = (0..64).map(|_| scope.spawn(|| ask(&address, &viewer))).collect();
        asked.into_iter().filter_map(|one| one.join().ok().flatten()).collect()
    });
    let slowest = times.iter().max().map_or(0, Duration::as_millis);
    let editor = ask(&address, &editor).unwrap_or(PATIENCE);
    println!(
        "{:44} {} of 64 answered, {slowest} ms for the slowest, {} threads, {} ms for an editor",
        "64 reads beside a dead disk",
        times.len(),
        status_of(&running, "Threads"),
        editor.as_millis()
    );
    assert!(times.len() == 64 && editor < Duration::from_secs(1), "no request waits for the disk");
}

/// Parts of headers in messages of changes, and how many of them the history tells to a viewer.
fn read_messages(head: &str) {
    let tokens: Vec<String> = (0..100).map(|number| format!("t0ken{number:03}")).collect();
    let header = |token: &String| {
        format!("header \"Authorization: Bearer {token}\";\nheader \"Cookie: a={token}x; Path=/\";\n")
    };
    let folder = served::folder();
    let (running, address) =
        serve(folder.path(), &[head.to_owned(), tokens.iter().map(header).collect()].concat());
    let asks = |login: &str, words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mediactl"));
        command.args(["--url", &format!("http://{login}@{address}"), "--insecure"]).args(words);
        command.output().expect("the program starts").stdout
    };
    for (at, few) in tokens.chunks(10).enumerate() {
        let said = few.iter().map(|token| format!("{token} {token}x ")).collect::<String>();
        asks("admin:secret", &["modify", "--set", &format!("rtmp={}", at + 1), "-m", &said]);
    }
    let told = String::from_utf8(asks("viewer:look", &["history", "-o", "json"])).expect("JSON is UTF-8");
    let (masked, shown) = (told.matches("<secret:").count(), told.matches("t0ken").count());
    println!("{:44} {masked} masked, {shown} told", "200 parts of headers in messages, by a viewer");
    assert!(masked == 200 && shown == 0, "a viewer reads no secret");
    drop(running);
}

/// Seconds of the processor that a server has used.
fn processor_time(server: &Running) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", server.0.id())).unwrap_or_default();
    let behind_name = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let ticks = behind_name.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

fn kilobytes(server: &Running, name: &str) -> i64 {
    status_of(server, name).trim_end_matches(" kB").parse().unwrap_or_default()
}

/// A change whose values take far more memory than its text.
fn patch_of_empty_lists() -> String {
    let body = format!("{{\"peers\":[{}]}}", vec!["[]"; 10_000_000].join(","));
    format!("{}{AUTHORIZATION}Content-Length: {}\r\n\r\n{body}", head_of_a_change(), body.len())
}

/// The head of a change without its length, which follows.
fn head_of_a_change() -> String {
    format!("POST {MODIFY} HTTP/1.1\r\nHost: a\r\n")
}

/// Without credentials: what is tried is to leave no slot to anybody else.
fn attack_the_slots(began: Instant) {
    let folder = served::folder();
    let (running, address) = serve(folder.path(), &configuration(HEAD, 1));
    let read = format!("GET {READ} HTTP/1.1\r\nHost: a\r\n{AUTHORIZATION}\r\n");
    let mut server = Attacked { running, address: address.clone(), read, began };
    let stranger = &format!("GET {READ} HTTP/1.1\r\nHost: a\r\n\r\n");
    let goes_on = format!("{}GET", &stranger[3..]);
    server
        .besieged("64 slow pipeliners", Siege::new(&address, ATTACKERS, format!("{stranger}GET"), &goes_on));
    let pipelined = stranger.repeat(20_000);
    server.besieged("64 pipeliners that do not read", Siege::new(&address, ATTACKERS, pipelined, stranger));
    server.besieged("64 unfinished heads", Siege::new(&address, ATTACKERS, "GET / HT".to_owned(), ""));
    let flood =
        Siege { pause: Duration::from_millis(5), renew: 1, ..Siege::new(&address, 800, "G".to_owned(), "") };
    server.besieged("200 new connections a second, one byte each", flood);
    let burst = (0..120).map(|_| {
        thread::spawn({
            let (address, read) = (server.address.clone(), server.read.clone());
            move || ask(&address, &read)
        })
    });
    let burst: Vec<_> = burst.collect();
    let answered = burst.into_iter().filter_map(|client| client.join().ok().flatten()).count();
    println!("{:44} {answered} of 120 answered", "a burst of good clients");
}

/// Connections that are held, and what is sent on them again and again; one that was closed is
/// opened again.
struct Siege {
    address: String,
    connections: usize,
    begins: String,
    goes_on: String,
    pause: Duration,
    /// The number of connections that each round closes and opens again.
    renew: usize,
}

impl Siege {
    fn new(address: &str, connections: usize, begins: String, goes_on: &str) -> Self {
        let (address, goes_on) = (address.to_owned(), goes_on.to_owned());
        Self { address, connections, begins, goes_on, pause: Duration::from_millis(15), renew: 0 }
    }

    fn lay(self, over: &AtomicBool) {
        let mut held: VecDeque<TcpStream> = VecDeque::new();
        while !over.load(Ordering::SeqCst) {
            if self.renew == 0 {
                held.retain_mut(|stream| is_held(stream, self.goes_on.as_bytes()));
            }
            let wanted = if self.renew == 0 { self.connections - held.len() } else { self.renew };
            held.extend((0..wanted).filter_map(|_| self.begin()));
            let surplus = held.len().saturating_sub(self.connections);
            held.drain(..surplus);
            thread::sleep(self.pause);
        }
    }

    fn begin(&self) -> Option<TcpStream> {
        let mut stream = TcpStream::connect(&self.address).ok()?;
        stream.set_nonblocking(true).ok()?;
        let _ = stream.write(self.begins.as_bytes());
        Some(stream)
    }
}

/// Sends what goes on; `false` if the server has closed the connection.
fn is_held(stream: &mut TcpStream, goes_on: &[u8]) -> bool {
    let is_open = |done: std::io::Result<usize>| match done {
        Ok(bytes) => bytes > 0,
        Err(error) => error.kind() == ErrorKind::WouldBlock,
    };
    is_open(stream.peek(&mut [0])) && (goes_on.is_empty() || is_open(stream.write(goes_on)))
}

/// Returns the time until a good client gets its answer, if it gets it.
fn ask(address: &str, read: &str) -> Option<Duration> {
    let start = Instant::now();
    let mut answer = Vec::new();
    let mut stream = TcpStream::connect_timeout(&address.parse().ok()?, PATIENCE).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    stream.write_all(read.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n").as_bytes()).ok()?;
    stream.read_to_end(&mut answer).ok()?;
    answer.starts_with(b"HTTP/1.1 200").then(|| start.elapsed())
}

/// Requests with wrong passwords, each another one: in base64, any letters are some password.
fn guesses(guesser: usize) -> String {
    let guess = |number| {
        format!("GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Basic YWRtaW46{guesser:04}{number:04}\r\n\r\n")
    };
    (0..500).map(guess).collect()
}

/// A neighbour behind the same address guesses without a pause, and another client has the right password,
/// which the server has not seen yet.
fn get_in_among_guesses(address: &str) {
    let (over, start) = (AtomicBool::new(false), Instant::now());
    // Another spelling is another value.
    let spelled = AUTHORIZATION.replacen("Basic", "bAsIc", 1);
    let read = format!("GET {READ} HTTP/1.1\r\nHost: a\r\n{spelled}\r\n");
    let tries = thread::scope(|scope| {
        scope.spawn(|| {
            for guesser in (1000..10_000).take_while(|_| !over.load(Ordering::SeqCst)) {
                let guess = guesses(guesser);
                let one = guess.split_inclusive("\r\n\r\n").next().unwrap_or_default();
                ask(address, one);
                thread::sleep(Duration::from_millis(10));
            }
        });
        let tries = (1..1000).find(|_| {
            let is_in = ask(address, &read).is_some() || start.elapsed() > LIMIT;
            if !is_in {
                thread::sleep(Duration::from_millis(200));
            }
            is_in
        });
        over.store(true, Ordering::SeqCst);
        tries
    });
    let took = start.elapsed().as_secs_f32();
    println!(
        "{:44} {took:.1} s, {} tries",
        "the right password among 100 guesses a second",
        tries.unwrap_or(0)
    );
}

struct Attacked {
    running: Running,
    address: String,
    read: String,
    began: Instant,
}

impl Attacked {
    /// Sends each of these over a connection that stays open, and asks meanwhile.
    fn under(&mut self, what: &str, attack: impl FnOnce() -> Vec<String>) {
        let connections: Vec<TcpStream> = attack()
            .into_iter()
            .filter_map(|bytes| {
                let mut stream = TcpStream::connect(&self.address).ok()?;
                stream.set_write_timeout(Some(Duration::from_millis(50))).ok()?;
                // What the server does not take, the attacker does not get rid of.
                let _ = stream.write_all(bytes.as_bytes());
                Some(stream)
            })
            .collect();
        let mut times: Vec<Duration> = (0..QUESTIONS).map(|_| self.ask()).collect();
        times.sort();
        println!(
            "{what:44} {:>9} ms {:>9} ms {:>10} {:>9}",
            times[QUESTIONS / 2].as_millis(),
            times[QUESTIONS - 1].as_millis(),
            status_of(&self.running, "VmRSS"),
            status_of(&self.running, "Threads")
        );
        assert!(self.running.0.try_wait().is_ok_and(|ended| ended.is_none()), "the server lives");
        drop(connections);
    }

    fn is_in_time(&self) -> bool {
        self.began.elapsed() < LIMIT
    }

    /// Returns the time until a good client gets its answer.
    fn ask(&self) -> Duration {
        let start = Instant::now();
        assert!(self.is_in_time(), "all of it takes less than {LIMIT:?}");
        loop {
            match ask(&self.address, &self.read) {
                Some(_) => return start.elapsed(),
                None => assert!(start.elapsed() < PATIENCE, "a good client gets its answer"),
            }
        }
    }

    /// Asks while the attack goes on; of 100 answers, 99 come within a second, at the first attempt.
    fn besieged(&mut self, what: &str, siege: Siege) {
        let over = AtomicBool::new(false);
        let mut times: Vec<Duration> = thread::scope(|scope| {
            scope.spawn(|| siege.lay(&over));
            thread::sleep(Duration::from_secs(2));
            let questions = (0..MANY_QUESTIONS).take_while(|_| self.is_in_time());
            let times = questions.filter_map(|_| ask(&self.address, &self.read)).collect();
            over.store(true, Ordering::SeqCst);
            times
        });
        times.sort();
        let in_time = times.iter().filter(|time| **time < Duration::from_secs(1)).count();
        println!("{what:44} {in_time} of {MANY_QUESTIONS} answered within a second");
        assert!(in_time * 100 >= MANY_QUESTIONS * 99, "a good client is answered within a second");
    }
}
