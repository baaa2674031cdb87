//! A connection breaks after a change was sent: it is made once, or told as unknown.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::etcd::Etcd;
use crate::cli::{CONF, Place, Run, SAMPLE};

/// What happens to requests that put something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// They are passed on and answered.
    Whole,
    /// The next one is passed on, and its answer is lost.
    LosesOneAnswer,
    /// The same; and another change is made before it is sent again.
    LosesOneAnswerToAnother,
    /// The next one is passed on, then nothing more, and no answer comes back.
    BreaksBehindOne,
    /// Nothing is passed on.
    Broken,
}

/// Something between the program and etcd.
struct Proxy {
    address: SocketAddr,
    line: Arc<Mutex<Line>>,
}

impl Proxy {
    /// Passes requests on to etcd; `another` makes a change past the proxy.
    fn start(etcd: SocketAddr, another: impl Fn() + Send + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("there are free ports");
        let address = listener.local_addr().expect("it has an address");
        let line = Arc::new(Mutex::new(Line::Whole));
        let known = line.clone();
        // It ends with the process.
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let _ = serve(stream, etcd, &known, &another);
            }
        });
        Self { address, line }
    }

    fn set(&self, line: Line) {
        *self.line.lock().unwrap_or_else(PoisonError::into_inner) = line;
    }
}

/// Passes one request on.
fn serve(
    mut stream: TcpStream,
    etcd: SocketAddr,
    line: &Mutex<Line>,
    another: &dyn Fn(),
) -> std::io::Result<()> {
    let mut request = Vec::new();
    let (path, body) = loop {
        let mut buffer = [0; 4096];
        let length = stream.read(&mut buffer)?;
        request.extend(&buffer[..length]);
        if let Some(parts) = parts(&request) {
            break parts;
        }
        if length == 0 {
            return Ok(());
        }
    };
    let puts = path.ends_with("kv/txn") && body.contains("request_put");
    let now = {
        let mut line = line.lock().unwrap_or_else(PoisonError::into_inner);
        let now = *line;
        *line = match now {
            Line::LosesOneAnswer | Line::LosesOneAnswerToAnother if puts => Line::Whole,
            Line::BreaksBehindOne if puts => Line::Broken,
            other => other,
        };
        now
    };
    if now == Line::Broken {
        return Ok(());
    }
    let mut upstream = TcpStream::connect(etcd)?;
    write!(upstream, "POST {path} HTTP/1.0\r\nContent-Length: {}\r\n\r\n{body}", body.len())?;
    let mut answer = Vec::new();
    upstream.read_to_end(&mut answer)?;
    match now {
        Line::LosesOneAnswerToAnother if puts => another(),
        Line::LosesOneAnswer | Line::BreaksBehindOne if puts => {}
        _ => stream.write_all(&answer)?,
    }
    Ok(())
}

/// The path and the body of a request, once it is whole.
fn parts(request: &[u8]) -> Option<(String, String)> {
    let text = std::str::from_utf8(request).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("content-length").then(|| value.parse::<usize>().ok())?
    })?;
    let path = head.split(' ').nth(1)?.to_owned();
    (body.len() >= length).then(|| (path, body.to_owned()))
}

#[test]
fn a_change_whose_answer_is_lost_is_made_once_or_told_as_unknown() {
    let Some(etcd) = Etcd::start(1) else { return };
    let etcd = Arc::new(etcd);
    let place = Arc::new(Place::with(SAMPLE));
    let direct = |arguments: &[&str]| etcd.mediactl(&place, "/p", arguments).run();
    direct(&["save", CONF, "-q"]).exits(0);
    let another = {
        let (etcd, place) = (etcd.clone(), place.clone());
        move || {
            let set = ["modify", "--set", "streams.cam1.prepush=77", "-q"];
            etcd.mediactl(&place, "/p", &set).run().exits(0);
        }
    };
    let proxy = Proxy::start(etcd.address(0), another);
    let url = format!("etcd://{}/p", proxy.address);
    let run = |line: Line, arguments: &[&str]| -> Run {
        proxy.set(line);
        let arguments = [&["--cluster", &url, "--timeout", "2"], arguments].concat();
        place.mediactl(&arguments).without("MEDIACTL_CONF").run()
    };
    let made = || direct(&["history", "-o", "json"]).exits(0).json().as_array().map_or(0, Vec::len);
    let title = || direct(&["read", "title"]).out;

    run(Line::Whole, &["modify", "--set", "title=a", "-q"]).exits(0);
    assert_eq!(made(), 2);
    run(Line::LosesOneAnswer, &["modify", "--set", "title=b", "-q"]).exits(0);
    assert_eq!((made(), title().contains('b')), (3, true));
    run(Line::LosesOneAnswer, &["save", CONF, "-q"]).exits(0);
    assert_eq!(made(), 4);
    // It was made, and another change since: it is not made again.
    run(Line::LosesOneAnswerToAnother, &["modify", "--set", "title=c", "-q"]).exits(0);
    assert_eq!((made(), title().contains('c')), (6, true));
    run(Line::Whole, &["modify", "--set", "title=d", "--confirm", "60", "-q"]).exits(0);
    run(Line::LosesOneAnswer, &["confirm", "-q"]).exits(0);
    assert_eq!((made(), title().contains('d')), (7, true));
    run(Line::BreaksBehindOne, &["modify", "--set", "title=e"])
        .exits(8)
        .says("it is unknown whether the change of")
        .says("`mediactl history` shows whether it was made");
    assert_eq!((made(), title().contains('e')), (8, true));
    run(Line::Broken, &["modify", "--set", "title=f"]).exits(7).says("nothing was changed");
    assert_eq!(made(), 8);
}
