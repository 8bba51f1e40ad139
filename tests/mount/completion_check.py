#!/usr/bin/env python3
"""completion_check.py - what bash, zsh and fish offer behind a command line.

    completion_check.py answers SHELL SOURCEFOLDER INDEX FOLDER
        what is offered for some lines; FOLDER is a SOURCE whose index is kept
    completion_check.py typed SHELL SOURCEFOLDER INDEX ODD
        lines as they are after a Tab, in a shell on a terminal; those with
        the pages of ODD, whose names must be quoted, are run, too

crawlfs is found by PATH.
SPDX-License-Identifier: GPL-3.0-or-later
"""
import os
import pty
import re
import select
import shlex
import signal
import subprocess
import sys

SCRIPTS = {"bash": "contrib/bash-completion/crawlfs",
           "zsh": "contrib/zsh-completion/_crawlfs",
           "fish": "contrib/fish-completion/crawlfs.fish"}
END = "-- end of answer --"

# What a shell does before it calls the script, and with what the script says;
# $1 is the script, the other arguments are lines: a blank between words.
DRIVERS = {
    # as readline cuts words, which is done by words_of()
    "bash": r'''
. "$1"; shift
compopt() { :; }
for line; do
    IFS=$'\t' read -r -d '' -a COMP_WORDS <<<"$line"$'\t.'
    unset 'COMP_WORDS[-1]'
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    for ((i = 0; i <= COMP_CWORD; i++)); do
        [[ ${COMP_WORDS[i]} != EMPTY ]] || COMP_WORDS[i]=
    done
    _crawlfs
    printf '%s\n' "${COMPREPLY[@]}" "''' + END + r'''"
done''',
    # the builtins and functions of zsh's completion that are used
    "zsh": r'''
script=$1; shift
compset() { KEPT=${PREFIX%"${PREFIX#${~2}}"}; [[ $2 == '*/' ]] && KEPT=${PREFIX%"${PREFIX##*/}"}; PREFIX=${PREFIX#"$KEPT"} }
compadd() { local -a all; all=(${(P)@[-1]}); print -rl -- "$KEPT"${^all} }
_describe() { local w; for w in ${(P)2}; do
    w=${w//\\:/$'\1'}; w=${w%%:*}; print -r -- "$KEPT${w//$'\1'/:}"; done }
_files() { local -a all
    if [[ $1 == -/ ]]; then all=($PREFIX*(N/)); else all=($PREFIX*(N)); fi
    print -rl -- "$KEPT"${^all} }
for line; do
    words=(${(s: :)line}); [[ $line == *' ' ]] && words+=('')
    CURRENT=$#words PREFIX=$words[-1] KEPT=
    . $script | while read -r w; do [[ $w == "$PREFIX"* ]] && print -r -- $w; done
    print -r -- "''' + END + r'''"
done''',
    "fish": r'''
source $argv[1]
for line in $argv[2..-1]
    complete -C "$line" | string split -f1 \t
    echo "''' + END + r'''"
end''',
}


def words_of(line):
    """What bash takes for words: `=` and `:` end them, and are words."""
    words = re.findall(r"[=:]+|[^=:\s]+", line)
    return words + ["EMPTY"] if line.endswith((" ", "=", ":")) and \
        not line.endswith(("=", ":")) else words


def offered(shell, folder, lines):
    """The set of what is offered, for each line."""
    script = os.path.join(folder, SCRIPTS[shell])
    args = ["\t".join(words_of(x)) for x in lines] if shell == "bash" else lines
    cmd = {"bash": ["bash", "--norc", "-c", DRIVERS[shell], "bash"],
           "zsh": ["zsh", "-f", "-c", DRIVERS[shell], "zsh"],
           "fish": ["fish", "-N", "-c", DRIVERS[shell]]}[shell]
    p = subprocess.run(cmd + [script] + args, stdout=subprocess.PIPE,
                       check=True, stdin=subprocess.DEVNULL)
    answers = p.stdout.decode("utf-8", "replace").split(END + "\n")[:-1]
    if len(answers) != len(lines):
        sys.exit("%s: %d answers to %d lines" % (shell, len(answers),
                                                 len(lines)))
    return [set(a.split("\n")) - {""} for a in answers]


