"""verify_peers.py - what checkers of archives say of the same files.

    verify_peers.py CRAWLFS PYTHON JHOVE FOLDER...

PYTHON has warcio; JHOVE is a folder with the jars of jhove-apps and
jhove-ext-modules of Maven, which contain JWAT.  Prints a row for each archive:
whether `crawlfs verify --strict`, `warcio check` and JHOVE's WARC-kb (a
compressed archive: after gzip -d) find anything.  doc/performance.md has the
table.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import glob
import gzip
import os
import re
import subprocess
import sys
import tempfile

CONF = """<?xml version="1.0"?>
<jhoveConfig version="1.0" \
xmlns="http://hul.harvard.edu/ois/xml/ns/jhove/jhoveConfig">
<jhoveHome>.</jhoveHome><defaultEncoding>utf-8</defaultEncoding>
<tempDirectory>/tmp</tempDirectory><bufferSize>131072</bufferSize>
<mixVersion>1.0</mixVersion><sigBytes>1024</sigBytes>
<module><class>edu.harvard.hul.ois.jhove.module.WarcModule</class></module>
</jhoveConfig>
"""


def run(*command):
    p = subprocess.run(command, capture_output=True, check=False)
    return p.returncode, (p.stdout + p.stderr).decode(errors="replace")


def main(crawlfs, python, jhove, *folders):
    path = ":".join(glob.glob(jhove + "/*.jar"))
    with tempfile.TemporaryDirectory() as tmp:
        conf = tmp + "/conf"
        with open(conf, "w") as f:
            f.write(CONF)
        for name in sorted(n for d in folders for n in glob.glob(d + "/*")):
            plain = tmp + "/a.warc"
            with open(name, "rb") as f, open(plain, "wb") as out:
                data = f.read()
                out.write(gzip.decompress(data) if data[:2] == b"\x1f\x8b"
                          else data)
            own = run(crawlfs, "verify", "-q", "--strict", name)[0]
            warcio = run(python, "-c", "import sys; from warcio.cli import "
                         "main; main(['check', sys.argv[1]])", name)[0]
            text = run("java", "-cp", path, "edu.harvard.hul.ois.jhove.Jhove",
                       "-c", conf, "-m", "WARC-kb", plain)[1]
            status = re.search(r"Status: (.*)", text)
            print(os.path.basename(name), own, warcio,
                  status.group(1) if status else "?", sep="\t", flush=True)


main(*sys.argv[1:])
