#!/usr/bin/env bash
# Builds the packages, and tries each of them in an empty folder:
#
#     packaging/packages.sh
#
#   mediactl_VERSION_ARCH.deb         for Debian and Ubuntu; needs cargo-deb (`cargo install cargo-deb --locked`)
#   mediactl-VERSION-ARCH.tar.gz      a static binary for any Linux; needs `musl-gcc` (Debian: musl-tools) and
#                                     `rustup target add` of the target
#
# Their paths are printed at the end. What can't be built or tried on this machine is said in a line `SKIPPED: …`. Needs
# no root: nothing is installed into this system. If `PACKAGE_BINARY` names a binary, nothing is compiled: the Debian
# package with that binary is made and tried, and no other.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cd "$root"
built=${CARGO_TARGET_DIR:-$root/target}/${PACKAGE_BINARY:+trial-}package
out=$built/out
host=$(rustc --version --verbose | sed -n 's/^host: //p')
musl=$(uname -m)-unknown-linux-musl
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
trial=$(mktemp -d)
trap 'rm -rf "$trial"' EXIT
made=()

fail() {
    printf 'error: %s\n' "$1" >&2
    exit 1
}

skipped() {
    printf 'SKIPPED: %s\n' "$1"
}

# Changes a configuration with an installed binary, and shows an installed manual page and completion.
try_installed() {
    local binary=$1 page=$2 completion=$3
    [[ $("$binary" --version) == "mediactl $version" ]] || fail "$binary has another version"
    cp examples/media.conf "$trial/media.conf"
    "$binary" --conf "$trial/media.conf" modify -q --set streams.cam1.prepush=2
    grep -q '^  prepush 2;$' "$trial/media.conf" || fail "$binary did not make a change"
    (PATH=${binary%/*}:$PATH && mediactl completion bash) | diff - "$completion" || fail "$completion is not that of $binary"
    if command -v man >/dev/null; then
        MANPAGER=cat MANWIDTH=80 man -l "$page" | grep -q '^NAME' || fail "$page is no manual page"
    else
        skipped "man is not installed: $page was not shown"
    fi
}

build_deb() {
    CARGO_TARGET_DIR=$built cargo deb --quiet --no-build --profile dist --target "$host" --output "$out"
    deb=$(ls -t "$out"/*.deb | head -n 1)
}

# What a package holds, without folders.
files_of() {
    dpkg-deb --fsys-tarfile "$1" | tar -tf - | sed -n 's,^\./\(.*[^/]\)$,\1,p' | sort
}

expected_files() {
    printf '%s\n' usr/bin/mediactl etc/default/mediactl usr/lib/sysusers.d/mediactl.conf \
        usr/lib/systemd/system/mediactl.service usr/share/bash-completion/completions/mediactl \
        usr/share/zsh/vendor-completions/_mediactl usr/share/fish/vendor_completions.d/mediactl.fish \
        usr/share/doc/mediactl/{copyright,changelog.Debian.gz,changelog.gz} \
        usr/share/doc/mediactl/examples/media.conf
    printf 'usr/share/doc/mediactl/%s\n' examples/cluster/*
    find examples/editors -type f -printf 'usr/share/doc/mediactl/%p\n'
    local page
    for page in man/*; do
        printf 'usr/share/%s/%s.gz\n' "man/man${page##*.}" "${page##*/}"
    done
}

try_deb() {
    local deb=$1 place=$trial/deb
    diff -u <(expected_files | sort) <(files_of "$deb") || fail "$deb does not hold the files that it should"
    if command -v lintian >/dev/null; then
        lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "$deb"
    else
        skipped 'lintian is not installed: the package was not searched for errors'
    fi
    mkdir -p "$place/var/lib/dpkg/"{info,updates,triggers} "$place/etc"
    touch "$place/var/lib/dpkg/status" "$place/etc/passwd" "$place/etc/group"
    # Its scripts run outside of the folder, with DPKG_ROOT: the folder holds no shell.
    PATH=$PATH:/usr/sbin:/sbin dpkg --root="$place" --log=/dev/null --force-not-root --force-depends \
        --force-script-chrootless --install "$deb"
    grep -q '^media:' "$place/etc/passwd" || fail 'the package makes no user media'
    dpkg --root="$place" --verify mediactl
    dpkg-query --admindir="$place/var/lib/dpkg" --show --showformat='${Conffiles}\n' mediactl |
        grep -q /etc/default/mediactl || fail '/etc/default/mediactl is no conffile'
    try_installed "$place/usr/bin/mediactl" "$place/usr/share/man/man1/mediactl.1.gz" \
        "$place/usr/share/bash-completion/completions/mediactl"
    PATH=$PATH:/usr/sbin:/sbin dpkg --root="$place" --log=/dev/null --force-not-root --force-script-chrootless \
        --purge mediactl
    [[ ! -e $place/usr/bin/mediactl && ! -e $place/etc/default/mediactl ]] || fail 'the package does not go'
}

# Builds the static binary, and packs it with its pages, so that it can be unpacked into /usr/local or ~/.local.
build_static() {
    local name=mediactl-$version-$(uname -m)
    local folder=$trial/$name
    mkdir -p "$folder/bin" "$folder/share/man/"man{1,5} "$folder/share/doc/mediactl" \
        "$folder/lib/systemd/system" "$folder/share/doc/mediactl/examples"
    strip -o "$folder/bin/mediactl" "$built/$musl/dist/mediactl"
    cp man/*.1 "$folder/share/man/man1/"
    cp man/*.5 "$folder/share/man/man5/"
    cp README.md CHANGELOG.md LICENSE-* "$folder/share/doc/mediactl/"
    cp -r examples/media.conf examples/cluster examples/editors "$folder/share/doc/mediactl/examples/"
    cp packaging/mediactl.service "$folder/lib/systemd/system/"
    install -D -m 644 completions/mediactl.bash "$folder/share/bash-completion/completions/mediactl"
    install -D -m 644 -t "$folder/share/zsh/site-functions" completions/_mediactl
    install -D -m 644 -t "$folder/share/fish/vendor_completions.d" completions/mediactl.fish
    static=$out/$name.tar.gz
    tar -C "$trial" --owner=0 --group=0 --sort=name -czf "$static" "$name"
}

try_static() {
    local place=$trial/static
    mkdir "$place"
    tar -xzf "$1" -C "$place" --strip-components=1
    ! readelf -d "$place/bin/mediactl" | grep -q NEEDED || fail 'the binary is not static'
    try_installed "$place/bin/mediactl" "$place/share/man/man1/mediactl.1" \
        "$place/share/bash-completion/completions/mediactl"
}

# Says why a package can't be built here.
can_build_deb() {
    if ! cargo deb --version >/dev/null 2>&1; then
        skipped 'cargo-deb is not installed: no package for Debian is built'
    elif ! command -v dpkg-deb >/dev/null; then
        skipped 'dpkg is not installed: no package for Debian is built'
    else
        return 0
    fi
    return 1
}

can_build_static() {
    if ! command -v musl-gcc >/dev/null; then
        skipped 'musl-gcc is not installed: no static binary is built'
    elif [[ ! -d $(rustc --print sysroot)/lib/rustlib/$musl/lib ]]; then
        skipped "the standard library for $musl is not installed (\`rustup target add $musl\`): no static binary is built"
    else
        return 0
    fi
    return 1
}

mkdir -p "$out"
targets=("$host")
if [[ ${PACKAGE_BINARY:-} ]]; then
    install -D -s "$PACKAGE_BINARY" "$built/$host/dist/mediactl"
else
    if can_build_static; then
        targets+=("$musl")
    fi
    packaging/build.sh "${targets[@]}"
fi

if can_build_deb; then
    build_deb
    try_deb "$deb"
    made+=("$deb")
fi
if [[ ${#targets[@]} == 2 ]]; then
    build_static
    try_static "$static"
    made+=("$static")
fi

printf '%s\n' "${made[@]}"
