# Sourced by what builds a binary that is given away: what is built afterwards holds no path of this machine.
# Needs `root`, the checkout, and `built`, the target folder.
#
# Each panic message holds the path of a source file, and so the folder of the checkout, of cargo and
# of the toolchain, with the name of whoever builds. Cargo's own `trim-paths` is not stable, and
# `.cargo/config.toml` can't name folders that differ from machine to machine, so the prefixes are
# replaced here.

# The last prefix that fits is the one that counts: inner folders stand behind outer ones.
folders=("$HOME=/builder" "$(rustc --print sysroot)=/rust" "${CARGO_HOME:-$HOME/.cargo}=/cargo" "$root=/mediactl"
    "$built=/mediactl/target")
# Flags from outside would stand beside these.
unset CARGO_ENCODED_RUSTFLAGS
for folder in "${folders[@]}"; do
    CARGO_ENCODED_RUSTFLAGS+=${CARGO_ENCODED_RUSTFLAGS:+$'\x1f'}--remap-path-prefix=$folder
    # What is written in C is built by its own compiler.
    CFLAGS+=" -ffile-prefix-map=$folder"
done
export CARGO_ENCODED_RUSTFLAGS CFLAGS

# Fails if a binary holds such a path after all.
holds_no_path() {
    local folder path
    for folder in "${folders[@]}"; do
        if grep -qaF -- "${folder%=*}/" "$1"; then
            printf 'error: `%s` holds the path `%s` of this machine\n' "$1" "${folder%=*}" >&2
            return 1
        fi
    done
    if path=$(grep -aoE -m 1 '(/root|/home/[^/]+|\.cargo)/' "$1"); then
        printf 'error: `%s` holds the path `%s` of another machine\n' "$1" "$path" >&2
        return 1
    fi
}
