// warcio_check.mjs - warcio.js reads the records that crawlfs serve sends.
// SPDX-License-Identifier: GPL-3.0-or-later
//
//     node warcio_check.mjs URL MANIFEST BASE
//
// It is copied to where npm has installed warcio.
import fs from "node:fs";
import { WARCParser } from "warcio";

const [url, manifest, base] = process.argv.slice(2);
let n = 0;
for (const line of fs.readFileSync(manifest, "latin1").split("\n")) {
  if (!line || line.startsWith("#"))
    continue;
  const [target, kind, , , archive, offset] = line.split("\t");
  const name = archive.slice(base.length + 1).split("/")
    .map(encodeURIComponent).join("/");
  const answer = await fetch(`${url}records/${name}/${offset}`);
  if (answer.status !== 200)
    throw new Error(`status ${answer.status} for ${name}/${offset}`);
  let records = 0;
  for await (const record of new WARCParser(answer.body)) {
    await record.readFully(false);
    if (record.warcTargetURI !== target || record.warcType !== kind)
      throw new Error(`${record.warcType} of ${record.warcTargetURI}, ` +
                      `not ${kind} of ${target}`);
    records++;
  }
  if (records !== 1)
    throw new Error(`${records} records at ${name}/${offset}`);
  n++;
}
if (n < 20)
  throw new Error(`only ${n} records`);
console.log(`${n} records`);
