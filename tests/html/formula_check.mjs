// formula_check.mjs - formulas of .md mean what their MathML says, by KaTeX.
//
//     formula_check.mjs VIEWS NODE_MODULES FORMULAS
//
// Makes FORMULAS random formulas in TeX, has KaTeX turn them into MathML, and
// VIEWS (tests/bench/views) make the .md of pages with that MathML, without its
// annotation.  A reader of Markdown that knows formulas (markdown-it with the
// plugin texmath) must find as many there, and KaTeX must turn each into the
// same MathML.  Compared are elements and characters, but not spaces and
// elements that only group.
//
// SPDX-License-Identifier: GPL-3.0-or-later
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [views, modules, formulas] = process.argv.slice(2);
const require = createRequire(join(modules, 'x.js'));
const katex = require('katex');
const MarkdownIt = require('markdown-it');
const texmath = require('markdown-it-texmath');
const parse5 = require('parse5');

// ---- formulas ----

let state = 4711;
function random(n) {
	state = (Math.imul(state, 1103515245) + 12345) >>> 0;
	return (state >>> 8) % n;
}
const pick = (list) => list[random(list.length)];

const ATOMS = ['a', 'x', 'y', 'N', '1', '42', '3.14', '\\alpha', '\\Gamma',
	'\\pi', '\\infty', '\\partial', '\\ell', '\\emptyset', '\\mathbf{v}',
	'\\mathbb{R}', '\\mathcal{L}', '\\mathfrak{g}', '\\mathsf{s}', '\\mathtt{t}',
	'\\mathrm{d}', '\\text{if}', '\\text{a b}', '\\nabla', "f'", '\\hbar',
	'\\%', '\\#', '\\&'];
const OPERATORS = ['+', '-', '=', '<', '>', '\\leq', '\\neq', '\\times',
	'\\cdot', '\\rightarrow', '\\Rightarrow', '\\in', '\\subset', '\\cup', ',',
	'\\pm', '\\approx', '\\equiv', '|', '\\|', '/', '*', '!', ':', ';', '\\mapsto',
	'\\wedge', '\\forall', '\\sim', '\\mid', '\\parallel', '\\ldots', '\\circ'];
const FUNCTIONS = ['\\sin', '\\log', '\\exp', '\\arctan', '\\det', '\\ker'];
const LIMITS = ['\\sum', '\\prod', '\\bigcup', '\\bigoplus', '\\lim', '\\max'];
const ACCENTS = ['\\hat', '\\tilde', '\\vec', '\\dot', '\\ddot', '\\overline',
	'\\underline', '\\check', '\\breve', '\\widehat', '\\overrightarrow',
	'\\overbrace', '\\underbrace', '\\mathring'];

function term(depth) {
	const e = () => row(depth - 1);
	switch (random(depth > 0 ? 15 : 2)) {
	case 0: case 1: return pick(ATOMS);
	case 2: return `\\frac{${e()}}{${e()}}`;
	case 3: return `{${e()}}^{${e()}}`;
	case 4: return `${pick(ATOMS)}_{${e()}}`;
	case 5: return `${pick(ATOMS)}_{${e()}}^{${e()}}`;
	case 6: return `\\sqrt{${e()}}`;
	case 7: return `\\sqrt[${pick(['3', 'n'])}]{${e()}}`;
	case 8: return `${pick(LIMITS)}_{${e()}} ${e()}`;
	case 9: return `\\sum_{${e()}}^{${e()}}`;
	case 10: return `\\int_{${e()}}^{${e()}}`;
	case 11: return `${pick(ACCENTS)}{${e()}}`;
	case 12: return `${pick(FUNCTIONS)} ${e()}`;
	case 13: return `\\begin{matrix}${e()}&${e()}\\\\ ${e()}&${e()}\\end{matrix}`;
	default: return `\\overset{${e()}}{${e()}}`;
	}
}
function row(depth) {
	let tex = term(depth);
	for (let n = random(3); n > 0; n--)
		tex += ` ${pick(OPERATORS)} ${term(depth)}`;
	return tex;
}

// ---- MathML ----

const toMathML = (tex) => katex.renderToString(tex, { output: 'mathml',
	displayMode: true, throwOnError: true, strict: false })
	.replace(/<annotation[^]*?<\/annotation>/, '')
	.replace(/^<span[^>]*>|<\/span>$/g, '');

