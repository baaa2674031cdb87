#!/usr/bin/env python3
"""Runs two builds of the program side by side: the same command lines on copies of the same files.

    tests/side_by_side/compare.py OLD NEW [--every N] [--show N]

The files are the fixtures, the examples and, where it is there, ../shared. Each command of commands.txt runs on a file, and
again over the socket of a server; raw requests run over HTTP. What is compared: exit code, standard output, the words of
refusals, and the bytes of the file. Masks, times, identifiers, ports and folders are made equal first. It goes when the
program is small; until then each difference is meant, or it is a fault.
"""
import argparse, base64, collections, concurrent.futures, glob, os, re, shlex, shutil, socket, subprocess, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
NORMAL = [
    (re.compile(rb"<secret:[^>]*>"), b"<secret>"),
    (re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)"), b"TIME"),
    (re.compile(rb"127\.0\.0\.1:\d+"), b"ADDRESS"),
    (re.compile(rb"process \d+"), b"process N"),
    (re.compile(rb"\b\d+(ms|s) ago"), b"N ago"),
    (re.compile(rb"/tmp/side-[a-z0-9_]+/[a-z]+"), b"FOLDER"),
    (re.compile(rb'"(id|pid|uptime_s|elapsed_ms|since|time|at|fetched|started)": ?("[^"]*"|[\d.]+)'), rb'"\1": X'),
    (re.compile(rb"Mediactl-Api: [12][^\r]*"), b"Mediactl-Api"),
    (re.compile(rb"mediactl[ /]0\.[12]\.0"), b"mediactl V"),
    (re.compile(rb"(?i)\r\n(date|content-length|etag|x-request-id|last-modified|server):[^\r]*"), b""),
]
REQUESTS = [
    ("GET", "read_config", "", {}, b""),
    ("GET", "read_config?secrets=masked", "", {}, b""),
    ("GET", "read_config?skip_streams=true", "", {}, b""),
    ("GET", "read_config?path=streams.cam1", "", {}, b""),
    ("GET", "read_config?format=text", "", {}, b""),
    ("POST", "modify_config", "application/json", {}, b'{"rtmp":1937}'),
    ("POST", "modify_config?dry_run=true", "application/json", {}, b'{"rtmp":1938}'),
    ("POST", "modify_config", "application/json", {}, b'{"streams":{"cam1":{"prepsh":5}}}'),
    ("POST", "modify_config", "application/json", {}, b'{"streams":{"cam1":{"prepush":5}'),
    ("POST", "modify_config", "application/x-www-form-urlencoded", {}, b"a=b"),
    ("POST", "modify_config", "text/plain", {}, b"rtmp 1935;"),
    ("POST", "modify_config", "application/json", {"If-Match": '"nothing"'}, b'{"rtmp":1}'),
    ("POST", "check_config", "text/plain", {}, b"rtmp 99999;\nstream a {"),
    ("GET", "history", "", {}, b""),
    ("GET", "blame?path=rtmp", "", {}, b""),
    ("GET", "diff?from=1", "", {}, b""),
    ("POST", "update_config", "text/plain", {}, b"edit_auth admin not-a-real-password;\nrtmp 1;\n"),
    ("GET", "status", "", {}, b""),
    ("POST", "save_config", "text/plain", {}, b"edit_auth admin not-a-real-password;\nrtmp 2;\n"),
    ("POST", "save_config", "text/plain", {}, b'{"rtmp":1}'),
    ("POST", "rollback_config", "application/json", {}, b"{}"),
    ("GET", "nothing", "", {}, b""),
    ("DELETE", "read_config", "", {}, b""),
]


def texts():
    patterns = ["tests/fixtures/*/*/in.conf", "tests/fixtures/*/*.conf", "examples/**/*.conf", "../shared/corpus/*.conf",
                "../shared/cases/*/*/in.conf", "../shared/cases-next/*/*/in.conf"]
    return [path for pattern in patterns for path in sorted(glob.glob(os.path.join(ROOT, pattern), recursive=True))]


def commands():
    with open(os.path.join(HERE, "commands.txt")) as lines:
        return [shlex.split(line) for line in lines if line.strip() and not line.startswith("#")]


def normal(text):
    for pattern, instead in NORMAL:
        text = pattern.sub(instead, text)
    return text


