// markdown_check.mjs - .md pages mean what their HTML says, by two renderers.
//
//     markdown_check.mjs VIEWS NODE_MODULES DOCUMENTS
//
// Writes DOCUMENTS pages of random text, full of characters that mean something
// in Markdown, in random elements; has VIEWS (tests/bench/views) make their .md;
// renders that with commonmark.js and markdown-it; and compares what a reader
// sees: the text of every block in order, the destinations of links and images,
// code blocks byte for byte, the cells of tables.  Their .main.txt has the same
// text, in lines that end where blocks and rows of tables do.  What is expected
// comes from the generator, which knows no Markdown.
//
// SPDX-License-Identifier: GPL-3.0-or-later
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [views, modules, documents] = process.argv.slice(2);
const require = createRequire(join(modules, 'x.js'));
const commonmark = require('commonmark');
const MarkdownIt = require('markdown-it');
const parse5 = require('parse5');

// ---- pages ----

const fold = (s) => s.replace(/[\s\u00a0]+/g, '');

let state = 12345;
function random(n) {
	state = (Math.imul(state, 1103515245) + 12345) >>> 0;
	return (state >>> 8) % n;
}
const pick = (list) => list[random(list.length)];

const PIECES = ['a', 'bc', 'word', 'Z9', '1', '12', '*', '**', '_', '__', '`',
	'``', '[', ']', '](', '](x)', '(', ')', '<', '>', '<b', '</i>', '<!--',
	'&', '&amp', '&amp;', '&#35;', '#', '##', '-', '--', '---', '+', '=', '==',
	'~', '~~', '~~~', '\\', '\\\\', '|', '!', '![', ':', '.', ')', '1.', '2)',
	'"', '\'', ',', '\u00e9', '\u4e2d', '\u201c', '\u201d', '\u2014', '\u00bf',
	'\u{1f600}', '$', '^', '%', '{', '}', 'http://h/a_b_c', 'x@y.example'];