const GROUPS = new Set(['mrow', 'mstyle', 'mpadded', 'semantics', 'math']);
const TOKENS = new Set(['mi', 'mn', 'mo', 'mtext']);
const textOf = (node) => node.nodeName === '#text' ? node.value :
	(node.childNodes || []).map(textOf).join('');
const SAME = { '\u2212': '-', '\u2223': '|', '\u2225': '\u2016',
	'\u203e': '\u00af', '\u2217': '*', '\u20d7': '\u2192', '\u02c9': '\u00af' };

// The characters of a token and its alphabet, one a string: that digits or
// letters are in one element, or are <mi> or <mo>, is not seen.
function token(node) {
	const variant = node.attrs.find((a) => a.name === 'mathvariant');
	const v = !variant || variant.value === 'normal' ||
		variant.value === 'italic' ? '' : variant.value;
	return [...textOf(node).replace(/[\s\u00a0\u2061-\u2064]/g, '')]
		.map((c) => v + (SAME[c] || c));
}
function look(node) {
	const isNested = (node.childNodes || []).some((n) => n.nodeName !== '#text');
	if (TOKENS.has(node.nodeName) && !isNested)
		return token(node);
	if (node.nodeName === 'mspace' || node.nodeName === '#text')
		return [];
	const inner = (node.childNodes || []).map(look);
	if (GROUPS.has(node.nodeName) || TOKENS.has(node.nodeName) || node.nodeName === '#document-fragment')
		return inner.flat();
	// 42^2 looks as {42}^2 does
	const number = /^msu[bp]/.test(node.nodeName) && inner[0].length > 1 &&
		inner[0].every((c) => /^[0-9.]$/.test(c)) ?
		inner[0].splice(0, inner[0].length - 1) : [];
	return [...number, `<${node.nodeName}>`,
		...inner.flatMap((c) => ['(', ...c, ')'])];
}
const meaning = (mathml) => look(parse5.parseFragment(mathml)).join(' ');

// ---- pages ----

const folder = mkdtempSync(join(tmpdir(), 'formula-'));
const escape = (s) => s.replace(/&/g, '&amp;').replace(/</g, '&lt;')
	.replace(/>/g, '&gt;');
const PAGE = 50;
let failed = 0;

// texmath keeps the first engine that it is given
let found = [];
const reader = new MarkdownIt().use(texmath, { delimiters: 'dollars',
	engine: { renderToString: (tex) => { found.push(tex); return ''; } } });
function formulasOf(markdown) {
	found = [];
	reader.render(markdown);
	return found;
}

for (let at = 0; at < Number(formulas); at += PAGE) {
	const made = [];
	while (made.length < PAGE) {
		const tex = row(2);
		try {
			made.push({ tex, mathml: toMathML(tex) });
		} catch {
			// f' with a superscript is none
		}
	}
	const file = join(folder, 'page.xml');
	const body = made.map((f, i) => {
		if (i % 5 === 0)
			return `<table><tr><th>a<th>b<tr><td>${f.mathml}<td>c</table>`;
		if (i % 5 === 1)
			return `<p>a $5 ${f.mathml} b$, c`;
		return `<p>$6 ${f.mathml.replace(' display="block"', '')}, $$b$`;
	}).join('\n');
	writeFileSync(file, '<rss version="2.0"><channel><item><description>' +
		escape(body) + '</description></item></channel></rss>');
	const markdown = execFileSync(views, ['dump', 'md', file],
		{ encoding: 'utf8' });
	const got = formulasOf(markdown);
	if (got.length !== made.length) {
		failed++;
		console.log(`FAILED: ${got.length} formulas in place of ` +
			`${made.length}\n${markdown}`);
		continue;
	}
	made.forEach((f, i) => {
		let is;
		try {
			is = meaning(toMathML(got[i]));
		} catch (e) {
			is = e.message;
		}
		if (is === meaning(f.mathml))
			return;
		if (++failed <= 5)
			console.log(`FAILED: ${f.tex}\n  as ${got[i]}\n` +
				`want ${meaning(f.mathml)}\n got ${is}\n${f.mathml}`);
	});
}
rmSync(folder, { recursive: true });
console.log(`${formulas} formulas, ${failed} differences`);
process.exit(failed > 0 ? 1 : 0);
