//! The memory of a server that runs for long. The allocator of the GNU C library keeps what was freed,
//! for each thread apart, and keeps the more the larger it was. It reads its settings from the
//! environment before `main` begins, and safe code has no other way to it.

use std::env;
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::engine::ALLOCATOR_SETTINGS;

/// Two pools for all threads; what takes 4 MiB or more goes back to the system when it is freed, and so
/// do the ends of the pools over 16 MiB. Smaller blocks stay: a change that got them from the system
/// would take longer.
const SETTINGS: &str =
    "glibc.malloc.arena_max=2:glibc.malloc.mmap_threshold=4194304:glibc.malloc.trim_threshold=16777216";

/// Starts this program again in its process, with the settings in its environment, unless they or others
/// are there. Where that fails, the server takes more memory, and all else is the same.
pub fn limit() {
    if cfg!(target_env = "gnu") && env::var_os(ALLOCATOR_SETTINGS).is_none() {
        let mut arguments = env::args_os();
        if let (Ok(program), Some(name)) = (env::current_exe(), arguments.next()) {
            let mut again = Command::new(program);
            // It returns only with an error.
            let _ = again.arg0(name).args(arguments).env(ALLOCATOR_SETTINGS, SETTINGS).exec();
        }
    }
}