class Side:
    """One program in a folder of its own, with a copy of the text."""

    def __init__(self, program, folder, source):
        self.program, self.folder = program, folder
        os.makedirs(folder)
        self.conf = os.path.join(folder, "media.conf")
        shutil.copy(source, self.conf)
        shutil.copy(source, os.path.join(folder, "text"))
        os.chmod(self.conf, 0o600)
        patch = os.path.join(os.path.dirname(source), "patch.json")
        self.patch = os.path.join(folder, "patch.json")
        if os.path.exists(patch):
            shutil.copy(patch, self.patch)
        else:
            with open(self.patch, "w") as file:
                file.write('{"loglevel":"info"}')
        self.environment = {"PATH": os.environ["PATH"], "HOME": folder, "MEDIACTL_CONF": self.conf, "LANG": "C.UTF-8",
                            "XDG_STATE_HOME": folder, "TZ": "UTC"}
        self.server = None

    def run(self, words):
        words = [self.patch if word == "PATCH" else os.path.join(self.folder, "text") if word == "TEXT" else word
                 for word in words]
        done = subprocess.run([self.program, *words], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=120)
        with open(self.conf, "rb") as file:
            return done.returncode, normal(done.stdout), file.read(), normal(done.stderr)

    def serve(self):
        self.server = subprocess.Popen([self.program, "serve", "--listen", "127.0.0.1:0"], cwd=self.folder,
                                       env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL)
        for line in self.server.stdout:
            found = re.search(rb"http://127\.0\.0\.1:(\d+)", line)
            if found:
                self.port = int(found[1])
                return True
        return False

    def ask(self, method, path, form, headers, body):
        login = base64.b64encode(b"admin:not-a-real-password").decode()
        head = [f"{method} /media/api/{path} HTTP/1.1", "Host: localhost", f"Authorization: Basic {login}",
                "Connection: close", f"Content-Length: {len(body)}"]
        head += [f"Content-Type: {form}"] if form else []
        head += [f"{name}: {value}" for name, value in headers.items()]
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as link:
            link.sendall("\r\n".join(head).encode() + b"\r\n\r\n" + body)
            answer = b""
            while part := link.recv(65536):
                answer += part
        with open(self.conf, "rb") as file:
            return normal(answer), file.read()

    def stop(self):
        if self.server:
            self.server.kill()
            self.server.wait()
            self.server.stdout.close()


def differences(programs, source, mode):
    """Yields (command, what differs, before, after)."""
    with tempfile.TemporaryDirectory(prefix="side-") as folder:
        sides = [Side(program, os.path.join(folder, name), source) for program, name in zip(programs, ("old", "new"))]
        try:
            if mode != "file" and [side.serve() for side in sides] != [True, True]:
                return
            if mode == "http":
                for request in REQUESTS:
                    old, new = (side.ask(*request) for side in sides)
                    for what, before, after in zip(("answer", "bytes"), old, new):
                        if before != after:
                            yield " ".join(request[:2]), what, before, after
                return
            for words in commands():
                old, new = (side.run(words) for side in sides)
                for what, before, after in zip(("exit code", "output", "bytes", "messages"), old, new):
                    if before != after:
                        yield " ".join(words), what, before, after
                if old[2] != new[2]:
                    shutil.copy(sides[0].conf, sides[1].conf)
        finally:
            for side in sides:
                side.stop()


def main():
    options = argparse.ArgumentParser()
    options.add_argument("programs", nargs=2)
    options.add_argument("--every", type=int, default=1, help="take each Nth text")
    options.add_argument("--show", type=int, default=1, help="examples of each kind of difference")
    options = options.parse_args()
    programs = [os.path.abspath(program) for program in options.programs]
    work = [(source, "file") for source in texts()[:: options.every]]
    work += [(source, mode) for source in texts()[:: options.every * 10] for mode in ("socket", "http")]
    work += [(os.path.join(ROOT, "examples/media.conf"), mode) for mode in ("file", "socket", "http")]
    kinds, count = collections.defaultdict(list), 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = {pool.submit(lambda item: list(differences(programs, *item)), item): item for item in work}
        for job in concurrent.futures.as_completed(jobs):
            source, mode = jobs[job]
            count += 1
            for command, what, before, after in job.result():
                kinds[mode, command, what].append((os.path.relpath(source, ROOT), before, after))
    for (mode, command, what), found in sorted(kinds.items()):
        print(f"== {mode}: `{command}`: {what} differs, {len(found)} times")
        for source, before, after in found[: options.show]:
            print(f"   {source}\n   before: {before!r}\n   after:  {after!r}"[:3000])
    print(f"{count} runs over {len(texts())} texts, {len(commands())} command lines: {sum(map(len, kinds.values()))} "
          f"differences of {len(kinds)} kinds")
    raise SystemExit(1 if kinds else 0)


main()
