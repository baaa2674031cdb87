//! Lists the files of the console, and makes the unwinder a part of the program: a start then loads no library but that of C.
//!
//! `std` asks for `libgcc_s.so.1`, and the linker leaves out what nothing needs any more. A target with musl brings an
//! unwinder of its own, and one for another machine has its own `cc`: these stay as they are.
#![allow(
    clippy::disallowed_methods,
    reason = "the environment tells the target, the compiler where its parts are, and the list is a file"
)]

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    list_console();
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

/// The folder of the console.
const CONSOLE: &str = "src/http/console";

/// Writes the names and the texts of its files, but for the page and the module, as a slice.
fn list_console() {
    println!("cargo::rerun-if-changed={CONSOLE}");
    let folder = env::current_dir().expect("cargo sets it").join(CONSOLE);
    let entries = fs::read_dir(&folder).expect("the folder is a part of the package");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("it can be read").file_name().into_string().expect("names are plain"))
        .filter(|name| [".js", ".css", ".svg"].iter().any(|end| name.ends_with(end)))
        .collect();
    names.sort();
    let rows = names.iter().map(|name| format!("({name:?}, include_str!({:?})),", folder.join(name)));
    let out = env::var_os("OUT_DIR").expect("cargo sets it");
    let list = format!("&[{}]", rows.collect::<String>());
    fs::write(Path::new(&out).join("console.rs"), list).expect("the folder is for this");
}