# ---- answers --------------------------------------------------------------

def whole(shell, line, words):
    """Words as that shell names them: bash the part behind `=` and `:`."""
    last = line.split(" ")[-1]
    cut = max(last.rfind("="), last.rfind(":")) + 1
    return {w[cut:] if shell == "bash" else w for w in words}


def answers(shell, folder, index, source):
    root = set(os.popen("crawlfs ls %s /" % shlex.quote(index)).read().split("\n"))
    com = set(os.popen("crawlfs ls %s /com" % shlex.quote(index)).read().split("\n"))
    root, com = root - {""}, {"com/" + n for n in com - {""}}
    if len(root) < 3 or not com:
        sys.exit("too little in %s" % index)
    here = os.path.dirname(index) + "/"
    want = [("mount --size=e", {"--size=exact"}),
            ("mount --size ", {"exact", "lazy"}),
            ("mount -o xattr,cache_s", {"xattr,cache_size="}),
            ("mount -o xattr,size=l", {"xattr,size=lazy"}),
            ("mount -o allow_r", {"allow_root"}),
            ("ls --views=raw:me", {"--views=raw:meta", "--views=raw:metadata"}),
            ("cache ", {"info", "verify", "clear"}),
            ("cache verify ", set()),
            ("help umo", {"umount"}),
            ("cat --vi", {"--view="}),
            ("export --fields=url,hea", {"--fields=url,headers"}),
            ("export --language=de", {"--language=deu"}),
            ("lookup --language=any:fra,sp", {"--language=any:fra,spa"}),
            ("mount -o xattr,language=is", {"xattr,language=isl"}),
            ("export --mime=text/ht", {"--mime=text/html"}),
            ("ls --mime=pdf,image/sv", {"--mime=pdf,image/svg+xml"}),
            ("mount -o xattr,mime=pdf:im", {
                "xattr,mime=pdf:image/" + w
                for w in ("jpeg", "png", "gif", "svg+xml", "webp", "*")}),
            ("export --status 5", {"500", "503", "5xx"}),
            ("grep --color=a", {"--color=auto", "--color=always"}),
            ("export --format=p", {"--format=parquet"}),
            ("ls --request-payer=", {"--request-payer=requester"}),
            ("mount CC-MAIN-2023", {"CC-MAIN-2023-" + w for w in
                                    ("06", "14", "23", "40", "50")}),
            ("version ", set()),
            ("ls " + index[:-1], {index}),
            ("ls --cache=%scra" % here, {"--cache=%scrawl" % here}),
            ("ls %s o" % index, {"org/"}),
            ("cat %s com/" % index, com),
            ("check %s /com/exa" % index, {"/com/example/"}),
            ("path %s c" % index, set()),
            ("ls https://127.0.0.1:9/x.cfx c", set()),
            ("ls %s c" % source, {n for n in root if n.startswith("c")}),
            ("ls %s/.. c" % source, set())]
    want += [(line % index, root) for line in (
        "ls %s ", "copy -o x.warc.gz %s ", "copy %s -o x.warc.gz ",
        "copy -p 3 --output=x.warc.gz %s ", "ls --data=/tmp %s ",
        "ls --data /tmp %s ", "cat --base=http://h:80/ %s ", "ls -- %s ",
        "lookup -- %s com ")]
    got = offered(shell, folder, ["crawlfs " + line for line, _ in want])
    bad = 0
    for (line, words), have in zip(want, got):
        if shell == "bash":
            have = {re.sub(r"\\(.)", r"\1", h) for h in have}
        if line.startswith("ls --cache="):
            have = {h.rstrip("/") for h in have}
        if have != whole(shell, line, words):
            print("%s: crawlfs %s\n    %s, not %s" % (
                shell, line, sorted(have), sorted(words)))
            bad += 1
    sys.exit(bad > 0)