function text() {
	let s = '';
	for (let n = 1 + random(6); n > 0; n--)
		s += pick(PIECES) + (random(3) === 0 ? ' ' : '');
	return s;
}
const escape = (s) => s.replace(/&/g, '&amp;').replace(/</g, '&lt;')
	.replace(/>/g, '&gt;').replace(/"/g, '&quot;');

// A line: its HTML, and what is seen of it.
function line(expected, depth) {
	let html = '', seen = '';
	for (let n = 1 + random(4); n > 0; n--) {
		const kind = random(depth > 0 ? 8 : 3);
		const apart = random(2) === 0 ? ' ' : '';
		html += apart;
		seen += apart;
		if (kind < 3) {
			const t = text();
			html += escape(t);
			seen += t;
			continue;
		}
		if (kind === 3) {
			const t = pick(['a', '`b`', 'c|d', '*e*', '&lt;', '``']);
			html += `<code>${escape(t)}</code>`;
			seen += t;
			continue;
		}
		if (kind === 4) {
			const url = pick(['p.png', 'q(1).gif', 'r s.jpg?a=1&b=2']);
			// of an image whose alt is in dollars a formula is written
			const alt = text().replaceAll('$', '');
			html += `<img src="${escape(url)}" alt="${escape(alt)}">`;
			expected.urls.push(new URL(url, 'http://host.example/').href);
			continue;
		}
		const inner = line(expected, kind === 5 ? 0 : depth - 1);
		if (kind === 5) {
			const url = pick(['a', 'b(c)', 'd)e', '/f?g=h&copy;i', 'j_k*l']);
			html += `<a href="${escape(url)}">${inner.html}</a>`;
			if (inner.seen.trim() !== '')
				expected.urls.push(
					new URL(url, 'http://host.example/').href);
		} else {
			const tag = pick(['b', 'i', 'em', 'strong', 'span', 'u']);
			html += `<${tag}>${inner.html}</${tag}>`;
		}
		seen += inner.seen;
	}
	return { html, seen };
}

// The HTML of what is in a cell, and what is seen of it.
function cell(expected) {
	const kind = random(8);
	const lines = [];

	for (let n = kind < 5 ? 1 : 1 + random(2); n > 0; n--)
		lines.push(line(expected, 1));
	for (const l of lines)
		expected.inRows.add(expected.blocks.push(l.seen) - 1);
	const wrap = (tag) => lines.map((l) => `<${tag}>${l.html}</${tag}>`).join('');
	const html = kind < 5 ? lines[0].html : kind === 5 ? wrap('p') :
		kind === 6 ? `<ul>${wrap('li')}</ul>` :
		`<table><tr>${wrap('td')}</tr></table>`;
	return { html, seen: lines.map((l) => l.seen).join(' ') };
}

// Rows of cells as text, without those that are empty.
const shown = (rows) => rows.filter((row) => row.some((c) => c !== ''))
	.map((row) => row.join('|')).join('\n');

// A table of header cells, of which some span rows and columns; expected.tables
// gets its rows as they are seen, with '' in the places that are spanned.
function table(expected) {
	const columns = 2 + random(3), rows = 2 + random(3);
	const grid = Array.from({ length: rows }, () => Array(columns).fill(null));
	let html = '';

	if (random(2) === 0) {
		const l = line(expected, 1);
		expected.blocks.push(l.seen);
		html += `<caption>${l.html}</caption>`;
	}
	for (let r = 0; r < rows; r++) {
		html += '<tr>';
		for (let c = 0; c < columns; c++) {
			if (grid[r][c] !== null)
				continue;
			let wide = 1, high = 1 + (random(5) === 0);
			while (random(5) === 0 && c + wide < columns &&
			       grid[r][c + wide] === null)
				wide++;
			// a whole row that spans: its width is not known
			if (wide === columns)
				wide--;
			const { html: inner, seen } = cell(expected);
			for (let y = r; y < Math.min(rows, r + high); y++)
				for (let x = c; x < c + wide; x++)
					grid[y][x] = '';
			grid[r][c] = seen;
			const tag = r === 0 ? 'th' : 'td';
			html += `<${tag}${wide > 1 ? ` colspan=${wide}` : ''}` +
				`${high > 1 ? ` rowspan="${high}"` : ''}>` +
				`${inner}</${tag}>`;
		}
		html += '</tr>';
	}
	expected.tables.push(shown(grid.map((row) => row.map(fold))));
	return `<table>${html}</table>`;
}

function block(expected, depth) {
	const kind = random(depth > 0 ? 9 : 3);

	if (kind < 2) {
		const l = line(expected, 2);
		expected.blocks.push(l.seen);
		return `<p>${l.html}</p>`;
	}
	if (kind === 2) {
		const l = line(expected, 1), level = 2 + random(5);
		expected.blocks.push(l.seen);
		return `<h${level}>${l.html}</h${level}>`;
	}
	if (kind === 3) {
		const code = text() + '\n' + pick(['', '\t', '  ']) + text();
		expected.code.push(code.replace(/[ \n]+$/, ''));
		expected.blocks.push(code);
		return `<pre>\n${escape(code)}</pre>`;
	}
	if (kind === 4)
		return `<blockquote>${blocks(expected, depth - 1)}</blockquote>`;
	if (kind === 5)
		return table(expected);
	if (kind === 6) {
		let terms = '';
		for (let n = 1 + random(4); n > 0; n--) {
			const l = line(expected, 1), isTerm = random(2) === 0;
			expected.blocks.push(l.seen);
			terms += isTerm ? `<dt>${l.html}` : `<dd>${l.html}` +
				(random(2) === 0 ? blocks(expected, depth - 1) : '');
		}
		return `<dl>${terms}</dl>`;
	}
	const tag = pick(['ul', 'ol', 'ol start=7']);
	let items = '';
	for (let n = 1 + random(3); n > 0; n--) {
		const l = line(expected, 1);
		expected.blocks.push(l.seen);
		items += `<li>${l.html}` +
			(random(2) === 0 ? blocks(expected, depth - 1) : '') + '</li>';
	}
	return `<${tag}>${items}</${tag.slice(0, 2)}>`;
}

function blocks(expected, depth) {
	let html = '';
	for (let n = 1 + random(3); n > 0; n--)
		html += block(expected, depth);
	return html;
}

// ---- what is seen of a rendering ----

const LEAVES = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'pre', 'li',
	'td', 'th', 'blockquote']);

