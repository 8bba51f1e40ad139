// parquet_tool.mjs - writes and reads Parquet with the npm packages
// hyparquet-writer, hyparquet and hyparquet-compressors.
//
//     node parquet_tool.mjs FOLDER make ROWS.jsonl OUT.parquet [CODEC [ROWS]]
//     node parquet_tool.mjs FOLDER rows FILE.parquet [KEY=VALUE...]
//
// FOLDER has the packages in node_modules.  make takes the types of columns
// from the values; ROWS are in a row group.  rows prints JSON lines, times and
// bytes as crawlfs shows them in .meta, with a member for each KEY=VALUE (a
// column that stands in the path).
// SPDX-License-Identifier: GPL-3.0-or-later
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";

const [folder, what, file, ...more] = process.argv.slice(2);
const load = (name) => import(createRequire(folder + "/").resolve(name));

const isTime = (v) => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(v);
const fits = (v) => v === null || Math.abs(v) < 2 ** 31;

function column(name, rows) {
	const data = rows.map((row) => row[name] ?? null);
	const v = data.find((x) => x !== null) ?? "";

	if (typeof v === "string" && isTime(v))
		return { name, type: "TIMESTAMP", data: data.map((x) => x && new Date(x)) };
	if (typeof v === "string")
		return { name, type: "STRING", data };
	if (typeof v === "boolean")
		return { name, type: "BOOLEAN", data };
	if (typeof v === "object")
		return { name, type: "JSON", data };
	if (!data.every((x) => x === null || Number.isInteger(x)))
		return { name, type: "DOUBLE", data };
	if (data.every(fits))
		return { name, type: "INT32", data };
	return { name, type: "INT64", data: data.map((x) => x && BigInt(x)) };
}

async function make(out, codec = "SNAPPY", group = "1000") {
	const { parquetWriteBuffer } = await load("hyparquet-writer");
	const rows = readFileSync(file, "utf8").trim().split("\n").map((l) => JSON.parse(l));
	const columnData = Object.keys(rows[0]).map((name) => column(name, rows));
	const compressors = { GZIP: (bytes) => new Uint8Array(gzipSync(bytes)) };

	writeFileSync(out, new Uint8Array(parquetWriteBuffer({
		columnData, codec, compressors, rowGroupSize: Number(group) })));
}

function timeText(t) {
	const [seconds, fraction] = t.toISOString().slice(0, -1).split(".");
	const digits = fraction.replace(/0+$/, "");

	return seconds.replace("T", " ") + (digits && "." + digits);
}

function shown(v) {
	if (v instanceof Date)
		return timeText(v);
	if (v instanceof Uint8Array)
		return Buffer.from(v).toString();
	return typeof v === "bigint" ? Number(v) : v;
}

async function rows() {
	const { asyncBufferFromFile, parquetReadObjects } = await load("hyparquet");
	const { compressors } = await load("hyparquet-compressors");
	const path = Object.fromEntries(more.map((m) => m.split("=")));

	for (const row of await parquetReadObjects({ file: await asyncBufferFromFile(file), compressors })) {
		const all = Object.entries({ ...row, ...path });

		console.log(JSON.stringify(Object.fromEntries(all.map(([k, v]) => [k, shown(v)]))));
	}
}

await (what === "make" ? make(...more) : rows());
