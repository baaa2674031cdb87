//! Makes the unwinder a part of the program: a start then loads no library but that of C.
//!
//! `std` asks for `libgcc_s.so.1`, and the linker leaves out what nothing needs any more. A target with musl brings an
//! unwinder of its own, and one for another machine has its own `cc`: these stay as they are.
#![allow(
    clippy::disallowed_methods,
    reason = "the environment tells the target, and the compiler where its parts are"
)]

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is_gnu = env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|found| found == "gnu");
    if !is_gnu || env::var_os("HOST") != env::var_os("TARGET") {
        return;
    }
    let Ok(found) = Command::new("cc").arg("-print-file-name=libgcc_eh.a").output() else { return };
    let unwinder = String::from_utf8_lossy(&found.stdout);
    let unwinder = Path::new(unwinder.trim_end());
    // A compiler that has none prints the bare name.
    if let (true, Some(folder)) = (unwinder.is_absolute() && unwinder.is_file(), unwinder.parent()) {
        println!("cargo::rustc-link-search=native={}", folder.display());
        println!("cargo::rustc-link-lib=static:-bundle=gcc_eh");
    }
}
