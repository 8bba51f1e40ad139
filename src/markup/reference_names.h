/* reference_names.h - the named character references of HTML.
 *
 * This is the table of the HTML standard, section 13.5 (2,125 names, of which
 * 106 are also valid without their semicolon), sorted by name in byte order.
 *     N(name, c)      one code point
 *     S(name, c)      one code point, and the semicolon is optional
 *     P(name, c, d)   two code points
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_MARKUP_REFERENCE_NAMES_H
#define CFS_MARKUP_REFERENCE_NAMES_H

#define CFS_REFERENCE_NAMES(N, S, P) \
	S("AElig", 0xc6) S("AMP", 0x26) S("Aacute", 0xc1) \
	N("Abreve", 0x102) S("Acirc", 0xc2) N("Acy", 0x410) \
	N("Afr", 0x1d504) S("Agrave", 0xc0) N("Alpha", 0x391) \
	N("Amacr", 0x100) N("And", 0x2a53) N("Aogon", 0x104) \
	N("Aopf", 0x1d538) N("ApplyFunction", 0x2061) S("Aring", 0xc5) \
	N("Ascr", 0x1d49c) N("Assign", 0x2254) S("Atilde", 0xc3) \
	S("Auml", 0xc4) N("Backslash", 0x2216) N("Barv", 0x2ae7) \
	N("Barwed", 0x2306) N("Bcy", 0x411) N("Because", 0x2235) \
	N("Bernoullis", 0x212c) N("Beta", 0x392) N("Bfr", 0x1d505) \
	N("Bopf", 0x1d539) N("Breve", 0x2d8) N("Bscr", 0x212c) \
	N("Bumpeq", 0x224e) N("CHcy", 0x427) S("COPY", 0xa9) \
	N("Cacute", 0x106) N("Cap", 0x22d2) \
	N("CapitalDifferentialD", 0x2145) N("Cayleys", 0x212d) \
	N("Ccaron", 0x10c) S("Ccedil", 0xc7) N("Ccirc", 0x108) \
	N("Cconint", 0x2230) N("Cdot", 0x10a) N("Cedilla", 0xb8) \
	N("CenterDot", 0xb7) N("Cfr", 0x212d) N("Chi", 0x3a7) \
	N("CircleDot", 0x2299) N("CircleMinus", 0x2296) \
	N("CirclePlus", 0x2295) N("CircleTimes", 0x2297) \
	N("ClockwiseContourIntegral", 0x2232) \
	N("CloseCurlyDoubleQuote", 0x201d) N("CloseCurlyQuote", 0x2019) \
	N("Colon", 0x2237) N("Colone", 0x2a74) N("Congruent", 0x2261) \
	N("Conint", 0x222f) N("ContourIntegral", 0x222e) N("Copf", 0x2102) \
	N("Coproduct", 0x2210) N("CounterClockwiseContourIntegral", 0x2233) \
	N("Cross", 0x2a2f) N("Cscr", 0x1d49e) N("Cup", 0x22d3) \
	N("CupCap", 0x224d) N("DD", 0x2145) N("DDotrahd", 0x2911) \
	N("DJcy", 0x402) N("DScy", 0x405) N("DZcy", 0x40f) \
	N("Dagger", 0x2021) N("Darr", 0x21a1) N("Dashv", 0x2ae4) \
	N("Dcaron", 0x10e) N("Dcy", 0x414) N("Del", 0x2207) \
	N("Delta", 0x394) N("Dfr", 0x1d507) N("DiacriticalAcute", 0xb4) \
	N("DiacriticalDot", 0x2d9) N("DiacriticalDoubleAcute", 0x2dd) \
	N("DiacriticalGrave", 0x60) N("DiacriticalTilde", 0x2dc) \
	N("Diamond", 0x22c4) N("DifferentialD", 0x2146) N("Dopf", 0x1d53b) \
	N("Dot", 0xa8) N("DotDot", 0x20dc) N("DotEqual", 0x2250) \
	N("DoubleContourIntegral", 0x222f) N("DoubleDot", 0xa8) \
	N("DoubleDownArrow", 0x21d3) N("DoubleLeftArrow", 0x21d0) \
	N("DoubleLeftRightArrow", 0x21d4) N("DoubleLeftTee", 0x2ae4) \
	N("DoubleLongLeftArrow", 0x27f8) \
	N("DoubleLongLeftRightArrow", 0x27fa) \
	N("DoubleLongRightArrow", 0x27f9) N("DoubleRightArrow", 0x21d2) \
	N("DoubleRightTee", 0x22a8) N("DoubleUpArrow", 0x21d1) \
	N("DoubleUpDownArrow", 0x21d5) N("DoubleVerticalBar", 0x2225) \
	N("DownArrow", 0x2193) N("DownArrowBar", 0x2913) \
	N("DownArrowUpArrow", 0x21f5) N("DownBreve", 0x311) \
	N("DownLeftRightVector", 0x2950) N("DownLeftTeeVector", 0x295e) \
	N("DownLeftVector", 0x21bd) N("DownLeftVectorBar", 0x2956) \
	N("DownRightTeeVector", 0x295f) N("DownRightVector", 0x21c1) \
	N("DownRightVectorBar", 0x2957) N("DownTee", 0x22a4) \
	N("DownTeeArrow", 0x21a7) N("Downarrow", 0x21d3) N("Dscr", 0x1d49f) \
	N("Dstrok", 0x110) N("ENG", 0x14a) S("ETH", 0xd0) \
	S("Eacute", 0xc9) N("Ecaron", 0x11a) S("Ecirc", 0xca) \
	N("Ecy", 0x42d) N("Edot", 0x116) N("Efr", 0x1d508) \
	S("Egrave", 0xc8) N("Element", 0x2208) N("Emacr", 0x112) \
	N("EmptySmallSquare", 0x25fb) N("EmptyVerySmallSquare", 0x25ab) \
	N("Eogon", 0x118) N("Eopf", 0x1d53c) N("Epsilon", 0x395) \
	N("Equal", 0x2a75) N("EqualTilde", 0x2242) N("Equilibrium", 0x21cc) \
	N("Escr", 0x2130) N("Esim", 0x2a73) N("Eta", 0x397) \
	S("Euml", 0xcb) N("Exists", 0x2203) N("ExponentialE", 0x2147) \
	N("Fcy", 0x424) N("Ffr", 0x1d509) N("FilledSmallSquare", 0x25fc) \
	N("FilledVerySmallSquare", 0x25aa) N("Fopf", 0x1d53d) \
	N("ForAll", 0x2200) N("Fouriertrf", 0x2131) N("Fscr", 0x2131) \
	N("GJcy", 0x403) S("GT", 0x3e) N("Gamma", 0x393) \
	N("Gammad", 0x3dc) N("Gbreve", 0x11e) N("Gcedil", 0x122) \
	N("Gcirc", 0x11c) N("Gcy", 0x413) N("Gdot", 0x120) \
	N("Gfr", 0x1d50a) N("Gg", 0x22d9) N("Gopf", 0x1d53e) \
	N("GreaterEqual", 0x2265) N("GreaterEqualLess", 0x22db) \
	N("GreaterFullEqual", 0x2267) N("GreaterGreater", 0x2aa2) \
	N("GreaterLess", 0x2277) N("GreaterSlantEqual", 0x2a7e) \
	N("GreaterTilde", 0x2273) N("Gscr", 0x1d4a2) N("Gt", 0x226b) \
	N("HARDcy", 0x42a) N("Hacek", 0x2c7) N("Hat", 0x5e) \
	N("Hcirc", 0x124) N("Hfr", 0x210c) N("HilbertSpace", 0x210b) \
	N("Hopf", 0x210d) N("HorizontalLine", 0x2500) N("Hscr", 0x210b) \
	N("Hstrok", 0x126) N("HumpDownHump", 0x224e) N("HumpEqual", 0x224f) \
	N("IEcy", 0x415) N("IJlig", 0x132) N("IOcy", 0x401) \
	S("Iacute", 0xcd) S("Icirc", 0xce) N("Icy", 0x418) \
	N("Idot", 0x130) N("Ifr", 0x2111) S("Igrave", 0xcc) \
	N("Im", 0x2111) N("Imacr", 0x12a) N("ImaginaryI", 0x2148) \
	N("Implies", 0x21d2) N("Int", 0x222c) N("Integral", 0x222b) \
	N("Intersection", 0x22c2) N("InvisibleComma", 0x2063) \
	N("InvisibleTimes", 0x2062) N("Iogon", 0x12e) N("Iopf", 0x1d540) \
	N("Iota", 0x399) N("Iscr", 0x2110) N("Itilde", 0x128) \
	N("Iukcy", 0x406) S("Iuml", 0xcf) N("Jcirc", 0x134) \
	N("Jcy", 0x419) N("Jfr", 0x1d50d) N("Jopf", 0x1d541) \
	N("Jscr", 0x1d4a5) N("Jsercy", 0x408) N("Jukcy", 0x404) \
	N("KHcy", 0x425) N("KJcy", 0x40c) N("Kappa", 0x39a) \
	N("Kcedil", 0x136) N("Kcy", 0x41a) N("Kfr", 0x1d50e) \
	N("Kopf", 0x1d542) N("Kscr", 0x1d4a6) N("LJcy", 0x409) \
	S("LT", 0x3c) N("Lacute", 0x139) N("Lambda", 0x39b) \
	N("Lang", 0x27ea) N("Laplacetrf", 0x2112) N("Larr", 0x219e) \
	N("Lcaron", 0x13d) N("Lcedil", 0x13b) N("Lcy", 0x41b) \
	N("LeftAngleBracket", 0x27e8) N("LeftArrow", 0x2190) \
	N("LeftArrowBar", 0x21e4) N("LeftArrowRightArrow", 0x21c6) \
	N("LeftCeiling", 0x2308) N("LeftDoubleBracket", 0x27e6) \
	N("LeftDownTeeVector", 0x2961) N("LeftDownVector", 0x21c3) \
	N("LeftDownVectorBar", 0x2959) N("LeftFloor", 0x230a) \
	N("LeftRightArrow", 0x2194) N("LeftRightVector", 0x294e) \
	N("LeftTee", 0x22a3) N("LeftTeeArrow", 0x21a4) \
	N("LeftTeeVector", 0x295a) N("LeftTriangle", 0x22b2) \
	N("LeftTriangleBar", 0x29cf) N("LeftTriangleEqual", 0x22b4) \
	N("LeftUpDownVector", 0x2951) N("LeftUpTeeVector", 0x2960) \
	N("LeftUpVector", 0x21bf) N("LeftUpVectorBar", 0x2958) \
	N("LeftVector", 0x21bc) N("LeftVectorBar", 0x2952) \
	N("Leftarrow", 0x21d0) N("Leftrightarrow", 0x21d4) \
	N("LessEqualGreater", 0x22da) N("LessFullEqual", 0x2266) \
	N("LessGreater", 0x2276) N("LessLess", 0x2aa1) \
	N("LessSlantEqual", 0x2a7d) N("LessTilde", 0x2272) \
	N("Lfr", 0x1d50f) N("Ll", 0x22d8) N("Lleftarrow", 0x21da) \
	N("Lmidot", 0x13f) N("LongLeftArrow", 0x27f5) \
	N("LongLeftRightArrow", 0x27f7) N("LongRightArrow", 0x27f6) \
	N("Longleftarrow", 0x27f8) N("Longleftrightarrow", 0x27fa) \
	N("Longrightarrow", 0x27f9) N("Lopf", 0x1d543) \
	N("LowerLeftArrow", 0x2199) N("LowerRightArrow", 0x2198) \
	N("Lscr", 0x2112) N("Lsh", 0x21b0) N("Lstrok", 0x141) \
	N("Lt", 0x226a) N("Map", 0x2905) N("Mcy", 0x41c) \
	N("MediumSpace", 0x205f) N("Mellintrf", 0x2133) N("Mfr", 0x1d510) \
	N("MinusPlus", 0x2213) N("Mopf", 0x1d544) N("Mscr", 0x2133) \
	N("Mu", 0x39c) N("NJcy", 0x40a) N("Nacute", 0x143) \
	N("Ncaron", 0x147) N("Ncedil", 0x145) N("Ncy", 0x41d) \
	N("NegativeMediumSpace", 0x200b) N("NegativeThickSpace", 0x200b) \
	N("NegativeThinSpace", 0x200b) N("NegativeVeryThinSpace", 0x200b) \
	N("NestedGreaterGreater", 0x226b) N("NestedLessLess", 0x226a) \
	N("NewLine", 0xa) N("Nfr", 0x1d511) N("NoBreak", 0x2060) \
	N("NonBreakingSpace", 0xa0) N("Nopf", 0x2115) N("Not", 0x2aec) \
	N("NotCongruent", 0x2262) N("NotCupCap", 0x226d) \
	N("NotDoubleVerticalBar", 0x2226) N("NotElement", 0x2209) \
	N("NotEqual", 0x2260) P("NotEqualTilde", 0x2242, 0x338) \
	N("NotExists", 0x2204) N("NotGreater", 0x226f) \
	N("NotGreaterEqual", 0x2271) P("NotGreaterFullEqual", 0x2267, 0x338) \
	P("NotGreaterGreater", 0x226b, 0x338) N("NotGreaterLess", 0x2279) \
	P("NotGreaterSlantEqual", 0x2a7e, 0x338) \
	N("NotGreaterTilde", 0x2275) P("NotHumpDownHump", 0x224e, 0x338) \
	P("NotHumpEqual", 0x224f, 0x338) N("NotLeftTriangle", 0x22ea) \
	P("NotLeftTriangleBar", 0x29cf, 0x338) \
	N("NotLeftTriangleEqual", 0x22ec) N("NotLess", 0x226e) \
	N("NotLessEqual", 0x2270) N("NotLessGreater", 0x2278) \
	P("NotLessLess", 0x226a, 0x338) \
	P("NotLessSlantEqual", 0x2a7d, 0x338) N("NotLessTilde", 0x2274) \
	P("NotNestedGreaterGreater", 0x2aa2, 0x338) \
	P("NotNestedLessLess", 0x2aa1, 0x338) N("NotPrecedes", 0x2280) \
	P("NotPrecedesEqual", 0x2aaf, 0x338) \
	N("NotPrecedesSlantEqual", 0x22e0) N("NotReverseElement", 0x220c) \
	N("NotRightTriangle", 0x22eb) \
	P("NotRightTriangleBar", 0x29d0, 0x338) \
	N("NotRightTriangleEqual", 0x22ed) \
	P("NotSquareSubset", 0x228f, 0x338) \
	N("NotSquareSubsetEqual", 0x22e2) \
	P("NotSquareSuperset", 0x2290, 0x338) \
	N("NotSquareSupersetEqual", 0x22e3) P("NotSubset", 0x2282, 0x20d2) \
	N("NotSubsetEqual", 0x2288) N("NotSucceeds", 0x2281) \
	P("NotSucceedsEqual", 0x2ab0, 0x338) \
	N("NotSucceedsSlantEqual", 0x22e1) \
	P("NotSucceedsTilde", 0x227f, 0x338) \
	P("NotSuperset", 0x2283, 0x20d2) N("NotSupersetEqual", 0x2289) \
	N("NotTilde", 0x2241) N("NotTildeEqual", 0x2244) \
	N("NotTildeFullEqual", 0x2247) N("NotTildeTilde", 0x2249) \
	N("NotVerticalBar", 0x2224) N("Nscr", 0x1d4a9) S("Ntilde", 0xd1) \
	N("Nu", 0x39d) N("OElig", 0x152) S("Oacute", 0xd3) \
	S("Ocirc", 0xd4) N("Ocy", 0x41e) N("Odblac", 0x150) \
	N("Ofr", 0x1d512) S("Ograve", 0xd2) N("Omacr", 0x14c) \
	N("Omega", 0x3a9) N("Omicron", 0x39f) N("Oopf", 0x1d546) \
	N("OpenCurlyDoubleQuote", 0x201c) N("OpenCurlyQuote", 0x2018) \
	N("Or", 0x2a54) N("Oscr", 0x1d4aa) S("Oslash", 0xd8) \
	S("Otilde", 0xd5) N("Otimes", 0x2a37) S("Ouml", 0xd6) \
	N("OverBar", 0x203e) N("OverBrace", 0x23de) \
	N("OverBracket", 0x23b4) N("OverParenthesis", 0x23dc) \
	N("PartialD", 0x2202) N("Pcy", 0x41f) N("Pfr", 0x1d513) \
	N("Phi", 0x3a6) N("Pi", 0x3a0) N("PlusMinus", 0xb1) \
	N("Poincareplane", 0x210c) N("Popf", 0x2119) N("Pr", 0x2abb) \
	N("Precedes", 0x227a) N("PrecedesEqual", 0x2aaf) \
	N("PrecedesSlantEqual", 0x227c) N("PrecedesTilde", 0x227e) \
	N("Prime", 0x2033) N("Product", 0x220f) N("Proportion", 0x2237) \
	N("Proportional", 0x221d) N("Pscr", 0x1d4ab) N("Psi", 0x3a8) \
	S("QUOT", 0x22) N("Qfr", 0x1d514) N("Qopf", 0x211a) \
	N("Qscr", 0x1d4ac) N("RBarr", 0x2910) S("REG", 0xae) \
	N("Racute", 0x154) N("Rang", 0x27eb) N("Rarr", 0x21a0) \
	N("Rarrtl", 0x2916) N("Rcaron", 0x158) N("Rcedil", 0x156) \
	N("Rcy", 0x420) N("Re", 0x211c) N("ReverseElement", 0x220b) \
	N("ReverseEquilibrium", 0x21cb) N("ReverseUpEquilibrium", 0x296f) \
	N("Rfr", 0x211c) N("Rho", 0x3a1) N("RightAngleBracket", 0x27e9) \
	N("RightArrow", 0x2192) N("RightArrowBar", 0x21e5) \
	N("RightArrowLeftArrow", 0x21c4) N("RightCeiling", 0x2309) \
	N("RightDoubleBracket", 0x27e7) N("RightDownTeeVector", 0x295d) \
	N("RightDownVector", 0x21c2) N("RightDownVectorBar", 0x2955) \
	N("RightFloor", 0x230b) N("RightTee", 0x22a2) \
	N("RightTeeArrow", 0x21a6) N("RightTeeVector", 0x295b) \
	N("RightTriangle", 0x22b3) N("RightTriangleBar", 0x29d0) \
	N("RightTriangleEqual", 0x22b5) N("RightUpDownVector", 0x294f) \
	N("RightUpTeeVector", 0x295c) N("RightUpVector", 0x21be) \
	N("RightUpVectorBar", 0x2954) N("RightVector", 0x21c0) \
	N("RightVectorBar", 0x2953) N("Rightarrow", 0x21d2) \
	N("Ropf", 0x211d) N("RoundImplies", 0x2970) \
	N("Rrightarrow", 0x21db) N("Rscr", 0x211b) N("Rsh", 0x21b1) \
	N("RuleDelayed", 0x29f4) N("SHCHcy", 0x429) N("SHcy", 0x428) \
	N("SOFTcy", 0x42c) N("Sacute", 0x15a) N("Sc", 0x2abc) \
	N("Scaron", 0x160) N("Scedil", 0x15e) N("Scirc", 0x15c) \
	N("Scy", 0x421) N("Sfr", 0x1d516) N("ShortDownArrow", 0x2193) \
	N("ShortLeftArrow", 0x2190) N("ShortRightArrow", 0x2192) \
	N("ShortUpArrow", 0x2191) N("Sigma", 0x3a3) \
	N("SmallCircle", 0x2218) N("Sopf", 0x1d54a) N("Sqrt", 0x221a) \
	N("Square", 0x25a1) N("SquareIntersection", 0x2293) \
	N("SquareSubset", 0x228f) N("SquareSubsetEqual", 0x2291) \
	N("SquareSuperset", 0x2290) N("SquareSupersetEqual", 0x2292) \
	N("SquareUnion", 0x2294) N("Sscr", 0x1d4ae) N("Star", 0x22c6) \
	N("Sub", 0x22d0) N("Subset", 0x22d0) N("SubsetEqual", 0x2286) \
	N("Succeeds", 0x227b) N("SucceedsEqual", 0x2ab0) \
	N("SucceedsSlantEqual", 0x227d) N("SucceedsTilde", 0x227f) \
	N("SuchThat", 0x220b) N("Sum", 0x2211) N("Sup", 0x22d1) \
	N("Superset", 0x2283) N("SupersetEqual", 0x2287) \
	N("Supset", 0x22d1) S("THORN", 0xde) N("TRADE", 0x2122) \
	N("TSHcy", 0x40b) N("TScy", 0x426) N("Tab", 0x9) N("Tau", 0x3a4) \
	N("Tcaron", 0x164) N("Tcedil", 0x162) N("Tcy", 0x422) \
	N("Tfr", 0x1d517) N("Therefore", 0x2234) N("Theta", 0x398) \
	P("ThickSpace", 0x205f, 0x200a) N("ThinSpace", 0x2009) \
	N("Tilde", 0x223c) N("TildeEqual", 0x2243) \
	N("TildeFullEqual", 0x2245) N("TildeTilde", 0x2248) \
	N("Topf", 0x1d54b) N("TripleDot", 0x20db) N("Tscr", 0x1d4af) \
	N("Tstrok", 0x166) S("Uacute", 0xda) N("Uarr", 0x219f) \
	N("Uarrocir", 0x2949) N("Ubrcy", 0x40e) N("Ubreve", 0x16c) \
	S("Ucirc", 0xdb) N("Ucy", 0x423) N("Udblac", 0x170) \
	N("Ufr", 0x1d518) S("Ugrave", 0xd9) N("Umacr", 0x16a) \
	N("UnderBar", 0x5f) N("UnderBrace", 0x23df) \
	N("UnderBracket", 0x23b5) N("UnderParenthesis", 0x23dd) \
	N("Union", 0x22c3) N("UnionPlus", 0x228e) N("Uogon", 0x172) \
	N("Uopf", 0x1d54c) N("UpArrow", 0x2191) N("UpArrowBar", 0x2912) \
	N("UpArrowDownArrow", 0x21c5) N("UpDownArrow", 0x2195) \
	N("UpEquilibrium", 0x296e) N("UpTee", 0x22a5) \
	N("UpTeeArrow", 0x21a5) N("Uparrow", 0x21d1) \
	N("Updownarrow", 0x21d5) N("UpperLeftArrow", 0x2196) \
	N("UpperRightArrow", 0x2197) N("Upsi", 0x3d2) N("Upsilon", 0x3a5) \
	N("Uring", 0x16e) N("Uscr", 0x1d4b0) N("Utilde", 0x168) \
	S("Uuml", 0xdc) N("VDash", 0x22ab) N("Vbar", 0x2aeb) \
	N("Vcy", 0x412) N("Vdash", 0x22a9) N("Vdashl", 0x2ae6) \
	N("Vee", 0x22c1) N("Verbar", 0x2016) N("Vert", 0x2016) \
	N("VerticalBar", 0x2223) N("VerticalLine", 0x7c) \
	N("VerticalSeparator", 0x2758) N("VerticalTilde", 0x2240) \
	N("VeryThinSpace", 0x200a) N("Vfr", 0x1d519) N("Vopf", 0x1d54d) \
	N("Vscr", 0x1d4b1) N("Vvdash", 0x22aa) N("Wcirc", 0x174) \
	N("Wedge", 0x22c0) N("Wfr", 0x1d51a) N("Wopf", 0x1d54e) \
	N("Wscr", 0x1d4b2) N("Xfr", 0x1d51b) N("Xi", 0x39e) \
	N("Xopf", 0x1d54f) N("Xscr", 0x1d4b3) N("YAcy", 0x42f) \
	N("YIcy", 0x407) N("YUcy", 0x42e) S("Yacute", 0xdd) \
	N("Ycirc", 0x176) N("Ycy", 0x42b) N("Yfr", 0x1d51c) \
	N("Yopf", 0x1d550) N("Yscr", 0x1d4b4) N("Yuml", 0x178) \
	N("ZHcy", 0x416) N("Zacute", 0x179) N("Zcaron", 0x17d) \
	N("Zcy", 0x417) N("Zdot", 0x17b) N("ZeroWidthSpace", 0x200b) \
	N("Zeta", 0x396) N("Zfr", 0x2128) N("Zopf", 0x2124) \
	N("Zscr", 0x1d4b5) S("aacute", 0xe1) N("abreve", 0x103) \
	N("ac", 0x223e) P("acE", 0x223e, 0x333) N("acd", 0x223f) \
	S("acirc", 0xe2) S("acute", 0xb4) N("acy", 0x430) S("aelig", 0xe6) \
	N("af", 0x2061) N("afr", 0x1d51e) S("agrave", 0xe0) \
	N("alefsym", 0x2135) N("aleph", 0x2135) N("alpha", 0x3b1) \
	N("amacr", 0x101) N("amalg", 0x2a3f) S("amp", 0x26) \
	N("and", 0x2227) N("andand", 0x2a55) N("andd", 0x2a5c) \
	N("andslope", 0x2a58) N("andv", 0x2a5a) N("ang", 0x2220) \
	N("ange", 0x29a4) N("angle", 0x2220) N("angmsd", 0x2221) \
	N("angmsdaa", 0x29a8) N("angmsdab", 0x29a9) N("angmsdac", 0x29aa) \
	N("angmsdad", 0x29ab) N("angmsdae", 0x29ac) N("angmsdaf", 0x29ad) \
	N("angmsdag", 0x29ae) N("angmsdah", 0x29af) N("angrt", 0x221f) \
	N("angrtvb", 0x22be) N("angrtvbd", 0x299d) N("angsph", 0x2222) \
	N("angst", 0xc5) N("angzarr", 0x237c) N("aogon", 0x105) \
	N("aopf", 0x1d552) N("ap", 0x2248) N("apE", 0x2a70) \
	N("apacir", 0x2a6f) N("ape", 0x224a) N("apid", 0x224b) \
	N("apos", 0x27) N("approx", 0x2248) N("approxeq", 0x224a) \
	S("aring", 0xe5) N("ascr", 0x1d4b6) N("ast", 0x2a) \
	N("asymp", 0x2248) N("asympeq", 0x224d) S("atilde", 0xe3) \
	S("auml", 0xe4) N("awconint", 0x2233) N("awint", 0x2a11) \
	N("bNot", 0x2aed) N("backcong", 0x224c) N("backepsilon", 0x3f6) \
	N("backprime", 0x2035) N("backsim", 0x223d) N("backsimeq", 0x22cd) \
	N("barvee", 0x22bd) N("barwed", 0x2305) N("barwedge", 0x2305) \
	N("bbrk", 0x23b5) N("bbrktbrk", 0x23b6) N("bcong", 0x224c) \
	N("bcy", 0x431) N("bdquo", 0x201e) N("becaus", 0x2235) \
	N("because", 0x2235) N("bemptyv", 0x29b0) N("bepsi", 0x3f6) \
	N("bernou", 0x212c) N("beta", 0x3b2) N("beth", 0x2136) \
	N("between", 0x226c) N("bfr", 0x1d51f) N("bigcap", 0x22c2) \
	N("bigcirc", 0x25ef) N("bigcup", 0x22c3) N("bigodot", 0x2a00) \
	N("bigoplus", 0x2a01) N("bigotimes", 0x2a02) N("bigsqcup", 0x2a06) \
	N("bigstar", 0x2605) N("bigtriangledown", 0x25bd) \
	N("bigtriangleup", 0x25b3) N("biguplus", 0x2a04) \
	N("bigvee", 0x22c1) N("bigwedge", 0x22c0) N("bkarow", 0x290d) \
	N("blacklozenge", 0x29eb) N("blacksquare", 0x25aa) \
	N("blacktriangle", 0x25b4) N("blacktriangledown", 0x25be) \
	N("blacktriangleleft", 0x25c2) N("blacktriangleright", 0x25b8) \
	N("blank", 0x2423) N("blk12", 0x2592) N("blk14", 0x2591) \
	N("blk34", 0x2593) N("block", 0x2588) P("bne", 0x3d, 0x20e5) \
	P("bnequiv", 0x2261, 0x20e5) N("bnot", 0x2310) N("bopf", 0x1d553) \
	N("bot", 0x22a5) N("bottom", 0x22a5) N("bowtie", 0x22c8) \
	N("boxDL", 0x2557) N("boxDR", 0x2554) N("boxDl", 0x2556) \
	N("boxDr", 0x2553) N("boxH", 0x2550) N("boxHD", 0x2566) \
	N("boxHU", 0x2569) N("boxHd", 0x2564) N("boxHu", 0x2567) \
	N("boxUL", 0x255d) N("boxUR", 0x255a) N("boxUl", 0x255c) \
	N("boxUr", 0x2559) N("boxV", 0x2551) N("boxVH", 0x256c) \
	N("boxVL", 0x2563) N("boxVR", 0x2560) N("boxVh", 0x256b) \
	N("boxVl", 0x2562) N("boxVr", 0x255f) N("boxbox", 0x29c9) \
	N("boxdL", 0x2555) N("boxdR", 0x2552) N("boxdl", 0x2510) \
	N("boxdr", 0x250c) N("boxh", 0x2500) N("boxhD", 0x2565) \
	N("boxhU", 0x2568) N("boxhd", 0x252c) N("boxhu", 0x2534) \
	N("boxminus", 0x229f) N("boxplus", 0x229e) N("boxtimes", 0x22a0) \
	N("boxuL", 0x255b) N("boxuR", 0x2558) N("boxul", 0x2518) \
	N("boxur", 0x2514) N("boxv", 0x2502) N("boxvH", 0x256a) \
	N("boxvL", 0x2561) N("boxvR", 0x255e) N("boxvh", 0x253c) \
	N("boxvl", 0x2524) N("boxvr", 0x251c) N("bprime", 0x2035) \
	N("breve", 0x2d8) S("brvbar", 0xa6) N("bscr", 0x1d4b7) \
	N("bsemi", 0x204f) N("bsim", 0x223d) N("bsime", 0x22cd) \
	N("bsol", 0x5c) N("bsolb", 0x29c5) N("bsolhsub", 0x27c8) \
	N("bull", 0x2022) N("bullet", 0x2022) N("bump", 0x224e) \
	N("bumpE", 0x2aae) N("bumpe", 0x224f) N("bumpeq", 0x224f) \
	N("cacute", 0x107) N("cap", 0x2229) N("capand", 0x2a44) \
	N("capbrcup", 0x2a49) N("capcap", 0x2a4b) N("capcup", 0x2a47) \
	N("capdot", 0x2a40) P("caps", 0x2229, 0xfe00) N("caret", 0x2041) \
	N("caron", 0x2c7) N("ccaps", 0x2a4d) N("ccaron", 0x10d) \
	S("ccedil", 0xe7) N("ccirc", 0x109) N("ccups", 0x2a4c) \
	N("ccupssm", 0x2a50) N("cdot", 0x10b) S("cedil", 0xb8) \
	N("cemptyv", 0x29b2) S("cent", 0xa2) N("centerdot", 0xb7) \
	N("cfr", 0x1d520) N("chcy", 0x447) N("check", 0x2713) \
	N("checkmark", 0x2713) N("chi", 0x3c7) N("cir", 0x25cb) \
	N("cirE", 0x29c3) N("circ", 0x2c6) N("circeq", 0x2257) \
	N("circlearrowleft", 0x21ba) N("circlearrowright", 0x21bb) \
	N("circledR", 0xae) N("circledS", 0x24c8) N("circledast", 0x229b) \
	N("circledcirc", 0x229a) N("circleddash", 0x229d) N("cire", 0x2257) \
	N("cirfnint", 0x2a10) N("cirmid", 0x2aef) N("cirscir", 0x29c2) \
	N("clubs", 0x2663) N("clubsuit", 0x2663) N("colon", 0x3a) \
	N("colone", 0x2254) N("coloneq", 0x2254) N("comma", 0x2c) \
	N("commat", 0x40) N("comp", 0x2201) N("compfn", 0x2218) \
	N("complement", 0x2201) N("complexes", 0x2102) N("cong", 0x2245) \
	N("congdot", 0x2a6d) N("conint", 0x222e) N("copf", 0x1d554) \
	N("coprod", 0x2210) S("copy", 0xa9) N("copysr", 0x2117) \
	N("crarr", 0x21b5) N("cross", 0x2717) N("cscr", 0x1d4b8) \
	N("csub", 0x2acf) N("csube", 0x2ad1) N("csup", 0x2ad0) \
	N("csupe", 0x2ad2) N("ctdot", 0x22ef) N("cudarrl", 0x2938) \
	N("cudarrr", 0x2935) N("cuepr", 0x22de) N("cuesc", 0x22df) \
	N("cularr", 0x21b6) N("cularrp", 0x293d) N("cup", 0x222a) \
	N("cupbrcap", 0x2a48) N("cupcap", 0x2a46) N("cupcup", 0x2a4a) \
	N("cupdot", 0x228d) N("cupor", 0x2a45) P("cups", 0x222a, 0xfe00) \
	N("curarr", 0x21b7) N("curarrm", 0x293c) N("curlyeqprec", 0x22de) \
	N("curlyeqsucc", 0x22df) N("curlyvee", 0x22ce) \
	N("curlywedge", 0x22cf) S("curren", 0xa4) \
	N("curvearrowleft", 0x21b6) N("curvearrowright", 0x21b7) \
	N("cuvee", 0x22ce) N("cuwed", 0x22cf) N("cwconint", 0x2232) \
	N("cwint", 0x2231) N("cylcty", 0x232d) N("dArr", 0x21d3) \
	N("dHar", 0x2965) N("dagger", 0x2020) N("daleth", 0x2138) \
	N("darr", 0x2193) N("dash", 0x2010) N("dashv", 0x22a3) \
	N("dbkarow", 0x290f) N("dblac", 0x2dd) N("dcaron", 0x10f) \
	N("dcy", 0x434) N("dd", 0x2146) N("ddagger", 0x2021) \
	N("ddarr", 0x21ca) N("ddotseq", 0x2a77) S("deg", 0xb0) \
	N("delta", 0x3b4) N("demptyv", 0x29b1) N("dfisht", 0x297f) \
	N("dfr", 0x1d521) N("dharl", 0x21c3) N("dharr", 0x21c2) \
	N("diam", 0x22c4) N("diamond", 0x22c4) N("diamondsuit", 0x2666) \
	N("diams", 0x2666) N("die", 0xa8) N("digamma", 0x3dd) \
	N("disin", 0x22f2) N("div", 0xf7) S("divide", 0xf7) \
	N("divideontimes", 0x22c7) N("divonx", 0x22c7) N("djcy", 0x452) \
	N("dlcorn", 0x231e) N("dlcrop", 0x230d) N("dollar", 0x24) \
	N("dopf", 0x1d555) N("dot", 0x2d9) N("doteq", 0x2250) \
	N("doteqdot", 0x2251) N("dotminus", 0x2238) N("dotplus", 0x2214) \
	N("dotsquare", 0x22a1) N("doublebarwedge", 0x2306) \
	N("downarrow", 0x2193) N("downdownarrows", 0x21ca) \
	N("downharpoonleft", 0x21c3) N("downharpoonright", 0x21c2) \
	N("drbkarow", 0x2910) N("drcorn", 0x231f) N("drcrop", 0x230c) \
	N("dscr", 0x1d4b9) N("dscy", 0x455) N("dsol", 0x29f6) \
	N("dstrok", 0x111) N("dtdot", 0x22f1) N("dtri", 0x25bf) \
	N("dtrif", 0x25be) N("duarr", 0x21f5) N("duhar", 0x296f) \
	N("dwangle", 0x29a6) N("dzcy", 0x45f) N("dzigrarr", 0x27ff) \
	N("eDDot", 0x2a77) N("eDot", 0x2251) S("eacute", 0xe9) \
	N("easter", 0x2a6e) N("ecaron", 0x11b) N("ecir", 0x2256) \
	S("ecirc", 0xea) N("ecolon", 0x2255) N("ecy", 0x44d) \
	N("edot", 0x117) N("ee", 0x2147) N("efDot", 0x2252) \
	N("efr", 0x1d522) N("eg", 0x2a9a) S("egrave", 0xe8) \
	N("egs", 0x2a96) N("egsdot", 0x2a98) N("el", 0x2a99) \
	N("elinters", 0x23e7) N("ell", 0x2113) N("els", 0x2a95) \
	N("elsdot", 0x2a97) N("emacr", 0x113) N("empty", 0x2205) \
	N("emptyset", 0x2205) N("emptyv", 0x2205) N("emsp", 0x2003) \
	N("emsp13", 0x2004) N("emsp14", 0x2005) N("eng", 0x14b) \
	N("ensp", 0x2002) N("eogon", 0x119) N("eopf", 0x1d556) \
	N("epar", 0x22d5) N("eparsl", 0x29e3) N("eplus", 0x2a71) \
	N("epsi", 0x3b5) N("epsilon", 0x3b5) N("epsiv", 0x3f5) \
	N("eqcirc", 0x2256) N("eqcolon", 0x2255) N("eqsim", 0x2242) \
	N("eqslantgtr", 0x2a96) N("eqslantless", 0x2a95) N("equals", 0x3d) \
	N("equest", 0x225f) N("equiv", 0x2261) N("equivDD", 0x2a78) \
	N("eqvparsl", 0x29e5) N("erDot", 0x2253) N("erarr", 0x2971) \
	N("escr", 0x212f) N("esdot", 0x2250) N("esim", 0x2242) \
	N("eta", 0x3b7) S("eth", 0xf0) S("euml", 0xeb) N("euro", 0x20ac) \
	N("excl", 0x21) N("exist", 0x2203) N("expectation", 0x2130) \
	N("exponentiale", 0x2147) N("fallingdotseq", 0x2252) \
	N("fcy", 0x444) N("female", 0x2640) N("ffilig", 0xfb03) \
	N("fflig", 0xfb00) N("ffllig", 0xfb04) N("ffr", 0x1d523) \
	N("filig", 0xfb01) P("fjlig", 0x66, 0x6a) N("flat", 0x266d) \
	N("fllig", 0xfb02) N("fltns", 0x25b1) N("fnof", 0x192) \
	N("fopf", 0x1d557) N("forall", 0x2200) N("fork", 0x22d4) \
	N("forkv", 0x2ad9) N("fpartint", 0x2a0d) S("frac12", 0xbd) \
	N("frac13", 0x2153) S("frac14", 0xbc) N("frac15", 0x2155) \
	N("frac16", 0x2159) N("frac18", 0x215b) N("frac23", 0x2154) \
	N("frac25", 0x2156) S("frac34", 0xbe) N("frac35", 0x2157) \
	N("frac38", 0x215c) N("frac45", 0x2158) N("frac56", 0x215a) \
	N("frac58", 0x215d) N("frac78", 0x215e) N("frasl", 0x2044) \
	N("frown", 0x2322) N("fscr", 0x1d4bb) N("gE", 0x2267) \
	N("gEl", 0x2a8c) N("gacute", 0x1f5) N("gamma", 0x3b3) \
	N("gammad", 0x3dd) N("gap", 0x2a86) N("gbreve", 0x11f) \
	N("gcirc", 0x11d) N("gcy", 0x433) N("gdot", 0x121) N("ge", 0x2265) \
	N("gel", 0x22db) N("geq", 0x2265) N("geqq", 0x2267) \
	N("geqslant", 0x2a7e) N("ges", 0x2a7e) N("gescc", 0x2aa9) \
	N("gesdot", 0x2a80) N("gesdoto", 0x2a82) N("gesdotol", 0x2a84) \
	P("gesl", 0x22db, 0xfe00) N("gesles", 0x2a94) N("gfr", 0x1d524) \
	N("gg", 0x226b) N("ggg", 0x22d9) N("gimel", 0x2137) \
	N("gjcy", 0x453) N("gl", 0x2277) N("glE", 0x2a92) N("gla", 0x2aa5) \
	N("glj", 0x2aa4) N("gnE", 0x2269) N("gnap", 0x2a8a) \
	N("gnapprox", 0x2a8a) N("gne", 0x2a88) N("gneq", 0x2a88) \
	N("gneqq", 0x2269) N("gnsim", 0x22e7) N("gopf", 0x1d558) \
	N("grave", 0x60) N("gscr", 0x210a) N("gsim", 0x2273) \
	N("gsime", 0x2a8e) N("gsiml", 0x2a90) S("gt", 0x3e) \
	N("gtcc", 0x2aa7) N("gtcir", 0x2a7a) N("gtdot", 0x22d7) \
	N("gtlPar", 0x2995) N("gtquest", 0x2a7c) N("gtrapprox", 0x2a86) \
	N("gtrarr", 0x2978) N("gtrdot", 0x22d7) N("gtreqless", 0x22db) \
	N("gtreqqless", 0x2a8c) N("gtrless", 0x2277) N("gtrsim", 0x2273) \
	P("gvertneqq", 0x2269, 0xfe00) P("gvnE", 0x2269, 0xfe00) \
	N("hArr", 0x21d4) N("hairsp", 0x200a) N("half", 0xbd) \
	N("hamilt", 0x210b) N("hardcy", 0x44a) N("harr", 0x2194) \
	N("harrcir", 0x2948) N("harrw", 0x21ad) N("hbar", 0x210f) \
	N("hcirc", 0x125) N("hearts", 0x2665) N("heartsuit", 0x2665) \
	N("hellip", 0x2026) N("hercon", 0x22b9) N("hfr", 0x1d525) \
	N("hksearow", 0x2925) N("hkswarow", 0x2926) N("hoarr", 0x21ff) \
	N("homtht", 0x223b) N("hookleftarrow", 0x21a9) \
	N("hookrightarrow", 0x21aa) N("hopf", 0x1d559) N("horbar", 0x2015) \
	N("hscr", 0x1d4bd) N("hslash", 0x210f) N("hstrok", 0x127) \
	N("hybull", 0x2043) N("hyphen", 0x2010) S("iacute", 0xed) \
	N("ic", 0x2063) S("icirc", 0xee) N("icy", 0x438) N("iecy", 0x435) \
	S("iexcl", 0xa1) N("iff", 0x21d4) N("ifr", 0x1d526) \
	S("igrave", 0xec) N("ii", 0x2148) N("iiiint", 0x2a0c) \
	N("iiint", 0x222d) N("iinfin", 0x29dc) N("iiota", 0x2129) \
	N("ijlig", 0x133) N("imacr", 0x12b) N("image", 0x2111) \
	N("imagline", 0x2110) N("imagpart", 0x2111) N("imath", 0x131) \
	N("imof", 0x22b7) N("imped", 0x1b5) N("in", 0x2208) \
	N("incare", 0x2105) N("infin", 0x221e) N("infintie", 0x29dd) \
	N("inodot", 0x131) N("int", 0x222b) N("intcal", 0x22ba) \
	N("integers", 0x2124) N("intercal", 0x22ba) N("intlarhk", 0x2a17) \
	N("intprod", 0x2a3c) N("iocy", 0x451) N("iogon", 0x12f) \
	N("iopf", 0x1d55a) N("iota", 0x3b9) N("iprod", 0x2a3c) \
	S("iquest", 0xbf) N("iscr", 0x1d4be) N("isin", 0x2208) \
	N("isinE", 0x22f9) N("isindot", 0x22f5) N("isins", 0x22f4) \
	N("isinsv", 0x22f3) N("isinv", 0x2208) N("it", 0x2062) \
	N("itilde", 0x129) N("iukcy", 0x456) S("iuml", 0xef) \
	N("jcirc", 0x135) N("jcy", 0x439) N("jfr", 0x1d527) \
	N("jmath", 0x237) N("jopf", 0x1d55b) N("jscr", 0x1d4bf) \
	N("jsercy", 0x458) N("jukcy", 0x454) N("kappa", 0x3ba) \
	N("kappav", 0x3f0) N("kcedil", 0x137) N("kcy", 0x43a) \
	N("kfr", 0x1d528) N("kgreen", 0x138) N("khcy", 0x445) \
	N("kjcy", 0x45c) N("kopf", 0x1d55c) N("kscr", 0x1d4c0) \
	N("lAarr", 0x21da) N("lArr", 0x21d0) N("lAtail", 0x291b) \
	N("lBarr", 0x290e) N("lE", 0x2266) N("lEg", 0x2a8b) \
	N("lHar", 0x2962) N("lacute", 0x13a) N("laemptyv", 0x29b4) \
	N("lagran", 0x2112) N("lambda", 0x3bb) N("lang", 0x27e8) \
	N("langd", 0x2991) N("langle", 0x27e8) N("lap", 0x2a85) \
	S("laquo", 0xab) N("larr", 0x2190) N("larrb", 0x21e4) \
	N("larrbfs", 0x291f) N("larrfs", 0x291d) N("larrhk", 0x21a9) \
	N("larrlp", 0x21ab) N("larrpl", 0x2939) N("larrsim", 0x2973) \
	N("larrtl", 0x21a2) N("lat", 0x2aab) N("latail", 0x2919) \
	N("late", 0x2aad) P("lates", 0x2aad, 0xfe00) N("lbarr", 0x290c) \
	N("lbbrk", 0x2772) N("lbrace", 0x7b) N("lbrack", 0x5b) \
	N("lbrke", 0x298b) N("lbrksld", 0x298f) N("lbrkslu", 0x298d) \
	N("lcaron", 0x13e) N("lcedil", 0x13c) N("lceil", 0x2308) \
	N("lcub", 0x7b) N("lcy", 0x43b) N("ldca", 0x2936) \
	N("ldquo", 0x201c) N("ldquor", 0x201e) N("ldrdhar", 0x2967) \
	N("ldrushar", 0x294b) N("ldsh", 0x21b2) N("le", 0x2264) \
	N("leftarrow", 0x2190) N("leftarrowtail", 0x21a2) \
	N("leftharpoondown", 0x21bd) N("leftharpoonup", 0x21bc) \
	N("leftleftarrows", 0x21c7) N("leftrightarrow", 0x2194) \
	N("leftrightarrows", 0x21c6) N("leftrightharpoons", 0x21cb) \
	N("leftrightsquigarrow", 0x21ad) N("leftthreetimes", 0x22cb) \
	N("leg", 0x22da) N("leq", 0x2264) N("leqq", 0x2266) \
	N("leqslant", 0x2a7d) N("les", 0x2a7d) N("lescc", 0x2aa8) \
	N("lesdot", 0x2a7f) N("lesdoto", 0x2a81) N("lesdotor", 0x2a83) \
	P("lesg", 0x22da, 0xfe00) N("lesges", 0x2a93) \
	N("lessapprox", 0x2a85) N("lessdot", 0x22d6) N("lesseqgtr", 0x22da) \
	N("lesseqqgtr", 0x2a8b) N("lessgtr", 0x2276) N("lesssim", 0x2272) \
	N("lfisht", 0x297c) N("lfloor", 0x230a) N("lfr", 0x1d529) \
	N("lg", 0x2276) N("lgE", 0x2a91) N("lhard", 0x21bd) \
	N("lharu", 0x21bc) N("lharul", 0x296a) N("lhblk", 0x2584) \
	N("ljcy", 0x459) N("ll", 0x226a) N("llarr", 0x21c7) \
	N("llcorner", 0x231e) N("llhard", 0x296b) N("lltri", 0x25fa) \
	N("lmidot", 0x140) N("lmoust", 0x23b0) N("lmoustache", 0x23b0) \
	N("lnE", 0x2268) N("lnap", 0x2a89) N("lnapprox", 0x2a89) \
	N("lne", 0x2a87) N("lneq", 0x2a87) N("lneqq", 0x2268) \
	N("lnsim", 0x22e6) N("loang", 0x27ec) N("loarr", 0x21fd) \
	N("lobrk", 0x27e6) N("longleftarrow", 0x27f5) \
	N("longleftrightarrow", 0x27f7) N("longmapsto", 0x27fc) \
	N("longrightarrow", 0x27f6) N("looparrowleft", 0x21ab) \
	N("looparrowright", 0x21ac) N("lopar", 0x2985) N("lopf", 0x1d55d) \
	N("loplus", 0x2a2d) N("lotimes", 0x2a34) N("lowast", 0x2217) \
	N("lowbar", 0x5f) N("loz", 0x25ca) N("lozenge", 0x25ca) \
	N("lozf", 0x29eb) N("lpar", 0x28) N("lparlt", 0x2993) \
	N("lrarr", 0x21c6) N("lrcorner", 0x231f) N("lrhar", 0x21cb) \
	N("lrhard", 0x296d) N("lrm", 0x200e) N("lrtri", 0x22bf) \
	N("lsaquo", 0x2039) N("lscr", 0x1d4c1) N("lsh", 0x21b0) \
	N("lsim", 0x2272) N("lsime", 0x2a8d) N("lsimg", 0x2a8f) \
	N("lsqb", 0x5b) N("lsquo", 0x2018) N("lsquor", 0x201a) \
	N("lstrok", 0x142) S("lt", 0x3c) N("ltcc", 0x2aa6) \
	N("ltcir", 0x2a79) N("ltdot", 0x22d6) N("lthree", 0x22cb) \
	N("ltimes", 0x22c9) N("ltlarr", 0x2976) N("ltquest", 0x2a7b) \
	N("ltrPar", 0x2996) N("ltri", 0x25c3) N("ltrie", 0x22b4) \
	N("ltrif", 0x25c2) N("lurdshar", 0x294a) N("luruhar", 0x2966) \
	P("lvertneqq", 0x2268, 0xfe00) P("lvnE", 0x2268, 0xfe00) \
	N("mDDot", 0x223a) S("macr", 0xaf) N("male", 0x2642) \
	N("malt", 0x2720) N("maltese", 0x2720) N("map", 0x21a6) \
	N("mapsto", 0x21a6) N("mapstodown", 0x21a7) N("mapstoleft", 0x21a4) \
	N("mapstoup", 0x21a5) N("marker", 0x25ae) N("mcomma", 0x2a29) \
	N("mcy", 0x43c) N("mdash", 0x2014) N("measuredangle", 0x2221) \
	N("mfr", 0x1d52a) N("mho", 0x2127) S("micro", 0xb5) \
	N("mid", 0x2223) N("midast", 0x2a) N("midcir", 0x2af0) \
	S("middot", 0xb7) N("minus", 0x2212) N("minusb", 0x229f) \
	N("minusd", 0x2238) N("minusdu", 0x2a2a) N("mlcp", 0x2adb) \
	N("mldr", 0x2026) N("mnplus", 0x2213) N("models", 0x22a7) \
	N("mopf", 0x1d55e) N("mp", 0x2213) N("mscr", 0x1d4c2) \
	N("mstpos", 0x223e) N("mu", 0x3bc) N("multimap", 0x22b8) \
	N("mumap", 0x22b8) P("nGg", 0x22d9, 0x338) P("nGt", 0x226b, 0x20d2) \
	P("nGtv", 0x226b, 0x338) N("nLeftarrow", 0x21cd) \
	N("nLeftrightarrow", 0x21ce) P("nLl", 0x22d8, 0x338) \
	P("nLt", 0x226a, 0x20d2) P("nLtv", 0x226a, 0x338) \
	N("nRightarrow", 0x21cf) N("nVDash", 0x22af) N("nVdash", 0x22ae) \
	N("nabla", 0x2207) N("nacute", 0x144) P("nang", 0x2220, 0x20d2) \
	N("nap", 0x2249) P("napE", 0x2a70, 0x338) P("napid", 0x224b, 0x338) \
	N("napos", 0x149) N("napprox", 0x2249) N("natur", 0x266e) \
	N("natural", 0x266e) N("naturals", 0x2115) S("nbsp", 0xa0) \
	P("nbump", 0x224e, 0x338) P("nbumpe", 0x224f, 0x338) \
	N("ncap", 0x2a43) N("ncaron", 0x148) N("ncedil", 0x146) \
	N("ncong", 0x2247) P("ncongdot", 0x2a6d, 0x338) N("ncup", 0x2a42) \
	N("ncy", 0x43d) N("ndash", 0x2013) N("ne", 0x2260) \
	N("neArr", 0x21d7) N("nearhk", 0x2924) N("nearr", 0x2197) \
	N("nearrow", 0x2197) P("nedot", 0x2250, 0x338) N("nequiv", 0x2262) \
	N("nesear", 0x2928) P("nesim", 0x2242, 0x338) N("nexist", 0x2204) \
	N("nexists", 0x2204) N("nfr", 0x1d52b) P("ngE", 0x2267, 0x338) \
	N("nge", 0x2271) N("ngeq", 0x2271) P("ngeqq", 0x2267, 0x338) \
	P("ngeqslant", 0x2a7e, 0x338) P("nges", 0x2a7e, 0x338) \
	N("ngsim", 0x2275) N("ngt", 0x226f) N("ngtr", 0x226f) \
	N("nhArr", 0x21ce) N("nharr", 0x21ae) N("nhpar", 0x2af2) \
	N("ni", 0x220b) N("nis", 0x22fc) N("nisd", 0x22fa) \
	N("niv", 0x220b) N("njcy", 0x45a) N("nlArr", 0x21cd) \
	P("nlE", 0x2266, 0x338) N("nlarr", 0x219a) N("nldr", 0x2025) \
	N("nle", 0x2270) N("nleftarrow", 0x219a) \
	N("nleftrightarrow", 0x21ae) N("nleq", 0x2270) \
	P("nleqq", 0x2266, 0x338) P("nleqslant", 0x2a7d, 0x338) \
	P("nles", 0x2a7d, 0x338) N("nless", 0x226e) N("nlsim", 0x2274) \
	N("nlt", 0x226e) N("nltri", 0x22ea) N("nltrie", 0x22ec) \
	N("nmid", 0x2224) N("nopf", 0x1d55f) S("not", 0xac) \
	N("notin", 0x2209) P("notinE", 0x22f9, 0x338) \
	P("notindot", 0x22f5, 0x338) N("notinva", 0x2209) \
	N("notinvb", 0x22f7) N("notinvc", 0x22f6) N("notni", 0x220c) \
	N("notniva", 0x220c) N("notnivb", 0x22fe) N("notnivc", 0x22fd) \
	N("npar", 0x2226) N("nparallel", 0x2226) \
	P("nparsl", 0x2afd, 0x20e5) P("npart", 0x2202, 0x338) \
	N("npolint", 0x2a14) N("npr", 0x2280) N("nprcue", 0x22e0) \
	P("npre", 0x2aaf, 0x338) N("nprec", 0x2280) \
	P("npreceq", 0x2aaf, 0x338) N("nrArr", 0x21cf) N("nrarr", 0x219b) \
	P("nrarrc", 0x2933, 0x338) P("nrarrw", 0x219d, 0x338) \
	N("nrightarrow", 0x219b) N("nrtri", 0x22eb) N("nrtrie", 0x22ed) \
	N("nsc", 0x2281) N("nsccue", 0x22e1) P("nsce", 0x2ab0, 0x338) \
	N("nscr", 0x1d4c3) N("nshortmid", 0x2224) \
	N("nshortparallel", 0x2226) N("nsim", 0x2241) N("nsime", 0x2244) \
	N("nsimeq", 0x2244) N("nsmid", 0x2224) N("nspar", 0x2226) \
	N("nsqsube", 0x22e2) N("nsqsupe", 0x22e3) N("nsub", 0x2284) \
	P("nsubE", 0x2ac5, 0x338) N("nsube", 0x2288) \
	P("nsubset", 0x2282, 0x20d2) N("nsubseteq", 0x2288) \
	P("nsubseteqq", 0x2ac5, 0x338) N("nsucc", 0x2281) \
	P("nsucceq", 0x2ab0, 0x338) N("nsup", 0x2285) \
	P("nsupE", 0x2ac6, 0x338) N("nsupe", 0x2289) \
	P("nsupset", 0x2283, 0x20d2) N("nsupseteq", 0x2289) \
	P("nsupseteqq", 0x2ac6, 0x338) N("ntgl", 0x2279) S("ntilde", 0xf1) \
	N("ntlg", 0x2278) N("ntriangleleft", 0x22ea) \
	N("ntrianglelefteq", 0x22ec) N("ntriangleright", 0x22eb) \
	N("ntrianglerighteq", 0x22ed) N("nu", 0x3bd) N("num", 0x23) \
	N("numero", 0x2116) N("numsp", 0x2007) N("nvDash", 0x22ad) \
	N("nvHarr", 0x2904) P("nvap", 0x224d, 0x20d2) N("nvdash", 0x22ac) \
	P("nvge", 0x2265, 0x20d2) P("nvgt", 0x3e, 0x20d2) \
	N("nvinfin", 0x29de) N("nvlArr", 0x2902) P("nvle", 0x2264, 0x20d2) \
	P("nvlt", 0x3c, 0x20d2) P("nvltrie", 0x22b4, 0x20d2) \
	N("nvrArr", 0x2903) P("nvrtrie", 0x22b5, 0x20d2) \
	P("nvsim", 0x223c, 0x20d2) N("nwArr", 0x21d6) N("nwarhk", 0x2923) \
	N("nwarr", 0x2196) N("nwarrow", 0x2196) N("nwnear", 0x2927) \
	N("oS", 0x24c8) S("oacute", 0xf3) N("oast", 0x229b) \
	N("ocir", 0x229a) S("ocirc", 0xf4) N("ocy", 0x43e) \
	N("odash", 0x229d) N("odblac", 0x151) N("odiv", 0x2a38) \
	N("odot", 0x2299) N("odsold", 0x29bc) N("oelig", 0x153) \
	N("ofcir", 0x29bf) N("ofr", 0x1d52c) N("ogon", 0x2db) \
	S("ograve", 0xf2) N("ogt", 0x29c1) N("ohbar", 0x29b5) \
	N("ohm", 0x3a9) N("oint", 0x222e) N("olarr", 0x21ba) \
	N("olcir", 0x29be) N("olcross", 0x29bb) N("oline", 0x203e) \
	N("olt", 0x29c0) N("omacr", 0x14d) N("omega", 0x3c9) \
	N("omicron", 0x3bf) N("omid", 0x29b6) N("ominus", 0x2296) \
	N("oopf", 0x1d560) N("opar", 0x29b7) N("operp", 0x29b9) \
	N("oplus", 0x2295) N("or", 0x2228) N("orarr", 0x21bb) \
	N("ord", 0x2a5d) N("order", 0x2134) N("orderof", 0x2134) \
	S("ordf", 0xaa) S("ordm", 0xba) N("origof", 0x22b6) \
	N("oror", 0x2a56) N("orslope", 0x2a57) N("orv", 0x2a5b) \
	N("oscr", 0x2134) S("oslash", 0xf8) N("osol", 0x2298) \
	S("otilde", 0xf5) N("otimes", 0x2297) N("otimesas", 0x2a36) \
	S("ouml", 0xf6) N("ovbar", 0x233d) N("par", 0x2225) \
	S("para", 0xb6) N("parallel", 0x2225) N("parsim", 0x2af3) \
	N("parsl", 0x2afd) N("part", 0x2202) N("pcy", 0x43f) \
	N("percnt", 0x25) N("period", 0x2e) N("permil", 0x2030) \
	N("perp", 0x22a5) N("pertenk", 0x2031) N("pfr", 0x1d52d) \
	N("phi", 0x3c6) N("phiv", 0x3d5) N("phmmat", 0x2133) \
	N("phone", 0x260e) N("pi", 0x3c0) N("pitchfork", 0x22d4) \
	N("piv", 0x3d6) N("planck", 0x210f) N("planckh", 0x210e) \
	N("plankv", 0x210f) N("plus", 0x2b) N("plusacir", 0x2a23) \
	N("plusb", 0x229e) N("pluscir", 0x2a22) N("plusdo", 0x2214) \
	N("plusdu", 0x2a25) N("pluse", 0x2a72) S("plusmn", 0xb1) \
	N("plussim", 0x2a26) N("plustwo", 0x2a27) N("pm", 0xb1) \
	N("pointint", 0x2a15) N("popf", 0x1d561) S("pound", 0xa3) \
	N("pr", 0x227a) N("prE", 0x2ab3) N("prap", 0x2ab7) \
	N("prcue", 0x227c) N("pre", 0x2aaf) N("prec", 0x227a) \
	N("precapprox", 0x2ab7) N("preccurlyeq", 0x227c) \
	N("preceq", 0x2aaf) N("precnapprox", 0x2ab9) N("precneqq", 0x2ab5) \
	N("precnsim", 0x22e8) N("precsim", 0x227e) N("prime", 0x2032) \
	N("primes", 0x2119) N("prnE", 0x2ab5) N("prnap", 0x2ab9) \
	N("prnsim", 0x22e8) N("prod", 0x220f) N("profalar", 0x232e) \
	N("profline", 0x2312) N("profsurf", 0x2313) N("prop", 0x221d) \
	N("propto", 0x221d) N("prsim", 0x227e) N("prurel", 0x22b0) \
	N("pscr", 0x1d4c5) N("psi", 0x3c8) N("puncsp", 0x2008) \
	N("qfr", 0x1d52e) N("qint", 0x2a0c) N("qopf", 0x1d562) \
	N("qprime", 0x2057) N("qscr", 0x1d4c6) N("quaternions", 0x210d) \
	N("quatint", 0x2a16) N("quest", 0x3f) N("questeq", 0x225f) \
	S("quot", 0x22) N("rAarr", 0x21db) N("rArr", 0x21d2) \
	N("rAtail", 0x291c) N("rBarr", 0x290f) N("rHar", 0x2964) \
	P("race", 0x223d, 0x331) N("racute", 0x155) N("radic", 0x221a) \
	N("raemptyv", 0x29b3) N("rang", 0x27e9) N("rangd", 0x2992) \
	N("range", 0x29a5) N("rangle", 0x27e9) S("raquo", 0xbb) \
	N("rarr", 0x2192) N("rarrap", 0x2975) N("rarrb", 0x21e5) \
	N("rarrbfs", 0x2920) N("rarrc", 0x2933) N("rarrfs", 0x291e) \
	N("rarrhk", 0x21aa) N("rarrlp", 0x21ac) N("rarrpl", 0x2945) \
	N("rarrsim", 0x2974) N("rarrtl", 0x21a3) N("rarrw", 0x219d) \
	N("ratail", 0x291a) N("ratio", 0x2236) N("rationals", 0x211a) \
	N("rbarr", 0x290d) N("rbbrk", 0x2773) N("rbrace", 0x7d) \
	N("rbrack", 0x5d) N("rbrke", 0x298c) N("rbrksld", 0x298e) \
	N("rbrkslu", 0x2990) N("rcaron", 0x159) N("rcedil", 0x157) \
	N("rceil", 0x2309) N("rcub", 0x7d) N("rcy", 0x440) \
	N("rdca", 0x2937) N("rdldhar", 0x2969) N("rdquo", 0x201d) \
	N("rdquor", 0x201d) N("rdsh", 0x21b3) N("real", 0x211c) \
	N("realine", 0x211b) N("realpart", 0x211c) N("reals", 0x211d) \
	N("rect", 0x25ad) S("reg", 0xae) N("rfisht", 0x297d) \
	N("rfloor", 0x230b) N("rfr", 0x1d52f) N("rhard", 0x21c1) \
	N("rharu", 0x21c0) N("rharul", 0x296c) N("rho", 0x3c1) \
	N("rhov", 0x3f1) N("rightarrow", 0x2192) \
	N("rightarrowtail", 0x21a3) N("rightharpoondown", 0x21c1) \
	N("rightharpoonup", 0x21c0) N("rightleftarrows", 0x21c4) \
	N("rightleftharpoons", 0x21cc) N("rightrightarrows", 0x21c9) \
	N("rightsquigarrow", 0x219d) N("rightthreetimes", 0x22cc) \
	N("ring", 0x2da) N("risingdotseq", 0x2253) N("rlarr", 0x21c4) \
	N("rlhar", 0x21cc) N("rlm", 0x200f) N("rmoust", 0x23b1) \
	N("rmoustache", 0x23b1) N("rnmid", 0x2aee) N("roang", 0x27ed) \
	N("roarr", 0x21fe) N("robrk", 0x27e7) N("ropar", 0x2986) \
	N("ropf", 0x1d563) N("roplus", 0x2a2e) N("rotimes", 0x2a35) \
	N("rpar", 0x29) N("rpargt", 0x2994) N("rppolint", 0x2a12) \
	N("rrarr", 0x21c9) N("rsaquo", 0x203a) N("rscr", 0x1d4c7) \
	N("rsh", 0x21b1) N("rsqb", 0x5d) N("rsquo", 0x2019) \
	N("rsquor", 0x2019) N("rthree", 0x22cc) N("rtimes", 0x22ca) \
	N("rtri", 0x25b9) N("rtrie", 0x22b5) N("rtrif", 0x25b8) \
	N("rtriltri", 0x29ce) N("ruluhar", 0x2968) N("rx", 0x211e) \
	N("sacute", 0x15b) N("sbquo", 0x201a) N("sc", 0x227b) \
	N("scE", 0x2ab4) N("scap", 0x2ab8) N("scaron", 0x161) \
	N("sccue", 0x227d) N("sce", 0x2ab0) N("scedil", 0x15f) \
	N("scirc", 0x15d) N("scnE", 0x2ab6) N("scnap", 0x2aba) \
	N("scnsim", 0x22e9) N("scpolint", 0x2a13) N("scsim", 0x227f) \
	N("scy", 0x441) N("sdot", 0x22c5) N("sdotb", 0x22a1) \
	N("sdote", 0x2a66) N("seArr", 0x21d8) N("searhk", 0x2925) \
	N("searr", 0x2198) N("searrow", 0x2198) S("sect", 0xa7) \
	N("semi", 0x3b) N("seswar", 0x2929) N("setminus", 0x2216) \
	N("setmn", 0x2216) N("sext", 0x2736) N("sfr", 0x1d530) \
	N("sfrown", 0x2322) N("sharp", 0x266f) N("shchcy", 0x449) \
	N("shcy", 0x448) N("shortmid", 0x2223) N("shortparallel", 0x2225) \
	S("shy", 0xad) N("sigma", 0x3c3) N("sigmaf", 0x3c2) \
	N("sigmav", 0x3c2) N("sim", 0x223c) N("simdot", 0x2a6a) \
	N("sime", 0x2243) N("simeq", 0x2243) N("simg", 0x2a9e) \
	N("simgE", 0x2aa0) N("siml", 0x2a9d) N("simlE", 0x2a9f) \
	N("simne", 0x2246) N("simplus", 0x2a24) N("simrarr", 0x2972) \
	N("slarr", 0x2190) N("smallsetminus", 0x2216) N("smashp", 0x2a33) \
	N("smeparsl", 0x29e4) N("smid", 0x2223) N("smile", 0x2323) \
	N("smt", 0x2aaa) N("smte", 0x2aac) P("smtes", 0x2aac, 0xfe00) \
	N("softcy", 0x44c) N("sol", 0x2f) N("solb", 0x29c4) \
	N("solbar", 0x233f) N("sopf", 0x1d564) N("spades", 0x2660) \
	N("spadesuit", 0x2660) N("spar", 0x2225) N("sqcap", 0x2293) \
	P("sqcaps", 0x2293, 0xfe00) N("sqcup", 0x2294) \
	P("sqcups", 0x2294, 0xfe00) N("sqsub", 0x228f) N("sqsube", 0x2291) \
	N("sqsubset", 0x228f) N("sqsubseteq", 0x2291) N("sqsup", 0x2290) \
	N("sqsupe", 0x2292) N("sqsupset", 0x2290) N("sqsupseteq", 0x2292) \
	N("squ", 0x25a1) N("square", 0x25a1) N("squarf", 0x25aa) \
	N("squf", 0x25aa) N("srarr", 0x2192) N("sscr", 0x1d4c8) \
	N("ssetmn", 0x2216) N("ssmile", 0x2323) N("sstarf", 0x22c6) \
	N("star", 0x2606) N("starf", 0x2605) N("straightepsilon", 0x3f5) \
	N("straightphi", 0x3d5) N("strns", 0xaf) N("sub", 0x2282) \
	N("subE", 0x2ac5) N("subdot", 0x2abd) N("sube", 0x2286) \
	N("subedot", 0x2ac3) N("submult", 0x2ac1) N("subnE", 0x2acb) \
	N("subne", 0x228a) N("subplus", 0x2abf) N("subrarr", 0x2979) \
	N("subset", 0x2282) N("subseteq", 0x2286) N("subseteqq", 0x2ac5) \
	N("subsetneq", 0x228a) N("subsetneqq", 0x2acb) N("subsim", 0x2ac7) \
	N("subsub", 0x2ad5) N("subsup", 0x2ad3) N("succ", 0x227b) \
	N("succapprox", 0x2ab8) N("succcurlyeq", 0x227d) \
	N("succeq", 0x2ab0) N("succnapprox", 0x2aba) N("succneqq", 0x2ab6) \
	N("succnsim", 0x22e9) N("succsim", 0x227f) N("sum", 0x2211) \
	N("sung", 0x266a) N("sup", 0x2283) S("sup1", 0xb9) S("sup2", 0xb2) \
	S("sup3", 0xb3) N("supE", 0x2ac6) N("supdot", 0x2abe) \
	N("supdsub", 0x2ad8) N("supe", 0x2287) N("supedot", 0x2ac4) \
	N("suphsol", 0x27c9) N("suphsub", 0x2ad7) N("suplarr", 0x297b) \
	N("supmult", 0x2ac2) N("supnE", 0x2acc) N("supne", 0x228b) \
	N("supplus", 0x2ac0) N("supset", 0x2283) N("supseteq", 0x2287) \
	N("supseteqq", 0x2ac6) N("supsetneq", 0x228b) \
	N("supsetneqq", 0x2acc) N("supsim", 0x2ac8) N("supsub", 0x2ad4) \
	N("supsup", 0x2ad6) N("swArr", 0x21d9) N("swarhk", 0x2926) \
	N("swarr", 0x2199) N("swarrow", 0x2199) N("swnwar", 0x292a) \
	S("szlig", 0xdf) N("target", 0x2316) N("tau", 0x3c4) \
	N("tbrk", 0x23b4) N("tcaron", 0x165) N("tcedil", 0x163) \
	N("tcy", 0x442) N("tdot", 0x20db) N("telrec", 0x2315) \
	N("tfr", 0x1d531) N("there4", 0x2234) N("therefore", 0x2234) \
	N("theta", 0x3b8) N("thetasym", 0x3d1) N("thetav", 0x3d1) \
	N("thickapprox", 0x2248) N("thicksim", 0x223c) N("thinsp", 0x2009) \
	N("thkap", 0x2248) N("thksim", 0x223c) S("thorn", 0xfe) \
	N("tilde", 0x2dc) S("times", 0xd7) N("timesb", 0x22a0) \
	N("timesbar", 0x2a31) N("timesd", 0x2a30) N("tint", 0x222d) \
	N("toea", 0x2928) N("top", 0x22a4) N("topbot", 0x2336) \
	N("topcir", 0x2af1) N("topf", 0x1d565) N("topfork", 0x2ada) \
	N("tosa", 0x2929) N("tprime", 0x2034) N("trade", 0x2122) \
	N("triangle", 0x25b5) N("triangledown", 0x25bf) \
	N("triangleleft", 0x25c3) N("trianglelefteq", 0x22b4) \
	N("triangleq", 0x225c) N("triangleright", 0x25b9) \
	N("trianglerighteq", 0x22b5) N("tridot", 0x25ec) N("trie", 0x225c) \
	N("triminus", 0x2a3a) N("triplus", 0x2a39) N("trisb", 0x29cd) \
	N("tritime", 0x2a3b) N("trpezium", 0x23e2) N("tscr", 0x1d4c9) \
	N("tscy", 0x446) N("tshcy", 0x45b) N("tstrok", 0x167) \
	N("twixt", 0x226c) N("twoheadleftarrow", 0x219e) \
	N("twoheadrightarrow", 0x21a0) N("uArr", 0x21d1) N("uHar", 0x2963) \
	S("uacute", 0xfa) N("uarr", 0x2191) N("ubrcy", 0x45e) \
	N("ubreve", 0x16d) S("ucirc", 0xfb) N("ucy", 0x443) \
	N("udarr", 0x21c5) N("udblac", 0x171) N("udhar", 0x296e) \
	N("ufisht", 0x297e) N("ufr", 0x1d532) S("ugrave", 0xf9) \
	N("uharl", 0x21bf) N("uharr", 0x21be) N("uhblk", 0x2580) \
	N("ulcorn", 0x231c) N("ulcorner", 0x231c) N("ulcrop", 0x230f) \
	N("ultri", 0x25f8) N("umacr", 0x16b) S("uml", 0xa8) \
	N("uogon", 0x173) N("uopf", 0x1d566) N("uparrow", 0x2191) \
	N("updownarrow", 0x2195) N("upharpoonleft", 0x21bf) \
	N("upharpoonright", 0x21be) N("uplus", 0x228e) N("upsi", 0x3c5) \
	N("upsih", 0x3d2) N("upsilon", 0x3c5) N("upuparrows", 0x21c8) \
	N("urcorn", 0x231d) N("urcorner", 0x231d) N("urcrop", 0x230e) \
	N("uring", 0x16f) N("urtri", 0x25f9) N("uscr", 0x1d4ca) \
	N("utdot", 0x22f0) N("utilde", 0x169) N("utri", 0x25b5) \
	N("utrif", 0x25b4) N("uuarr", 0x21c8) S("uuml", 0xfc) \
	N("uwangle", 0x29a7) N("vArr", 0x21d5) N("vBar", 0x2ae8) \
	N("vBarv", 0x2ae9) N("vDash", 0x22a8) N("vangrt", 0x299c) \
	N("varepsilon", 0x3f5) N("varkappa", 0x3f0) N("varnothing", 0x2205) \
	N("varphi", 0x3d5) N("varpi", 0x3d6) N("varpropto", 0x221d) \
	N("varr", 0x2195) N("varrho", 0x3f1) N("varsigma", 0x3c2) \
	P("varsubsetneq", 0x228a, 0xfe00) P("varsubsetneqq", 0x2acb, 0xfe00) \
	P("varsupsetneq", 0x228b, 0xfe00) P("varsupsetneqq", 0x2acc, 0xfe00) \
	N("vartheta", 0x3d1) N("vartriangleleft", 0x22b2) \
	N("vartriangleright", 0x22b3) N("vcy", 0x432) N("vdash", 0x22a2) \
	N("vee", 0x2228) N("veebar", 0x22bb) N("veeeq", 0x225a) \
	N("vellip", 0x22ee) N("verbar", 0x7c) N("vert", 0x7c) \
	N("vfr", 0x1d533) N("vltri", 0x22b2) P("vnsub", 0x2282, 0x20d2) \
	P("vnsup", 0x2283, 0x20d2) N("vopf", 0x1d567) N("vprop", 0x221d) \
	N("vrtri", 0x22b3) N("vscr", 0x1d4cb) P("vsubnE", 0x2acb, 0xfe00) \
	P("vsubne", 0x228a, 0xfe00) P("vsupnE", 0x2acc, 0xfe00) \
	P("vsupne", 0x228b, 0xfe00) N("vzigzag", 0x299a) N("wcirc", 0x175) \
	N("wedbar", 0x2a5f) N("wedge", 0x2227) N("wedgeq", 0x2259) \
	N("weierp", 0x2118) N("wfr", 0x1d534) N("wopf", 0x1d568) \
	N("wp", 0x2118) N("wr", 0x2240) N("wreath", 0x2240) \
	N("wscr", 0x1d4cc) N("xcap", 0x22c2) N("xcirc", 0x25ef) \
	N("xcup", 0x22c3) N("xdtri", 0x25bd) N("xfr", 0x1d535) \
	N("xhArr", 0x27fa) N("xharr", 0x27f7) N("xi", 0x3be) \
	N("xlArr", 0x27f8) N("xlarr", 0x27f5) N("xmap", 0x27fc) \
	N("xnis", 0x22fb) N("xodot", 0x2a00) N("xopf", 0x1d569) \
	N("xoplus", 0x2a01) N("xotime", 0x2a02) N("xrArr", 0x27f9) \
	N("xrarr", 0x27f6) N("xscr", 0x1d4cd) N("xsqcup", 0x2a06) \
	N("xuplus", 0x2a04) N("xutri", 0x25b3) N("xvee", 0x22c1) \
	N("xwedge", 0x22c0) S("yacute", 0xfd) N("yacy", 0x44f) \
	N("ycirc", 0x177) N("ycy", 0x44b) S("yen", 0xa5) N("yfr", 0x1d536) \
	N("yicy", 0x457) N("yopf", 0x1d56a) N("yscr", 0x1d4ce) \
	N("yucy", 0x44e) S("yuml", 0xff) N("zacute", 0x17a) \
	N("zcaron", 0x17e) N("zcy", 0x437) N("zdot", 0x17c) \
	N("zeetrf", 0x2128) N("zeta", 0x3b6) N("zfr", 0x1d537) \
	N("zhcy", 0x436) N("zigrarr", 0x21dd) N("zopf", 0x1d56b) \
	N("zscr", 0x1d4cf) N("zwj", 0x200d) N("zwnj", 0x200c)

#endif
