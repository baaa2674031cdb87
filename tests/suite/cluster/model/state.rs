//! The state of the model: etcd, writers, nodes, and the facts by which they are judged.

/// Changes by the numbers of their writers.
pub type Changes = u8;

/// The participants, and the rules that they follow.
#[derive(Debug, Clone)]
pub struct Cast {
    pub writers: Vec<Kind>,
    pub nodes: usize,
    /// The first nodes take a rollout before the others.
    pub canaries: usize,
    /// The number of connections and processes that may die.
    pub faults: u8,
    pub rules: Rules,
}

/// The change that a writer makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Plain,
    /// It has to be confirmed.
    Confirmed,
    /// The canary nodes confirm it.
    Canary,
    /// Nodes refuse a text with it.
    Poison,
    /// The same as a rollout.
    CanaryPoison,
    /// Nodes take a text with it, whatever else is in there.
    Cure,
}

/// The rules of the protocol; each is left out once, to see what breaks.
#[derive(Debug, Clone)]
pub struct Rules {
    pub commit_compares_head: bool,
    pub commit_refuses_open: bool,
    pub lost_looks_for_id: bool,
    pub confirm_compares_head: bool,
    pub confirm_compares_pending: bool,
    pub take_back_compares_head: bool,
    pub node_takes_back: bool,
    pub node_notes_intent: bool,
    pub others_wait: bool,
    pub promote_looks_at_records: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            commit_compares_head: true,
            commit_refuses_open: true,
            lost_looks_for_id: true,
            confirm_compares_head: true,
            confirm_compares_pending: true,
            take_back_compares_head: true,
            node_takes_back: true,
            node_notes_intent: true,
            others_wait: true,
            promote_looks_at_records: true,
        }
    }
}

/// A text by its serial, and the changes in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Text {
    pub serial: u8,
    pub changes: Changes,
}

/// The key `head`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Head {
    /// Its `mod_revision`.
    pub revision: u8,
    pub text: Text,
    /// The change that may go back.
    pub open: Option<Open>,
}

/// A change that has to be confirmed, as `head` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Open {
    pub writer: usize,
    pub back: Text,
    /// True if the canary nodes confirm it.
    pub is_rollout: bool,
}

/// All that can be read and that changes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    pub head: Head,
    /// The key `pending`: the writer whose change it is about.
    pub pending: Option<usize>,
    /// True if the deadline is over, although the lease has not ended.
    pub is_overdue: bool,
    pub writers: Vec<Writer>,
    pub nodes: Vec<Node>,
    pub faults: u8,
    /// The changes whose writers find their id in the history.
    pub made: Changes,
    /// The changes that must be in every head from now on.
    pub kept: Changes,
    /// The changes that were confirmed, by their writer or by canaries.
    pub confirmed: Changes,
    /// The leases that have ended.
    pub expired: Changes,
    /// The promise that the last step has broken.
    pub broken: Option<&'static str>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Writer {
    pub at: Place,
    /// A request whose answer nobody will hear, made for this head; it may still arrive.
    pub stray: Option<Head>,
}

/// The progress of a writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    Begins,
    /// It has read this head, and whether `pending` is there.
    HasRead(Head, bool),
    /// Its request is under way, made for this head.
    Waits(Head),
    /// It does not know what became of that request.
    Lost(Head),
    /// Its change is made and has to be confirmed.
    Made,
    Confirms(Head),
    Done,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Node {
    pub is_up: bool,
    /// The keys that it has read last.
    pub seen: Option<Seen>,
    /// The text that it is about to write, on disk.
    pub intent: Option<Text>,
    /// Its local file.
    pub file: Text,
    /// True if it wrote the file and has not reloaded; without a note of its intent it knows that only
    /// until it dies.
    pub has_written: bool,
    /// The text that the media server has loaded.
    pub runs: Text,
    /// The text that it refused.
    pub refused: Option<Text>,
    /// The key `node/NODE`.
    pub record: Option<Record>,
}

/// The keys that a node reads at once.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Seen {
    pub head: Head,
    pub is_pending: bool,
    pub is_overdue: bool,
    /// Of the canary nodes, while there is a rollout.
    pub records: Vec<Option<Record>>,
}

/// The record of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Record {
    pub runs: u8,
    pub refused: Option<u8>,
}

impl State {
    pub fn new(cast: &Cast) -> Self {
        let node = Node {
            is_up: true,
            seen: None,
            intent: None,
            file: Text::default(),
            has_written: false,
            runs: Text::default(),
            refused: None,
            record: None,
        };
        Self {
            head: Head::default(),
            pending: None,
            is_overdue: false,
            writers: vec![Writer { at: Place::Begins, stray: None }; cast.writers.len()],
            nodes: vec![node; cast.nodes],
            faults: cast.faults,
            made: 0,
            kept: 0,
            confirmed: 0,
            expired: 0,
            broken: None,
        }
    }

    /// Puts another head.
    pub fn put(&mut self, text: Text, open: Option<Open>) {
        self.head = Head { revision: self.head.revision + 1, text, open };
    }

    /// The transaction that takes an open head back; `seen` is the head that was read.
    pub fn take_back(&mut self, seen: Head, rules: &Rules) {
        let Some(open) = seen.open else { return };
        if rules.take_back_compares_head && self.head.revision != seen.revision {
            return;
        }
        self.put(Text { serial: self.head.text.serial + 1, changes: open.back.changes }, None);
        self.forget_pending();
    }

    /// The transaction that confirms an open head, or promotes it.
    pub fn confirm(&mut self, seen: Head, rules: &Rules) -> bool {
        let Some(open) = seen.open else { return false };
        let is_same = !rules.confirm_compares_head || self.head.revision == seen.revision;
        let is_pending = !rules.confirm_compares_pending || self.pending.is_some();
        if !(is_same && is_pending) {
            return false;
        }
        self.put(self.head.text, None);
        self.forget_pending();
        self.confirmed |= 1 << open.writer;
        self.kept |= 1 << open.writer;
        if self.expired & 1 << open.writer != 0 {
            self.broken = Some("unconfirmed");
        }
        true
    }

    fn forget_pending(&mut self) {
        self.pending = None;
        self.is_overdue = false;
    }
}

impl Kind {
    pub fn is_rollout(self) -> bool {
        matches!(self, Self::Canary | Self::CanaryPoison)
    }

    /// True if it stays only if it is confirmed.
    pub fn is_open(self) -> bool {
        self.is_rollout() || self == Self::Confirmed
    }
}

impl Cast {
    /// True if nodes refuse a text with these changes.
    pub fn is_refused(&self, changes: Changes) -> bool {
        let has = |is: fn(Kind) -> bool| {
            self.writers.iter().enumerate().any(|(writer, kind)| is(*kind) && changes & 1 << writer != 0)
        };
        has(|kind| matches!(kind, Kind::Poison | Kind::CanaryPoison)) && !has(|kind| kind == Kind::Cure)
    }
}
