//! Commands on several servers at once, each of them a `mediactl serve` of its own.

mod canary;
mod change;
mod proof;
mod read;

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::cli::serve::Serving;
use crate::cli::{Call, Place, Run, SAMPLE};

/// Servers with the names `edge-0`, `edge-1`, … in the group `edge`, and a user who has contexts for them.
pub struct Edges {
    home: Place,
    pub places: Vec<Place>,
    pub servers: Vec<Option<Serving>>,
}

impl Edges {
    pub fn new(count: usize) -> Self {
        Self::with(count, &[])
    }

    pub fn with(count: usize, options: &[&str]) -> Self {
        Self::of(&vec![SAMPLE; count], options)
    }

    /// A server for each of these configurations.
    pub fn of(texts: &[&str], options: &[&str]) -> Self {
        let places: Vec<Place> = texts.iter().map(Place::with).collect();
        let options = [&["--listen", "127.0.0.1:0"], options].concat();
        let servers: Vec<Option<Serving>> =
            places.iter().map(|place| Some(Serving::with(place, &options))).collect();
        let edges = Self { home: Place::empty(), places, servers };
        edges.put_contexts(&edges.urls());
        edges
    }

    pub fn urls(&self) -> Vec<String> {
        self.servers.iter().flatten().map(|server| server.url.clone()).collect()
    }

    pub fn put_contexts(&self, urls: &[String]) {
        let with_account = |url: &String| url.replacen("http://", "http://admin:hunter2@", 1);
        self.put_urls(&urls.iter().map(with_account).collect::<Vec<_>>(), |_| String::new());
    }

    /// Writes contexts with more in the block of each.
    pub fn put_urls(&self, urls: &[String], more: impl Fn(usize) -> String) {
        let context = |(at, url)| format!("context edge-{at} {{ url {url}; group edge; {} }}\n", more(at));
        let text: String = urls.iter().enumerate().map(context).collect();
        fs::create_dir_all(self.home.path(".config/mediactl")).expect("a folder can be made");
        self.home.put(".config/mediactl/contexts.conf", text);
        let file = self.home.path(".config/mediactl/contexts.conf");
        fs::set_permissions(file, fs::Permissions::from_mode(0o600)).expect("it is ours");
    }

    /// The program with the words of a line, run by the user, who names no other target.
    pub fn call(&self, line: &str) -> Call {
        self.home.mediactl(line.split(' ')).without("MEDIACTL_CONF").at_home(&self.home, "")
    }

    pub fn run(&self, line: &str) -> Run {
        self.call(line).run()
    }

    pub fn on_all(&self, line: &str) -> Run {
        self.run(&format!("-x edge-* {line}"))
    }

    pub fn texts(&self) -> Vec<String> {
        self.places.iter().map(Place::text).collect()
    }

    pub fn kill(&mut self, at: usize) {
        self.servers[at].take().expect("it runs").kill();
    }
}

/// The id of the change that a run names.
fn id_of(run: &Run) -> String {
    let (_, rest) = run.err.split_once("this is change ").expect("the run names its change");
    rest.split_once(':').expect("an id ends").0.to_owned()
}
