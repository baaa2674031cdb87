//! The state of the model: etcd, writers, nodes, and the facts by which they are judged.

/// The number of changes after which the history forgets those before.
const FAR: u8 = 30;

/// Changes by the numbers of their writers.
pub type Changes = u8;

/// The participants, and the rules that they follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cast {
    pub writers: Vec<Kind>,
    pub nodes: usize,
    /// The first nodes take a rollout before the others.
    pub canaries: usize,
    /// True if they have to run it for a time without a break.
    pub soaks: bool,
    /// True if the second node is another process with the name of the first one, which starts later.
    pub has_twin: bool,
    /// True if a snapshot of the store is taken, and restored later.
    pub restores: bool,
    /// The number of connections and processes that may die.
    pub faults: u8,
    /// The rule that nobody follows.
    pub without: Option<Rule>,
}

/// The change that a writer makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Plain,
    /// It has to be confirmed.
    Confirmed,
    /// Its writer confirms it when the canary nodes run it.
    Canary,
    /// Nodes refuse a text with it.
    Poison,
    /// The same as a rollout.
    CanaryPoison,
    /// Nodes take a text with it, whatever else is in there.
    Cure,
    /// It sets an overlay of a stream.
    Overlay,
    /// It removes that stream.
    Removal,
}

/// A rule of the protocol; each is left out once, to see what breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    CommitComparesHead,
    CommitRefusesOpen,
    CommitMergesOverlays,
    LostLooksForId,
    ConfirmComparesHead,
    ConfirmComparesPending,
    TakeBackComparesHead,
    PromoteLooksAtRecords,
    PromoteWaitsForSoak,
    TwinsDoNotCount,
    PutComparesRecord,
    RestartSoaksAnew,
    IllnessSoaksAnew,
    NodeNotesIntent,
    NodeNotesWayBack,
    NodeKeepsWayBack,
    LeavesWhatWasTakenBack,
    // Those of the function that says what a node runs. What a rule looks at is kept from the function.
    ConfirmedIsRun,
    RunsOutWithPending,
    RunsOutInItsTime,
    CutOffGoesBack,
    OthersWait,
    // Those of the function that says whether it is held.
    HeldByRecord,
    HeldByConfirmation,
    HeldStays,
    AdoptedGoesOn,
    LeavesWhatIsLost,
}

/// A text by its serial, and the changes in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Text {
    pub serial: u8,
    pub changes: Changes,
    /// How often the store was restored before it was made: this tells two texts with one serial apart.
    pub store: u8,
    /// How often a restored store was adopted before.
    pub epoch: u8,
}

/// A back-up of the store.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Snapshot {
    head: Head,
    pending: Option<usize>,
    history: Vec<Text>,
    reverts: u64,
    made: Changes,
    kept: Changes,
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
    /// True if the canary nodes take it first.
    pub is_rollout: bool,
}

/// All that can be read and that changes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    pub head: Head,
    /// The key `pending`: the writer whose change it is about.
    pub pending: Option<usize>,
    pub writers: Vec<Writer>,
    pub nodes: Vec<Node>,
    pub faults: u8,
    /// The changes whose writers find their id in the history.
    pub made: Changes,
    /// The changes that must be in every head from now on.
    pub kept: Changes,
    /// The changes that were confirmed.
    pub confirmed: Changes,
    /// The leases that have ended.
    pub expired: Changes,
    /// The serials of the changes that took the one before back, one bit each.
    pub reverts: u64,
    /// The records of the changes, where the store is restored.
    pub history: Vec<Text>,
    pub snapshot: Option<Snapshot>,
    /// How often the store was restored.
    pub store: u8,
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
    /// It confirms the change that all canary nodes run, by these records.
    Promotes(Head, Records),
    GoesBack(Head),
    Done,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Node {
    pub is_up: bool,
    pub is_cut_off: bool,
    /// The keys that it has read last.
    pub seen: Option<Seen>,
    /// True if that was longer ago than the lease had left then.
    pub is_late: bool,
    /// The change which it first saw longer ago than the change lasts without a confirmation.
    pub over: Option<Text>,
    /// The text before the unconfirmed change that it takes, on disk.
    pub way_back: Option<Text>,
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
    /// The reason why it takes nothing from the cluster, on disk.
    pub held: Option<String>,
    /// The key `node/NODE`; that of a twin is the one of the first node.
    pub record: Option<Record>,
    /// That key as it put or read it last, if it has a twin.
    pub known: Option<Record>,
    /// True if this process has put the key.
    pub has_put: bool,
    /// True if it found that another process has put it since.
    pub is_twin: bool,
    /// How many halves of its time it has run the change before the others, for all it knows.
    pub soaked: u8,
    /// The same as it is.
    pub ran: u8,
}

