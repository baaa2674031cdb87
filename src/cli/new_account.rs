//! A new account of the API, with a random password.

use std::fs::File;
use std::io::{self, Read, Write};

use crate::cli::ui::Ui;
use crate::error::Error;

/// The login of a new account.
const LOGIN: &str = "admin";

/// The letters of a password: 32 of them, none of which looks like another, so that each carries five
/// bits.
const LETTERS: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz23456789R";

/// The length of a password: 24 letters of five bits are 120 bits.
const LENGTH: usize = 24;

/// A login with a new random password.
pub struct NewAccount {
    pub login: &'static str,
    pub password: String,
}

impl NewAccount {
    /// Makes an account with a random password.
    pub fn random() -> Result<Self, Error> {
        let mut bytes = [0; LENGTH];
        File::open("/dev/urandom")
            .and_then(|mut file| file.read_exact(&mut bytes))
            .map_err(Error::no_random)?;
        let letter = |byte: u8| char::from(LETTERS[usize::from(byte) % LETTERS.len()]);
        Ok(Self { login: LOGIN, password: bytes.into_iter().map(letter).collect() })
    }

    /// Shows the account, the only time that it is shown.
    pub fn show(&self, ui: Ui) -> Result<(), Error> {
        ui.print(|out| self.write(out))
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "login {}", self.login)?;
        writeln!(out, "password {}", self.password)
    }
}
