//! The program on a terminal, as a person sees it.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use super::Call;
use crate::waiting::{self, eventually};

/// The longest time that a program may be silent.
const PATIENCE: Timespec = Timespec { tv_sec: waiting::PATIENCE.as_secs() as i64, tv_nsec: 0 };

/// The program, with a pseudo-terminal as stdin, stdout and stderr.
pub struct Terminal {
    child: Child,
    screen: File,
    /// Everything that the program has written, without carriage returns.
    pub seen: String,
    /// The number of bytes of it that were expected already.
    read: usize,
}

impl Call {
    /// Starts the program on a terminal.
    pub fn on_terminal(self) -> Terminal {
        self.on_terminal_of(0, 0)
    }

    /// Starts the program on a terminal of this size.
    pub fn on_terminal_of(mut self, rows: u16, columns: u16) -> Terminal {
        let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("there is a terminal");
        grantpt(&controller).and_then(|()| unlockpt(&controller)).expect("it can be used");
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&controller, size).expect("a terminal has a size");
        let name = ptsname(&controller, Vec::new()).expect("it has a name");
        let open = || -> OwnedFd {
            rustix::fs::open(&name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("it can be opened")
        };
        self.command.stdin(Stdio::from(open())).stdout(Stdio::from(open())).stderr(Stdio::from(open()));
        let child = self.command.spawn().expect("the program can be started");
        // What is left of the command holds the other end open.
        drop(self);
        Terminal { child, screen: File::from(controller), seen: String::new(), read: 0 }
    }
}

impl Terminal {
    /// Waits until the program has written `text`.
    #[track_caller]
    pub fn expect(&mut self, text: &str) -> &mut Self {
        while !self.seen[self.read..].contains(text) {
            assert!(self.read_more(), "{text:?} did not come: {}", self.seen);
        }
        let at = self.seen[self.read..].find(text).expect("it is there");
        self.read += at + text.len();
        self
    }

    /// Presses these keys.
    pub fn press(&mut self, keys: &str) -> &mut Self {
        self.screen.write_all(keys.as_bytes()).expect("a terminal can be written to");
        self
    }

    /// Types a line.
    pub fn enter(&mut self, line: &str) -> &mut Self {
        self.press(&format!("{line}\n"))
    }

    /// Presses Ctrl-D, which ends the input where a line begins.
    pub fn end_input(&mut self) -> &mut Self {
        self.press("\x04")
    }

    /// Types a line once the terminal does not show what is typed.
    pub fn enter_hidden(&mut self, line: &str) -> &mut Self {
        self.wait_until_hidden().enter(line)
    }

    /// Presses Ctrl-D once the terminal does not show what is typed.
    pub fn end_hidden_input(&mut self) -> &mut Self {
        self.wait_until_hidden().end_input()
    }

    /// What is typed earlier may be lost.
    fn wait_until_hidden(&mut self) -> &mut Self {
        let is_shown = || {
            let modes = tcgetattr(&self.screen).expect("a terminal has modes").local_modes;
            modes.contains(LocalModes::ECHO)
        };
        eventually(|| !is_shown());
        self
    }

    /// Sends the program a signal.
    pub fn signal(&mut self, signal: Signal) -> &mut Self {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("it is a process");
        kill_process(pid, signal).expect("it runs");
        self
    }

    /// Waits until the program has ended with this code; everything that it wrote.
    #[track_caller]
    pub fn exits(&mut self, code: i32) -> String {
        while self.read_more() {}
        let status = self.child.wait().expect("the program ends");
        assert_eq!(exit_code(status), Some(code), "{}", self.seen);
        std::mem::take(&mut self.seen)
    }

    /// False at the end of all output.
    fn read_more(&mut self) -> bool {
        let mut ready = [PollFd::new(&self.screen, PollFlags::IN)];
        let count = poll(&mut ready, Some(&PATIENCE)).expect("a terminal can be waited for");
        assert!(count > 0, "the program is silent: {}", self.seen);
        let mut piece = [0; 4096];
        match self.screen.read(&mut piece) {
            Ok(0) | Err(_) => false,
            Ok(count) => {
                self.seen.push_str(&String::from_utf8_lossy(&piece[..count]).replace('\r', ""));
                true
            }
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // After a test that failed it may still run.
        let _ = self.child.kill();
    }
}

/// The code as a shell has it: of a process that a signal ended, 128 and the signal.
fn exit_code(status: ExitStatus) -> Option<i32> {
    status.code().or_else(|| status.signal().map(|signal| 128 + signal))
}