/// The keys that a node reads at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Seen {
    pub head: Head,
    pub is_pending: bool,
    /// The text that the node had, if the history says that the change of it was taken back.
    pub taken_back: Option<Text>,
}

/// The records of the canary nodes; there are two at most.
pub type Records = [Option<Record>; 2];

/// The record of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Record {
    pub runs: Text,
    pub refused: Option<Text>,
    pub has_soaked: bool,
    /// True if it has run the change for its time without a break.
    pub has_run: bool,
    pub is_twin: bool,
    /// The process that put it.
    pub by: usize,
}

impl State {
    pub fn new(cast: &Cast) -> Self {
        let node = Node {
            is_up: true,
            is_cut_off: false,
            seen: None,
            is_late: false,
            over: None,
            way_back: None,
            intent: None,
            file: Text::default(),
            has_written: false,
            runs: Text::default(),
            refused: None,
            held: None,
            record: None,
            known: None,
            has_put: false,
            is_twin: false,
            soaked: 0,
            ran: 0,
        };
        let mut nodes = vec![node; cast.nodes];
        if cast.has_twin {
            nodes[1].is_up = false;
        }
        Self {
            head: Head::default(),
            pending: None,
            writers: vec![Writer { at: Place::Begins, stray: None }; cast.writers.len()],
            nodes,
            faults: cast.faults,
            made: 0,
            kept: 0,
            confirmed: 0,
            expired: 0,
            reverts: 0,
            history: if cast.restores { vec![Text::default()] } else { Vec::new() },
            snapshot: None,
            store: 0,
            broken: None,
        }
    }

    /// Puts another head.
    pub fn put(&mut self, text: Text, open: Option<Open>) {
        self.head = Head { revision: self.head.revision + 1, text, open };
        if !self.history.is_empty() && self.history.last() != Some(&text) {
            self.history.push(text);
        }
    }

    /// The text of the next change, with these changes.
    pub fn next(&self, changes: Changes) -> Text {
        let Text { serial, epoch, .. } = self.head.text;
        Text { serial: serial + 1, changes, store: self.store, epoch }
    }

    /// A snapshot is taken.
    pub fn save(&mut self) {
        let Self { head, pending, ref history, reverts, made, kept, .. } = *self;
        self.snapshot = Some(Snapshot { head, pending, history: history.clone(), reverts, made, kept });
    }

    /// The store begins anew with its snapshot. The records of nodes went with their leases.
    pub fn restore(&mut self, snapshot: Snapshot) {
        let Snapshot { head, pending, history, reverts, made, kept } = snapshot;
        (self.head, self.pending, self.history, self.reverts) = (head, pending, history, reverts);
        (self.made, self.kept, self.snapshot) = (made, kept, None);
        self.store += 1;
        self.nodes.iter_mut().for_each(|node| node.record = None);
    }

    /// Somebody says that the restored cluster continues.
    pub fn adopt(&mut self) {
        let text = self.next(self.head.text.changes);
        self.put(Text { epoch: text.epoch + 1, ..text }, None);
        self.pending = None;
    }

    /// So many other changes are made that the history forgets all that were made before.
    pub fn go_far_on(&mut self) {
        let text = self.next(self.head.text.changes);
        self.history.clear();
        self.put(Text { serial: text.serial + FAR, ..text }, None);
        self.history.push(self.head.text);
    }

