#!/usr/bin/env bash
# Builds the binary that is given away, without a path of the machine that builds it, for this machine or for the
# targets that are named, and prints the path of each:
#
#     packaging/build.sh [TARGET]…
#
# The build has a target folder of its own: its flags would build everything else anew.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cd "$root"
built=${CARGO_TARGET_DIR:-$root/target}/package
[[ $# -gt 0 ]] || set -- "$(rustc --version --verbose | sed -n 's/^host: //p')"
source packaging/without_paths.sh

# All targets at once: they share what runs on this machine, and their last, largest crates are built side by side.
cargo build --profile dist --locked --target-dir "$built" "${@/#/--target=}"

for target; do
    binary=$built/$target/dist/mediactl
    holds_no_path "$binary"
    printf '%s\n' "$binary"
done
