#!/usr/bin/env bash
# Builds the binary that is given away, without a path of the machine that builds it:
#
#     packaging/build.sh [--target TARGET] [OPTION OF cargo build]…
#
# Each panic message holds the path of a source file, and so the folder of the checkout, of cargo and
# of the toolchain, with the name of whoever builds. Cargo's own `trim-paths` is not stable, and
# `.cargo/config.toml` can't name folders that differ from machine to machine, so the prefixes are
# replaced here. The build has a target folder of its own: other flags would build everything anew.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cd "$root"
built=${CARGO_TARGET_DIR:-$root/target}/package
cargo_home=${CARGO_HOME:-$HOME/.cargo}
toolchain=$(rustc --print sysroot)

# The last prefix that fits is the one that counts: inner folders stand behind outer ones.
folders=("$HOME=/builder" "$toolchain=/rust" "$cargo_home=/cargo" "$root=/mediactl" "$built=/mediactl/target")
flags=
prefixes=
for folder in "${folders[@]}"; do
    flags+="${flags:+$'\x1f'}--remap-path-prefix=$folder"
    prefixes+=" -ffile-prefix-map=$folder"
done
# The unwinder becomes part of the binary: a start then loads one library less, and needs none but the C library.
# A target with musl brings its own, and that of gcc does not link there.
unwinder=$(cc -print-file-name=libgcc_eh.a)
if [[ -f $unwinder && $* != *-musl* ]]; then
    flags+=$'\x1f'-Lnative=$(dirname "$unwinder")$'\x1f'-lstatic:-bundle=gcc_eh
fi
export CARGO_ENCODED_RUSTFLAGS=$flags
# What is written in C is built by its own compiler.
export CFLAGS="${CFLAGS:-}$prefixes"

cargo build --profile dist --locked --target-dir "$built" "$@"

[[ ${1:-} == --target ]] && built+=/$2
binary=$built/dist/mediactl
[[ -f $binary ]] || exit 0
for folder in "${folders[@]}"; do
    if found=$(grep -aoF -m 1 -- "${folder%=*}/" "$binary" | head -n 1) && [[ -n $found ]]; then
        printf 'error: `%s` holds the path `%s` of this machine\n' "$binary" "$found" >&2
        exit 1
    fi
done
printf '%s\n' "$binary"
