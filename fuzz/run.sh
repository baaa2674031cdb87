#!/usr/bin/env bash
# Fuzzes one target for some time, from a corpus that is made of the fixtures:
#
#     bash fuzz/run.sh TARGET [SECONDS]
#
# TARGET is `parse`, `format`, `patch`, `head` or `set_path`; SECONDS is 300 if it is not given. Needs
# cargo-fuzz (`cargo install cargo-fuzz`) and a C++ compiler. What is found is in fuzz/artifacts;
# `cargo fuzz tmin TARGET FILE` makes it small, and a fixture of it keeps it from coming back.
set -euo pipefail

fail() {
    printf 'error: %s\n' "$1" >&2
    exit 1
}

target=${1:-}
seconds=${2:-300}
fuzz=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$fuzz")
shared=$(dirname "$root")/shared
corpus=$fuzz/corpus/$target

[[ -f $fuzz/fuzz_targets/$target.rs ]] || fail "usage: fuzz/run.sh parse|format|patch|head|set_path [SECONDS]"
[[ $seconds =~ ^[0-9]+$ ]] || fail "\`$seconds\` is no number of seconds"

# Seeds have numbers, so that a second run makes none twice.
seeds=0
seed() {
    seeds=$((seeds + 1))
    cat >"$corpus/seed-$seeds"
}

copy() {
    local file
    for file in "$@"; do
        [[ ! -f $file ]] || seed <"$file"
    done
}

# Each text of an edit or a refusal, a NUL, and its patch.
edits() {
    local patch folder
    for patch in "$root"/tests/fixtures/{edit,refuse}/*/patch.json "$shared"/cases/{edit,refuse}/*/patch.json; do
        folder=$(dirname "$patch")
        [[ ! -f $folder/in.conf ]] || seed < <(cat "$folder/in.conf"; printf '\0'; cat "$patch")
    done
}

# The heads of whole requests, and some that the tests have.
heads() {
    local file
    for file in "$root"/tests/fixtures/clients/*.http; do
        seed < <(awk '{ print } /^\r?$/ { exit }' "$file")
    done
    seed < <(printf 'GET http://b:80/a?b HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n')
    seed < <(printf '\r\nPOST * HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n')
    seed < <(printf 'POST / HTTP/1.1\r\nhost:a\r\ncontent-length: 12\r\nContent-Length:12 \r\nMediactl-Peer: x\r\n\r\n')
}

# The assignments that the tests of `edit/assign` and `query/path` spell out.
assignments() {
    local line
    while IFS= read -r line; do
        seed <<<"$line"
        seed < <(printf 'create\n%s\n' "$line")
    done < <(grep -ohE '\["[^]]*"\]|r#"[^#]*"#' "$root"/crates/mediaconf/src/{edit/assign_tests,query/path/tests}.rs |
        sed -E 's/^(\[|r#)"//; s/"[]#]$//; s/", "/\n/g; s/\\"/"/g')
    seed <<'LINES'
streams.a.urls[+]=udp://9
streams.a.urls[url="udp://1"].priority=2
string streams.b.title=a b
streams.*.prepush=3
streams.one.prepush=1
lives.pub.publish_enabled=false
http[+]=81
auth.extra.b=2
edit_auth.password=x
plugins.iptv
LINES
}

mkdir -p "$corpus"
dictionary=$fuzz/dictionaries/conf.dict
case $target in
parse | format)
    copy "$root"/tests/fixtures/{valid,invalid}/*.conf "$root"/tests/fixtures/{edit,view,refuse}/*/*.conf
    copy "$root"/examples/media.conf "$shared"/corpus/*.conf "$shared"/cases/*/*/*.conf
    length=4096
    ;;
patch)
    edits
    dictionary=$corpus.dict
    cat "$fuzz"/dictionaries/{conf,patch}.dict >"$dictionary"
    length=2048
    ;;
head)
    heads
    dictionary=$fuzz/dictionaries/head.dict
    length=2048
    ;;
set_path)
    assignments
    dictionary=$fuzz/dictionaries/path.dict
    length=512
    ;;
esac

cd "$root"
# Without the address sanitizer: the program has no unsafe code of its own, and runs twice as fast.
exec cargo fuzz run --sanitizer none "$target" -- -dict="$dictionary" -max_len="$length" -timeout=10 \
    -rss_limit_mb=1024 -max_total_time="$seconds" -print_final_stats=1
