#!/usr/bin/env bash
# Puts many requests, right and wrong ones, to a server over a copy of the example, and holds its
# answers against the description that it gives of itself. Needs Python 3; schemathesis is installed
# into a temporary folder if it is not there:
#
#     bash tests/schemathesis.sh [EXAMPLES [OPTION...]]
#
# EXAMPLES is how many requests are made up for each operation; options are those of `schemathesis
# run`. `MEDIACTL` names a program that is built already. The exit code is that of schemathesis.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

exec </dev/null
# What is set on somebody's machine is not part of the checkout.
unset MEDIACTL_CONF MEDIACTL_URL MEDIACTL_CHECK_CMD MEDIACTL_RELOAD_CMD

examples=${1:-20}
shift || true
checks=not_a_server_error,status_code_conformance,content_type_conformance
checks+=,response_schema_conformance,response_headers_conformance,allow_header_conformance
checks+=,unsupported_method,ignored_auth

folder=$(mktemp -d)
server=
trap 'stop_server; rm -rf "$folder"' EXIT

heading() {
    printf '\n=== %s\n' "$*"
}

fail() {
    printf 'error: %s\n' "$1" >&2
    [[ $# -lt 2 ]] || printf 'hint: %s\n' "$2" >&2
    exit 1
}

stop_server() {
    [[ -n $server ]] || return 0
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
    server=
}

# The program to try; built if nobody names one.
program() {
    if [[ -n ${MEDIACTL:-} ]]; then
        realpath "$MEDIACTL"
    else
        cargo build --quiet >&2
        realpath "${CARGO_TARGET_DIR:-target}/debug/mediactl"
    fi
}

# schemathesis, from a virtual environment where it is not installed.
find_schemathesis() {
    command -v schemathesis && return
    command -v python3 >/dev/null || fail 'python3 is not installed'
    python3 -m venv "$folder/venv" >&2 || fail 'python3 can make no virtual environment'
    "$folder/venv/bin/pip" install --quiet 'schemathesis>=4' >&2 || fail 'schemathesis can not be installed'
    printf '%s\n' "$folder/venv/bin/schemathesis"
}

# The login or the password of the example.
account() {
    "$MEDIACTL" --conf examples/media.conf --show-secrets read --raw "edit_auth.$1"
}

# Starts the server. Whatever is sent to it, it keeps the account: else the first request that
# changes it would be the last one that says something.
start_server() {
    cp examples/media.conf "$folder/media.conf"
    local read='"$MEDIACTL" --conf "$MEDIACTL_TEXT" --show-secrets read --raw'
    local check="test \"\$($read edit_auth.login):\$($read edit_auth.password)\" = \"\$ACCOUNT\""
    "$MEDIACTL" --conf "$folder/media.conf" serve --listen 127.0.0.1:0 --check-cmd "$check" \
        >"$folder/stdout" 2>"$folder/log" &
    server=$!
}

# Where the server listens; it says so when it does.
address() {
    local tries address
    for ((tries = 0; tries < 100; tries++)); do
        address=$(sed -n 's/^listening on \(http:.*\)/\1/p' "$folder/stdout")
        [[ -z $address ]] || { printf '%s\n' "$address"; return; }
        sleep 0.1
    done
    cat "$folder/log" >&2
    fail 'the server does not start'
}

# The description for the generator of requests. As it stands, hardly a request gets far: a made up
# `If-Match` names no configuration, and a made up text is none, or has another account. What is said
# of answers stays as it is.
narrowed() {
    python3 /dev/fd/3 "$ACCOUNT" 3<<'END'
import json, re, sys

login, password = sys.argv[1].split(":", 1)
word = '[a-z0-9=:/."]{1,9}'
entry = f"[a-z_]{{1,9}}( {word}){{0,3}};"
block = f"(stream|ondemand|live|plugin|http) {word} \\{{ ({entry} ?){{0,3}}\\}}"
known = "(http|rtmp) [0-9]{1,5};|auth .{1,9};|(url|prepush|transcoder|root|include) [!-~]{0,9};"
account = f"edit_auth {re.escape(login)} {re.escape(password)};"
text = f"^{account}\n(({known}|{entry}|{block}|# [ -~]{{0,9}})\r?\n){{0,9}}$"

document = json.load(sys.stdin)
patch = document["components"]["schemas"]["Patch"]["properties"]
patch["edit_auth"] = {"const": {"login": login, "password": password}}
for path in document["paths"].values():
    for operation in path.values():
        for parameter in operation["parameters"]:
            if parameter["name"] == "If-Match":
                parameter["schema"] = {"enum": ["*", '"0"']}
        for media_type, media in operation.get("requestBody", {}).get("content", {}).items():
            if media_type.startswith("text/plain"):
                media["schema"] = {"type": "string", "pattern": text}
json.dump(document, sys.stdout)
END
}

heading 'tools'
MEDIACTL=$(program)
schemathesis=$(find_schemathesis)
"$MEDIACTL" --version
"$schemathesis" --version

heading 'the server'
ACCOUNT=$(account login):$(account password)
export MEDIACTL ACCOUNT
start_server
url=$(address)
printf '%s\n' "$url"

curl --silent --fail --user "$ACCOUNT" "$url/openapi.json" | narrowed >"$folder/openapi.json"

heading "$examples examples an operation"
status=0
(
    cd "$folder"
    "$schemathesis" run openapi.json --url "$url" --auth "$ACCOUNT" --checks "$checks" \
        --max-examples "$examples" --generation-database none --request-timeout 60 \
        --suppress-health-check all "$@"
) || status=$?

heading 'the answers of the server'
# The line of a request: time, peer, login, method, path, status.
awk '$6 ~ /^[0-9]+$/ { count[$4 " " $6]++ } END { for (key in count) print count[key], key }' "$folder/log" |
    sort -k2
kill -0 "$server" 2>/dev/null || fail 'the server ended'
exit "$status"
