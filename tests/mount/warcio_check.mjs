// warcio_check.mjs - reads a WARC file with the npm package warcio:
// prints "type uri bytes-of-payload digest-of-payload" of every record.
//
//     node warcio_check.mjs FOLDER-OF-NODE_MODULES FILE
// SPDX-License-Identifier: GPL-3.0-or-later
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createRequire } from "node:module";

const [folder, file] = process.argv.slice(2);
const { WARCParser } = createRequire(folder + "/")("warcio");

for await (const record of new WARCParser(createReadStream(file))) {
	const hash = createHash("sha1");
	let n = 0;
	for await (const chunk of record) {
		hash.update(chunk);
		n += chunk.length;
	}
	console.log(record.warcType, record.warcTargetURI, n, hash.digest("hex"));
}