function look(html) {
	const found = { text: '', urls: [], code: [], tables: [] };
	const all = (node) => node.nodeName === '#text' ? node.value :
		(node.childNodes || []).map(all).join('');
	const rowsOf = (node) => node.nodeName === 'tr' ? [node] :
		(node.childNodes || []).flatMap(rowsOf);
	const visit = (node) => {
		const attr = (name) => node.attrs.find((a) => a.name === name);
		if (node.nodeName === 'a')
			found.urls.push(attr('href').value);
		if (node.nodeName === 'img')
			found.urls.push(attr('src').value);
		if (node.nodeName === 'pre')
			found.code.push(all(node).replace(/\n$/, ''));
		if (node.nodeName === 'table')
			found.tables.push(shown(rowsOf(node).map((tr) =>
				tr.childNodes.filter((n) => /^t[dh]$/.test(n.nodeName))
					.map((n) => fold(all(n))))));
		if (node.nodeName === '#text')
			found.text += node.value;
		if (LEAVES.has(node.nodeName))
			found.text += ' ';
		(node.childNodes || []).forEach(visit);
	};
	visit(parse5.parseFragment(html));
	return found;
}

const sorted = (urls) => urls.map((u) => {
	try { return new URL(u).href; } catch { return u; }
}).sort().join('\n');

const reader = new commonmark.Parser(), writer = new commonmark.HtmlRenderer();
const markdownIt = new MarkdownIt('commonmark').enable('table');
const folder = mkdtempSync(join(tmpdir(), 'markdown-'));
let failed = 0;

function differs(name, what, want, got, html, markdown) {
	if (want === got)
		return;
	failed++;
	let at = 0;
	while (want[at] === got[at])
		at++;
	at = Math.max(0, at - 20);
	if (failed <= 3)
		console.log(`FAILED: ${name}: ${what}: ` +
			`${JSON.stringify(got.slice(at, at + 40))} in place of ` +
			`${JSON.stringify(want.slice(at, at + 40))}\n` +
			`${html}\n---\n${markdown}---`);
}

// Blocks, other than cells, that end within a line of a text.
function blocksWithin(plain, expected) {
	const ends = new Set([0]);
	let n = 0, at = 0;
	for (const line of plain.split('\n'))
		ends.add(n += fold(line).length);
	return expected.blocks.filter((block, i) => {
		at += fold(block).length;
		return !expected.inRows.has(i) && !ends.has(at);
	}).join('\n');
}

// Rows of tables that are no lines of a text, with tabs between cells.
function rowsMissing(plain, expected) {
	const bare = (line) => fold(line.replaceAll('\t', '|'))
		.replace(/\|+$/, '');
	const lines = new Set(plain.split('\n').map(bare));
	return expected.tables.join('\n').split('\n').filter((row) =>
		row !== '' && !lines.has(bare(row))).join('\n');
}

for (let i = 0; i < Number(documents); i++) {
	const expected = { blocks: [], urls: [], code: [], tables: [],
		inRows: new Set() };
	const body = blocks(expected, 2);
	// of a feed's items everything is shown
	const html = '<rss version="2.0"><channel><item><description>' +
		escape(body) + '</description></item></channel></rss>';
	const file = join(folder, 'page.xml');
	writeFileSync(file, html);
	const markdown = execFileSync(views, ['dump', 'md', file],
		{ encoding: 'utf8' });
	const want = fold(expected.blocks.join(' '));
	const plain = execFileSync(views, ['dump', 'main', file],
		{ encoding: 'utf8' });
	differs('plain', 'text', want, fold(plain), html, plain);
	differs('plain', 'blocks', '', blocksWithin(plain, expected), html, plain);
	differs('plain', 'rows', '', rowsMissing(plain, expected), html, plain);
	const hasTable = body.includes('<table>');
	const renderings = [['markdown-it', markdownIt.render(markdown)]];
	if (!hasTable)		// commonmark.js has no tables
		renderings.push(['commonmark.js',
			writer.render(reader.parse(markdown))]);
	for (const [name, rendering] of renderings) {
		const got = look(rendering);
		differs(name, 'text', want, fold(got.text), html, markdown);
		differs(name, 'destinations', sorted(expected.urls),
			sorted(got.urls), html, markdown);
		differs(name, 'tables', expected.tables.join('\n\n'),
			got.tables.join('\n\n'), html, markdown);
		differs(name, 'code', expected.code.join('\0'),
			got.code.join('\0'), html, markdown);
	}
}
rmSync(folder, { recursive: true });
console.log(`${documents} pages, ${failed} differences`);
process.exit(failed > 0 ? 1 : 0);
