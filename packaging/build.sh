#!/usr/bin/env bash
# Builds the binary that is given away, without a path of the machine that builds it, for this machine or for the
# targets that are named, and prints the path of each:
#
#     packaging/build.sh [TARGET]…
#
# `PACKAGE_PROFILE` names another profile than `dist`.
#
# Each panic message holds the path of a source file, and so the folder of the checkout, of cargo and
# of the toolchain, with the name of whoever builds. Cargo's own `trim-paths` is not stable, and
# `.cargo/config.toml` can't name folders that differ from machine to machine, so the prefixes are
# replaced here. The build has a target folder of its own: other flags would build everything anew.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cd "$root"
built=${CARGO_TARGET_DIR:-$root/target}/package
profile=${PACKAGE_PROFILE:-dist}
cargo_home=${CARGO_HOME:-$HOME/.cargo}
toolchain=$(rustc --print sysroot)
[[ $# -gt 0 ]] || set -- "$(rustc --version --verbose | sed -n 's/^host: //p')"

# The last prefix that fits is the one that counts: inner folders stand behind outer ones.
folders=("$HOME=/builder" "$toolchain=/rust" "$cargo_home=/cargo" "$root=/mediactl" "$built=/mediactl/target")
flags=
for folder in "${folders[@]}"; do
    flags+="'--remap-path-prefix=$folder',"
    # What is written in C is built by its own compiler.
    CFLAGS+=" -ffile-prefix-map=$folder"
done
export CFLAGS
# Flags from outside would take the place of these.
unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS
options=(--config "target.'cfg(unix)'.rustflags = [$flags]")

# All targets at once: they share what runs on this machine, and their last, largest crates are built side by side.
cargo build --profile "$profile" --locked --target-dir "$built" "${options[@]}" "${@/#/--target=}"

for target; do
    binary=$built/$target/$profile/mediactl
    for folder in "${folders[@]}"; do
        if grep -qaF -- "${folder%=*}/" "$binary"; then
            printf 'error: `%s` holds the path `%s` of this machine\n' "$binary" "${folder%=*}" >&2
            exit 1
        fi
    done
    if path=$(grep -aoE -m 1 '(/root|/home/[^/]+|\.cargo)/' "$binary"); then
        printf 'error: `%s` holds the path `%s` of another machine\n' "$binary" "$path" >&2
        exit 1
    fi
    printf '%s\n' "$binary"
done
