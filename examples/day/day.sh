#!/bin/sh
# A day of work with mediactl, from an empty machine to metrics. Each step says what has to be true after it.
#
#     mkdir day && cd day && HOME=$PWD sh ../examples/day/day.sh
#
# Needs mediactl, git and curl. Everything is made in this folder and below HOME.
set -eu

step() {
    printf '\n# %s\n' "$1"
}

# Fails unless the two are equal.
is() {
    [ "$1" = "$2" ] && return
    echo "expected \`$2\`, found \`$1\`" >&2
    exit 1
}

# Runs a command, and shows the exit code that it ends with.
code() {
    "$@" >&2 && echo 0 || echo $?
}

streams() {
    mediactl read -o table streams "$@" | tail -n +2 | wc -l
}

step 'morning: a first configuration, with an account for the API'
mediactl init media.conf > account
sed -n 's/^password //p' account > password
chmod 600 account password
export MEDIACTL_CONF=media.conf
mediactl check

step 'fifty cameras, as one change'
for n in $(seq 50); do
    printf 'stream cam%s {\n  url udp://239.0.0.%s:1234;\n}\n' "$n" "$n"
done > cameras.conf
mediactl apply -q cameras.conf -m 'the cameras of building A'
is "$(streams)" 50

step 'an edit with a fault is refused; what was written is kept'
cp media.conf before.conf
is "$(EDITOR='sed -i /^}/d' code mediactl edit --yes streams.cam7)" 3
cmp media.conf before.conf
EDITOR='sed -i "\$a}"' mediactl edit --yes --from "$HOME"/.local/state/mediactl/draft-*.conf
cmp media.conf before.conf

step 'a wrong edit is rolled back'
EDITOR='sed -i s/239/238/' mediactl edit --yes streams.cam7
is "$(mediactl read -r 'streams.cam7.urls[0].url')" udp://238.0.0.7:1234
mediactl history -n 1
mediactl rollback last
cmp media.conf before.conf

step 'noon: a server, and a name for it'
mediactl serve --listen 127.0.0.1:0 > listening 2> access.log &
server=$!
trap 'kill $server' EXIT
until grep -qs http listening; do sleep 0.1; done
api=$(sed -n 's/^listening on \(http.*\)\/media\/api$/\1/p' listening)
mediactl context add studio --url "$api" --user admin --password-command "cat '$PWD/password'"
unset MEDIACTL_CONF
mediactl context use studio
mediactl context list
mediactl status

step 'a change of all streams that meet a condition'
is "$(streams --where 'urls.url~239.0.0.4')" 11
mediactl modify -q --where 'urls.url~239.0.0.4' --set 'streams.*.prepush=5' -m 'more buffer on the fourth floor'
is "$(streams --where prepush=5)" 11
mediactl explain streams.cam42.prepush | grep '^value'

step 'afternoon: a desired state from Git; the second time nothing changes'
git init --quiet site
printf 'stream cam1 {\n  title "Main gate";\n}\nstream cam51 {\n  url udp://239.0.0.51:1234;\n}\n' > site/state.conf
git -C site add state.conf
git -C site -c user.name=olga -c user.email=olga@example.com commit --quiet -m 'a name for the gate, and a camera'
reason=$(git -C site log -1 --format='git %h: %s')
is "$(code mediactl apply --exit-code -m "$reason" site/state.conf)" 10
is "$(code mediactl apply --exit-code -m "$reason" site/state.conf)" 0
is "$(streams)" 51

step 'evening: what happened'
mediactl history
is "$(mediactl history -o json | grep -c '"number"')" 6
curl --noproxy '*' --fail --silent --show-error --user "admin:$(cat password)" "$api/metrics" > figures
grep '^mediactl_changes_total{operation="modify",result="changed"}' figures
is "$(sed -n 's/^mediactl_changes_total{operation="modify",result="changed"} //p' figures)" 2
is "$(sed -n 's/^mediactl_changes_total{operation="modify",result="unchanged"} //p' figures)" 1
echo done
