# What is done often; `just` alone lists it.

[private]
default:
    @just --list

# Builds the program.
build:
    cargo build

# Runs the tests; FILTER picks some of them.
test *FILTER:
    cargo test --quiet {{FILTER}}

# Runs the proofs, which kill writers and make calls of the system fail.
proof:
    cargo test --release --test suite -- --ignored

# Runs everything that has to hold before a change is merged.
ci:
    bash .ci/run

# Writes the manual pages, the completions and the output in the README and in docs/.
bless:
    cargo xtask generate
    MEDIACTL_BLESS=1 cargo test --quiet --test suite readme

# Measures; NAME is whole, serve, attack or cluster.
bench NAME="whole":
    cargo bench --bench {{NAME}}

# Fuzzes TARGET (parse, format, patch, head or set_path); needs cargo-fuzz.
fuzz TARGET SECONDS="300":
    bash fuzz/run.sh {{TARGET}} {{SECONDS}}

# Builds the documentation of the code.
docs:
    cargo doc --no-deps --document-private-items

# Builds the Debian package and the static binary, and tries them.
package:
    packaging/packages.sh