# ---- on a terminal --------------------------------------------------------

STARTS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"],
             ". %s; bind 'set bell-style none'; "
             "show() { echo \"LINE<$READLINE_LINE>\"; }; "
             "bind -x '\"\\C-x\": show'\n"),
    "zsh": (["zsh", "-f", "-i"],
            "unsetopt zle_bracketed_paste; fpath=(${:-%s}(:h) $fpath); "
            "autoload -Uz compinit && "
            "compinit -D -u; show() { print -r -- \"LINE<$BUFFER>\" }; "
            "zle -N show; bindkey '^X' show; setopt no_beep\n"),
    "fish": (["fish", "-N", "-i"],
             "source %s; function fish_prompt; end; "
             "bind \\cx 'echo \"LINE<\"(commandline)\">\"'\n"),
}


class Terminal:
    def __init__(self, shell, script):
        argv, setup = STARTS[shell]
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="dumb" if shell != "fish" else "xterm",
                              PS1="> ")
            os.execvp(argv[0], argv)
        self.seen = b""
        self.send(setup % script + "echo rea''dy\n")
        self.until(rb"ready")

    def send(self, text):
        os.write(self.fd, text.encode())

    def until(self, pattern):
        """Reads until it comes; the test as a whole has a time limit."""
        while True:
            m = re.search(pattern, self.seen, re.S)
            if m:
                self.seen = self.seen[m.end():]
                return m
            if not select.select([self.fd], [], [], 60)[0]:
                sys.exit("waiting for %r: %r" % (pattern, self.seen[-500:]))
            self.seen += os.read(self.fd, 65536)

    def line_after(self, text):
        """The line after a Tab; an empty line is left behind."""
        self.send(text + "\t\x18")
        got = self.until(rb"LINE<(.*?)>").group(1).decode()
        self.send("\x15")
        return got

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def quoted(shell, term, index):
    """Lines that Tab has completed, run by that shell: each page of that index
    begins with a letter of its own."""
    listed = subprocess.run(["crawlfs", "ls", "-R", "--views=raw", index],
                            stdout=subprocess.PIPE, check=True).stdout.decode()
    paths = [p for p in listed.split("\n") if p and not p.endswith("/")]
    if len(paths) < 5:
        sys.exit("only %d pages" % len(paths))
    for path in paths:
        begin = path[:path.rindex("_/") + 3]
        line = term.line_after("crawlfs url %s %s" % (index, begin))
        want = subprocess.run(["crawlfs", "url", index, path],
                              stdout=subprocess.PIPE, check=True).stdout
        got = subprocess.run([shell, "-c", line], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, check=False).stdout
        if got != want:
            print("%s: %r: %r, not %r" % (shell, line, got, want))
            return 1
    return 0


def typed(shell, folder, index, odd):
    term = Terminal(shell, os.path.join(folder, SCRIPTS[shell]))
    bad = 0
    for line, want in (
            ("crawlfs mo", "crawlfs mount "),
            ("crawlfs mount --size=e", "crawlfs mount --size=exact "),
            ("crawlfs mount --ti", "crawlfs mount --timeout="),
            ("crawlfs mount -o xattr,cache_s", "crawlfs mount -o xattr,cache_size="),
            ("crawlfs ls %s com/berh" % index,
             "crawlfs ls %s com/berhoertatofor/" % index),
            ("crawlfs ls %s com/%%" % index,
             "crawlfs ls %s com/%%20example/" % index)):
        got = term.line_after(line)
        if got != want:
            print("%s: %r becomes %r, not %r" % (shell, line, got, want))
            bad += 1
    bad += quoted(shell, term, odd)
    term.close()
    sys.exit(bad > 0)


if __name__ == "__main__":
    {"answers": answers, "typed": typed}[sys.argv[1]](*sys.argv[2:])
