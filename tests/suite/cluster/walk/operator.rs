//! The shell of the operator.

use std::io::Write;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::Receiver;
use std::time::Instant;

use super::machines::Machines;
use crate::cli::PROGRAM;
use crate::readme::piped;
use crate::waiting::PATIENCE;

/// Printed after the commands, before the exit code of the last one.
const END: &str = "-- the commands have ended --";

/// A shell in which one block of commands runs after another.
pub struct Operator {
    process: Child,
    input: ChildStdin,
    output: Receiver<String>,
}

impl Operator {
    /// Starts bash in an empty folder. A command that fails is told as `FAILED`.
    pub fn at(machines: &Machines) -> Self {
        let checkout = Path::new(env!("CARGO_MANIFEST_DIR"));
        let own = [
            checkout.join("tests/suite/cluster/walk/stand_ins"),
            Path::new(PROGRAM).parent().expect("it is in a folder").to_owned(),
        ];
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(own.into_iter().chain(std::env::split_paths(&path)));
        let mut shell = Command::new("bash");
        shell
            .current_dir(machines.path("operator"))
            .env_clear()
            .env("PATH", path.expect("folders have no colon"))
            .env("HOME", machines.path("operator"))
            .env("USER", "olga")
            .env("MACHINES", machines.path("machines"))
            .env("UNITS", checkout.join("packaging"))
            .env("PROGRAM", PROGRAM)
            .stderr(Stdio::inherit());
        let (process, mut input, output) = piped(&mut shell);
        // `diff` ends so if there are differences.
        let told = r#"case $BASH_COMMAND in *" diff "*) ;; *) echo "FAILED: $BASH_COMMAND" ;; esac"#;
        let trap = format!("exec 2>&1; set -E; trap '{told}' ERR");
        writeln!(input, "{trap}").expect("a shell reads its commands");
        Self { process, input, output }
    }

    pub fn run(&mut self, commands: &str) -> String {
        writeln!(self.input, "{commands}\necho '{END}'").expect("a shell reads its commands");
        let (start, mut printed) = (Instant::now(), String::new());
        loop {
            let line = self.output.recv_timeout(PATIENCE.saturating_sub(start.elapsed()));
            let line = line.unwrap_or_else(|_| panic!("`{commands}` did not end: {printed}"));
            match line.strip_suffix(END) {
                Some(last) => return printed + last,
                None => printed = printed + &line + "\n",
            }
        }
    }
}

impl Drop for Operator {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