    pub fn is_far_on(&self) -> bool {
        self.head.text.serial >= FAR
    }

    /// Notes that a node leaves what it runs for another text. What is not there any more, and was not taken back, it may
    /// leave only for another epoch.
    pub fn note_leave(&mut self, cast: &Cast, node: usize, text: Text) {
        let Node { runs, way_back, .. } = &self.nodes[node];
        let is_kept = |writer: usize, kind: &Kind| !kind.is_open() || self.confirmed & 1 << writer != 0;
        let lost = runs.changes & !text.changes;
        let is_lost = |(writer, kind): (usize, &Kind)| lost & 1 << writer != 0 && is_kept(writer, kind);
        let knows_as_open = way_back.is_some_and(|back| back.serial + 1 == runs.serial);
        if cast.restores
            && text.epoch == runs.epoch
            && !knows_as_open
            && cast.writers.iter().enumerate().any(is_lost)
        {
            self.broken = Some("held");
        }
    }

    /// The transaction that takes an open head back; `seen` is the head that was read.
    pub fn take_back(&mut self, seen: Head, cast: &Cast) {
        let Some(open) = seen.open else { return };
        if cast.follows(Rule::TakeBackComparesHead) && self.head.revision != seen.revision {
            return;
        }
        let text = self.next(open.back.changes);
        self.put(text, None);
        self.reverts |= 1 << text.serial;
        self.pending = None;
    }

    /// The transaction that confirms an open head.
    pub fn confirm(&mut self, seen: Head, cast: &Cast) -> bool {
        let Some(open) = seen.open else { return false };
        let is_same = !cast.follows(Rule::ConfirmComparesHead) || self.head.revision == seen.revision;
        let is_pending = !cast.follows(Rule::ConfirmComparesPending) || self.pending.is_some();
        if !(is_same && is_pending) {
            return false;
        }
        self.put(self.head.text, None);
        self.pending = None;
        self.confirmed |= 1 << open.writer;
        self.kept |= 1 << open.writer;
        if self.expired & 1 << open.writer != 0 {
            self.broken = Some("unconfirmed");
        }
        true
    }

    /// Confirms a rollout, by the records of its nodes.
    pub fn promote(&mut self, seen: Head, cast: &Cast) -> bool {
        let records = self.records(cast);
        let is_done = self.confirm(seen, cast);
        let has_put = |node: &&Node| node.is_up && !node.is_cut_off && node.has_put;
        if is_done && cast.has_twin && self.nodes.iter().take(2).filter(has_put).count() > 1 {
            self.broken = Some("twin");
        }
        if is_done && cast.soaks && records.iter().flatten().any(|record| !record.has_run) {
            self.broken = Some("soak");
        }
        is_done
    }

    /// The records of the canary nodes.
    pub fn records(&self, cast: &Cast) -> Records {
        std::array::from_fn(|node| self.nodes.get(node).filter(|_| node < cast.canaries)?.record)
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
    pub fn follows(&self, rule: Rule) -> bool {
        self.without != Some(rule)
    }

    /// True if nodes refuse a text with these changes.
    pub fn is_refused(&self, changes: Changes) -> bool {
        self.has(changes, |kind| matches!(kind, Kind::Poison | Kind::CanaryPoison))
            && !self.has(changes, |kind| kind == Kind::Cure)
    }

    /// True if an overlay does not fit the text of a state with these changes.
    pub fn has_misfit(&self, changes: Changes) -> bool {
        self.has(changes, |kind| kind == Kind::Overlay) && self.has(changes, |kind| kind == Kind::Removal)
    }

    fn has(&self, changes: Changes, is: fn(Kind) -> bool) -> bool {
        self.writers.iter().enumerate().any(|(writer, kind)| is(*kind) && changes & 1 << writer != 0)
    }

    /// The node that has the record of a process.
    pub fn named(&self, node: usize) -> usize {
        if self.has_twin && node == 1 { 0 } else { node }
    }
}
