/* references.c - decodes character references (see references.h).
 *
 * Names are searched letter by letter in the sorted table: each letter narrows
 * the range of names with that prefix, and the longest name found on the way
 * counts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "references.h"

#include "base/array.h"
#include "base/ascii.h"
#include "base/utf8.h"

struct reference_name {
	const char *text;	/* without '&' and ';' */
	uint32_t c, d;		/* its code points; d is 0 if only one */
	uint8_t n;		/* bytes of text */
	bool may_lack_semicolon;
};

/* The named character references of HTML: the table of the HTML standard,
 * section 13.5 (2,125 names, of which 106 are also valid without their
 * semicolon), sorted by name in byte order.
 *     N(name, c)      one code point, in hexadecimal
 *     S(name, c)      one code point, and the semicolon is optional
 *     P(name, c, d)   two code points
 */
#define N(name, c) { #name, 0x##c, 0, sizeof(#name) - 1, false },
#define S(name, c) { #name, 0x##c, 0, sizeof(#name) - 1, true },
#define P(name, c, d) { #name, 0x##c, 0x##d, sizeof(#name) - 1, false },
static const struct reference_name names[] = {
	S(AElig, c6) S(AMP, 26) S(Aacute, c1) N(Abreve, 102) S(Acirc, c2)
	N(Acy, 410) N(Afr, 1d504) S(Agrave, c0) N(Alpha, 391) N(Amacr, 100)
	N(And, 2a53) N(Aogon, 104) N(Aopf, 1d538) N(ApplyFunction, 2061)
	S(Aring, c5) N(Ascr, 1d49c) N(Assign, 2254) S(Atilde, c3) S(Auml, c4)
	N(Backslash, 2216) N(Barv, 2ae7) N(Barwed, 2306) N(Bcy, 411)
	N(Because, 2235) N(Bernoullis, 212c) N(Beta, 392) N(Bfr, 1d505)
	N(Bopf, 1d539) N(Breve, 2d8) N(Bscr, 212c) N(Bumpeq, 224e) N(CHcy, 427)
	S(COPY, a9) N(Cacute, 106) N(Cap, 22d2) N(CapitalDifferentialD, 2145)
	N(Cayleys, 212d) N(Ccaron, 10c) S(Ccedil, c7) N(Ccirc, 108)
	N(Cconint, 2230) N(Cdot, 10a) N(Cedilla, b8) N(CenterDot, b7)
	N(Cfr, 212d) N(Chi, 3a7) N(CircleDot, 2299) N(CircleMinus, 2296)
	N(CirclePlus, 2295) N(CircleTimes, 2297)
	N(ClockwiseContourIntegral, 2232) N(CloseCurlyDoubleQuote, 201d)
	N(CloseCurlyQuote, 2019) N(Colon, 2237) N(Colone, 2a74)
	N(Congruent, 2261) N(Conint, 222f) N(ContourIntegral, 222e)
	N(Copf, 2102) N(Coproduct, 2210)
	N(CounterClockwiseContourIntegral, 2233) N(Cross, 2a2f) N(Cscr, 1d49e)
	N(Cup, 22d3) N(CupCap, 224d) N(DD, 2145) N(DDotrahd, 2911) N(DJcy, 402)
	N(DScy, 405) N(DZcy, 40f) N(Dagger, 2021) N(Darr, 21a1) N(Dashv, 2ae4)
	N(Dcaron, 10e) N(Dcy, 414) N(Del, 2207) N(Delta, 394) N(Dfr, 1d507)
	N(DiacriticalAcute, b4) N(DiacriticalDot, 2d9)
	N(DiacriticalDoubleAcute, 2dd) N(DiacriticalGrave, 60)
	N(DiacriticalTilde, 2dc) N(Diamond, 22c4) N(DifferentialD, 2146)
	N(Dopf, 1d53b) N(Dot, a8) N(DotDot, 20dc) N(DotEqual, 2250)
	N(DoubleContourIntegral, 222f) N(DoubleDot, a8) N(DoubleDownArrow, 21d3)
	N(DoubleLeftArrow, 21d0) N(DoubleLeftRightArrow, 21d4)
	N(DoubleLeftTee, 2ae4) N(DoubleLongLeftArrow, 27f8)
	N(DoubleLongLeftRightArrow, 27fa) N(DoubleLongRightArrow, 27f9)
	N(DoubleRightArrow, 21d2) N(DoubleRightTee, 22a8) N(DoubleUpArrow, 21d1)
	N(DoubleUpDownArrow, 21d5) N(DoubleVerticalBar, 2225) N(DownArrow, 2193)
	N(DownArrowBar, 2913) N(DownArrowUpArrow, 21f5) N(DownBreve, 311)
	N(DownLeftRightVector, 2950) N(DownLeftTeeVector, 295e)
	N(DownLeftVector, 21bd) N(DownLeftVectorBar, 2956)
	N(DownRightTeeVector, 295f) N(DownRightVector, 21c1)
	N(DownRightVectorBar, 2957) N(DownTee, 22a4) N(DownTeeArrow, 21a7)
	N(Downarrow, 21d3) N(Dscr, 1d49f) N(Dstrok, 110) N(ENG, 14a) S(ETH, d0)
	S(Eacute, c9) N(Ecaron, 11a) S(Ecirc, ca) N(Ecy, 42d) N(Edot, 116)
	N(Efr, 1d508) S(Egrave, c8) N(Element, 2208) N(Emacr, 112)
	N(EmptySmallSquare, 25fb) N(EmptyVerySmallSquare, 25ab) N(Eogon, 118)
	N(Eopf, 1d53c) N(Epsilon, 395) N(Equal, 2a75) N(EqualTilde, 2242)
	N(Equilibrium, 21cc) N(Escr, 2130) N(Esim, 2a73) N(Eta, 397) S(Euml, cb)
	N(Exists, 2203) N(ExponentialE, 2147) N(Fcy, 424) N(Ffr, 1d509)
	N(FilledSmallSquare, 25fc) N(FilledVerySmallSquare, 25aa) N(Fopf, 1d53d)
	N(ForAll, 2200) N(Fouriertrf, 2131) N(Fscr, 2131) N(GJcy, 403) S(GT, 3e)
	N(Gamma, 393) N(Gammad, 3dc) N(Gbreve, 11e) N(Gcedil, 122) N(Gcirc, 11c)
	N(Gcy, 413) N(Gdot, 120) N(Gfr, 1d50a) N(Gg, 22d9) N(Gopf, 1d53e)
	N(GreaterEqual, 2265) N(GreaterEqualLess, 22db)
	N(GreaterFullEqual, 2267) N(GreaterGreater, 2aa2) N(GreaterLess, 2277)
	N(GreaterSlantEqual, 2a7e) N(GreaterTilde, 2273) N(Gscr, 1d4a2)
	N(Gt, 226b) N(HARDcy, 42a) N(Hacek, 2c7) N(Hat, 5e) N(Hcirc, 124)
	N(Hfr, 210c) N(HilbertSpace, 210b) N(Hopf, 210d) N(HorizontalLine, 2500)
	N(Hscr, 210b) N(Hstrok, 126) N(HumpDownHump, 224e) N(HumpEqual, 224f)
	N(IEcy, 415) N(IJlig, 132) N(IOcy, 401) S(Iacute, cd) S(Icirc, ce)
	N(Icy, 418) N(Idot, 130) N(Ifr, 2111) S(Igrave, cc) N(Im, 2111)
	N(Imacr, 12a) N(ImaginaryI, 2148) N(Implies, 21d2) N(Int, 222c)
	N(Integral, 222b) N(Intersection, 22c2) N(InvisibleComma, 2063)
	N(InvisibleTimes, 2062) N(Iogon, 12e) N(Iopf, 1d540) N(Iota, 399)
	N(Iscr, 2110) N(Itilde, 128) N(Iukcy, 406) S(Iuml, cf) N(Jcirc, 134)
	N(Jcy, 419) N(Jfr, 1d50d) N(Jopf, 1d541) N(Jscr, 1d4a5) N(Jsercy, 408)
	N(Jukcy, 404) N(KHcy, 425) N(KJcy, 40c) N(Kappa, 39a) N(Kcedil, 136)
	N(Kcy, 41a) N(Kfr, 1d50e) N(Kopf, 1d542) N(Kscr, 1d4a6) N(LJcy, 409)
	S(LT, 3c) N(Lacute, 139) N(Lambda, 39b) N(Lang, 27ea)
	N(Laplacetrf, 2112) N(Larr, 219e) N(Lcaron, 13d) N(Lcedil, 13b)
	N(Lcy, 41b) N(LeftAngleBracket, 27e8) N(LeftArrow, 2190)
	N(LeftArrowBar, 21e4) N(LeftArrowRightArrow, 21c6) N(LeftCeiling, 2308)
	N(LeftDoubleBracket, 27e6) N(LeftDownTeeVector, 2961)
	N(LeftDownVector, 21c3) N(LeftDownVectorBar, 2959) N(LeftFloor, 230a)
	N(LeftRightArrow, 2194) N(LeftRightVector, 294e) N(LeftTee, 22a3)
	N(LeftTeeArrow, 21a4) N(LeftTeeVector, 295a) N(LeftTriangle, 22b2)
	N(LeftTriangleBar, 29cf) N(LeftTriangleEqual, 22b4)
	N(LeftUpDownVector, 2951) N(LeftUpTeeVector, 2960) N(LeftUpVector, 21bf)
	N(LeftUpVectorBar, 2958) N(LeftVector, 21bc) N(LeftVectorBar, 2952)
	N(Leftarrow, 21d0) N(Leftrightarrow, 21d4) N(LessEqualGreater, 22da)
	N(LessFullEqual, 2266) N(LessGreater, 2276) N(LessLess, 2aa1)
	N(LessSlantEqual, 2a7d) N(LessTilde, 2272) N(Lfr, 1d50f) N(Ll, 22d8)
	N(Lleftarrow, 21da) N(Lmidot, 13f) N(LongLeftArrow, 27f5)
	N(LongLeftRightArrow, 27f7) N(LongRightArrow, 27f6)
	N(Longleftarrow, 27f8) N(Longleftrightarrow, 27fa)
	N(Longrightarrow, 27f9) N(Lopf, 1d543) N(LowerLeftArrow, 2199)
	N(LowerRightArrow, 2198) N(Lscr, 2112) N(Lsh, 21b0) N(Lstrok, 141)
	N(Lt, 226a) N(Map, 2905) N(Mcy, 41c) N(MediumSpace, 205f)
	N(Mellintrf, 2133) N(Mfr, 1d510) N(MinusPlus, 2213) N(Mopf, 1d544)
	N(Mscr, 2133) N(Mu, 39c) N(NJcy, 40a) N(Nacute, 143) N(Ncaron, 147)
	N(Ncedil, 145) N(Ncy, 41d) N(NegativeMediumSpace, 200b)
	N(NegativeThickSpace, 200b) N(NegativeThinSpace, 200b)
	N(NegativeVeryThinSpace, 200b) N(NestedGreaterGreater, 226b)
	N(NestedLessLess, 226a) N(NewLine, a) N(Nfr, 1d511) N(NoBreak, 2060)
	N(NonBreakingSpace, a0) N(Nopf, 2115) N(Not, 2aec) N(NotCongruent, 2262)
	N(NotCupCap, 226d) N(NotDoubleVerticalBar, 2226) N(NotElement, 2209)
	N(NotEqual, 2260) P(NotEqualTilde, 2242, 338) N(NotExists, 2204)
	N(NotGreater, 226f) N(NotGreaterEqual, 2271)
	P(NotGreaterFullEqual, 2267, 338) P(NotGreaterGreater, 226b, 338)
	N(NotGreaterLess, 2279) P(NotGreaterSlantEqual, 2a7e, 338)
	N(NotGreaterTilde, 2275) P(NotHumpDownHump, 224e, 338)
	P(NotHumpEqual, 224f, 338) N(NotLeftTriangle, 22ea)
	P(NotLeftTriangleBar, 29cf, 338) N(NotLeftTriangleEqual, 22ec)
	N(NotLess, 226e) N(NotLessEqual, 2270) N(NotLessGreater, 2278)
	P(NotLessLess, 226a, 338) P(NotLessSlantEqual, 2a7d, 338)
	N(NotLessTilde, 2274) P(NotNestedGreaterGreater, 2aa2, 338)
	P(NotNestedLessLess, 2aa1, 338) N(NotPrecedes, 2280)
	P(NotPrecedesEqual, 2aaf, 338) N(NotPrecedesSlantEqual, 22e0)
	N(NotReverseElement, 220c) N(NotRightTriangle, 22eb)
	P(NotRightTriangleBar, 29d0, 338) N(NotRightTriangleEqual, 22ed)
	P(NotSquareSubset, 228f, 338) N(NotSquareSubsetEqual, 22e2)
	P(NotSquareSuperset, 2290, 338) N(NotSquareSupersetEqual, 22e3)
	P(NotSubset, 2282, 20d2) N(NotSubsetEqual, 2288) N(NotSucceeds, 2281)
	P(NotSucceedsEqual, 2ab0, 338) N(NotSucceedsSlantEqual, 22e1)
	P(NotSucceedsTilde, 227f, 338) P(NotSuperset, 2283, 20d2)
	N(NotSupersetEqual, 2289) N(NotTilde, 2241) N(NotTildeEqual, 2244)
	N(NotTildeFullEqual, 2247) N(NotTildeTilde, 2249)
	N(NotVerticalBar, 2224) N(Nscr, 1d4a9) S(Ntilde, d1) N(Nu, 39d)
	N(OElig, 152) S(Oacute, d3) S(Ocirc, d4) N(Ocy, 41e) N(Odblac, 150)
	N(Ofr, 1d512) S(Ograve, d2) N(Omacr, 14c) N(Omega, 3a9) N(Omicron, 39f)
	N(Oopf, 1d546) N(OpenCurlyDoubleQuote, 201c) N(OpenCurlyQuote, 2018)
	N(Or, 2a54) N(Oscr, 1d4aa) S(Oslash, d8) S(Otilde, d5) N(Otimes, 2a37)
	S(Ouml, d6) N(OverBar, 203e) N(OverBrace, 23de) N(OverBracket, 23b4)
	N(OverParenthesis, 23dc) N(PartialD, 2202) N(Pcy, 41f) N(Pfr, 1d513)
	N(Phi, 3a6) N(Pi, 3a0) N(PlusMinus, b1) N(Poincareplane, 210c)
	N(Popf, 2119) N(Pr, 2abb) N(Precedes, 227a) N(PrecedesEqual, 2aaf)
	N(PrecedesSlantEqual, 227c) N(PrecedesTilde, 227e) N(Prime, 2033)
	N(Product, 220f) N(Proportion, 2237) N(Proportional, 221d)
	N(Pscr, 1d4ab) N(Psi, 3a8) S(QUOT, 22) N(Qfr, 1d514) N(Qopf, 211a)
	N(Qscr, 1d4ac) N(RBarr, 2910) S(REG, ae) N(Racute, 154) N(Rang, 27eb)
	N(Rarr, 21a0) N(Rarrtl, 2916) N(Rcaron, 158) N(Rcedil, 156) N(Rcy, 420)
	N(Re, 211c) N(ReverseElement, 220b) N(ReverseEquilibrium, 21cb)
	N(ReverseUpEquilibrium, 296f) N(Rfr, 211c) N(Rho, 3a1)
	N(RightAngleBracket, 27e9) N(RightArrow, 2192) N(RightArrowBar, 21e5)
	N(RightArrowLeftArrow, 21c4) N(RightCeiling, 2309)
	N(RightDoubleBracket, 27e7) N(RightDownTeeVector, 295d)
	N(RightDownVector, 21c2) N(RightDownVectorBar, 2955) N(RightFloor, 230b)
	N(RightTee, 22a2) N(RightTeeArrow, 21a6) N(RightTeeVector, 295b)
	N(RightTriangle, 22b3) N(RightTriangleBar, 29d0)
	N(RightTriangleEqual, 22b5) N(RightUpDownVector, 294f)
	N(RightUpTeeVector, 295c) N(RightUpVector, 21be)
	N(RightUpVectorBar, 2954) N(RightVector, 21c0) N(RightVectorBar, 2953)
	N(Rightarrow, 21d2) N(Ropf, 211d) N(RoundImplies, 2970)
	N(Rrightarrow, 21db) N(Rscr, 211b) N(Rsh, 21b1) N(RuleDelayed, 29f4)
	N(SHCHcy, 429) N(SHcy, 428) N(SOFTcy, 42c) N(Sacute, 15a) N(Sc, 2abc)
	N(Scaron, 160) N(Scedil, 15e) N(Scirc, 15c) N(Scy, 421) N(Sfr, 1d516)
	N(ShortDownArrow, 2193) N(ShortLeftArrow, 2190) N(ShortRightArrow, 2192)
	N(ShortUpArrow, 2191) N(Sigma, 3a3) N(SmallCircle, 2218) N(Sopf, 1d54a)
	N(Sqrt, 221a) N(Square, 25a1) N(SquareIntersection, 2293)
	N(SquareSubset, 228f) N(SquareSubsetEqual, 2291) N(SquareSuperset, 2290)
	N(SquareSupersetEqual, 2292) N(SquareUnion, 2294) N(Sscr, 1d4ae)
	N(Star, 22c6) N(Sub, 22d0) N(Subset, 22d0) N(SubsetEqual, 2286)
	N(Succeeds, 227b) N(SucceedsEqual, 2ab0) N(SucceedsSlantEqual, 227d)
	N(SucceedsTilde, 227f) N(SuchThat, 220b) N(Sum, 2211) N(Sup, 22d1)
	N(Superset, 2283) N(SupersetEqual, 2287) N(Supset, 22d1) S(THORN, de)
	N(TRADE, 2122) N(TSHcy, 40b) N(TScy, 426) N(Tab, 9) N(Tau, 3a4)
	N(Tcaron, 164) N(Tcedil, 162) N(Tcy, 422) N(Tfr, 1d517)
	N(Therefore, 2234) N(Theta, 398) P(ThickSpace, 205f, 200a)
	N(ThinSpace, 2009) N(Tilde, 223c) N(TildeEqual, 2243)
	N(TildeFullEqual, 2245) N(TildeTilde, 2248) N(Topf, 1d54b)
	N(TripleDot, 20db) N(Tscr, 1d4af) N(Tstrok, 166) S(Uacute, da)
	N(Uarr, 219f) N(Uarrocir, 2949) N(Ubrcy, 40e) N(Ubreve, 16c)
	S(Ucirc, db) N(Ucy, 423) N(Udblac, 170) N(Ufr, 1d518) S(Ugrave, d9)
	N(Umacr, 16a) N(UnderBar, 5f) N(UnderBrace, 23df) N(UnderBracket, 23b5)
	N(UnderParenthesis, 23dd) N(Union, 22c3) N(UnionPlus, 228e)
	N(Uogon, 172) N(Uopf, 1d54c) N(UpArrow, 2191) N(UpArrowBar, 2912)
	N(UpArrowDownArrow, 21c5) N(UpDownArrow, 2195) N(UpEquilibrium, 296e)
	N(UpTee, 22a5) N(UpTeeArrow, 21a5) N(Uparrow, 21d1) N(Updownarrow, 21d5)
	N(UpperLeftArrow, 2196) N(UpperRightArrow, 2197) N(Upsi, 3d2)
	N(Upsilon, 3a5) N(Uring, 16e) N(Uscr, 1d4b0) N(Utilde, 168) S(Uuml, dc)
	N(VDash, 22ab) N(Vbar, 2aeb) N(Vcy, 412) N(Vdash, 22a9) N(Vdashl, 2ae6)
	N(Vee, 22c1) N(Verbar, 2016) N(Vert, 2016) N(VerticalBar, 2223)
	N(VerticalLine, 7c) N(VerticalSeparator, 2758) N(VerticalTilde, 2240)
	N(VeryThinSpace, 200a) N(Vfr, 1d519) N(Vopf, 1d54d) N(Vscr, 1d4b1)
	N(Vvdash, 22aa) N(Wcirc, 174) N(Wedge, 22c0) N(Wfr, 1d51a)
	N(Wopf, 1d54e) N(Wscr, 1d4b2) N(Xfr, 1d51b) N(Xi, 39e) N(Xopf, 1d54f)
	N(Xscr, 1d4b3) N(YAcy, 42f) N(YIcy, 407) N(YUcy, 42e) S(Yacute, dd)
	N(Ycirc, 176) N(Ycy, 42b) N(Yfr, 1d51c) N(Yopf, 1d550) N(Yscr, 1d4b4)
	N(Yuml, 178) N(ZHcy, 416) N(Zacute, 179) N(Zcaron, 17d) N(Zcy, 417)
	N(Zdot, 17b) N(ZeroWidthSpace, 200b) N(Zeta, 396) N(Zfr, 2128)
	N(Zopf, 2124) N(Zscr, 1d4b5) S(aacute, e1) N(abreve, 103) N(ac, 223e)
	P(acE, 223e, 333) N(acd, 223f) S(acirc, e2) S(acute, b4) N(acy, 430)
	S(aelig, e6) N(af, 2061) N(afr, 1d51e) S(agrave, e0) N(alefsym, 2135)
	N(aleph, 2135) N(alpha, 3b1) N(amacr, 101) N(amalg, 2a3f) S(amp, 26)
	N(and, 2227) N(andand, 2a55) N(andd, 2a5c) N(andslope, 2a58)
	N(andv, 2a5a) N(ang, 2220) N(ange, 29a4) N(angle, 2220) N(angmsd, 2221)
	N(angmsdaa, 29a8) N(angmsdab, 29a9) N(angmsdac, 29aa) N(angmsdad, 29ab)
	N(angmsdae, 29ac) N(angmsdaf, 29ad) N(angmsdag, 29ae) N(angmsdah, 29af)
	N(angrt, 221f) N(angrtvb, 22be) N(angrtvbd, 299d) N(angsph, 2222)
	N(angst, c5) N(angzarr, 237c) N(aogon, 105) N(aopf, 1d552) N(ap, 2248)
	N(apE, 2a70) N(apacir, 2a6f) N(ape, 224a) N(apid, 224b) N(apos, 27)
	N(approx, 2248) N(approxeq, 224a) S(aring, e5) N(ascr, 1d4b6) N(ast, 2a)
	N(asymp, 2248) N(asympeq, 224d) S(atilde, e3) S(auml, e4)
	N(awconint, 2233) N(awint, 2a11) N(bNot, 2aed) N(backcong, 224c)
	N(backepsilon, 3f6) N(backprime, 2035) N(backsim, 223d)
	N(backsimeq, 22cd) N(barvee, 22bd) N(barwed, 2305) N(barwedge, 2305)
	N(bbrk, 23b5) N(bbrktbrk, 23b6) N(bcong, 224c) N(bcy, 431)
	N(bdquo, 201e) N(becaus, 2235) N(because, 2235) N(bemptyv, 29b0)
	N(bepsi, 3f6) N(bernou, 212c) N(beta, 3b2) N(beth, 2136)
	N(between, 226c) N(bfr, 1d51f) N(bigcap, 22c2) N(bigcirc, 25ef)
	N(bigcup, 22c3) N(bigodot, 2a00) N(bigoplus, 2a01) N(bigotimes, 2a02)
	N(bigsqcup, 2a06) N(bigstar, 2605) N(bigtriangledown, 25bd)
	N(bigtriangleup, 25b3) N(biguplus, 2a04) N(bigvee, 22c1)
	N(bigwedge, 22c0) N(bkarow, 290d) N(blacklozenge, 29eb)
	N(blacksquare, 25aa) N(blacktriangle, 25b4) N(blacktriangledown, 25be)
	N(blacktriangleleft, 25c2) N(blacktriangleright, 25b8) N(blank, 2423)
	N(blk12, 2592) N(blk14, 2591) N(blk34, 2593) N(block, 2588)
	P(bne, 3d, 20e5) P(bnequiv, 2261, 20e5) N(bnot, 2310) N(bopf, 1d553)
	N(bot, 22a5) N(bottom, 22a5) N(bowtie, 22c8) N(boxDL, 2557)
	N(boxDR, 2554) N(boxDl, 2556) N(boxDr, 2553) N(boxH, 2550)
	N(boxHD, 2566) N(boxHU, 2569) N(boxHd, 2564) N(boxHu, 2567)
	N(boxUL, 255d) N(boxUR, 255a) N(boxUl, 255c) N(boxUr, 2559)
	N(boxV, 2551) N(boxVH, 256c) N(boxVL, 2563) N(boxVR, 2560)
	N(boxVh, 256b) N(boxVl, 2562) N(boxVr, 255f) N(boxbox, 29c9)
	N(boxdL, 2555) N(boxdR, 2552) N(boxdl, 2510) N(boxdr, 250c)
	N(boxh, 2500) N(boxhD, 2565) N(boxhU, 2568) N(boxhd, 252c)
	N(boxhu, 2534) N(boxminus, 229f) N(boxplus, 229e) N(boxtimes, 22a0)
	N(boxuL, 255b) N(boxuR, 2558) N(boxul, 2518) N(boxur, 2514)
	N(boxv, 2502) N(boxvH, 256a) N(boxvL, 2561) N(boxvR, 255e)
	N(boxvh, 253c) N(boxvl, 2524) N(boxvr, 251c) N(bprime, 2035)
	N(breve, 2d8) S(brvbar, a6) N(bscr, 1d4b7) N(bsemi, 204f) N(bsim, 223d)
	N(bsime, 22cd) N(bsol, 5c) N(bsolb, 29c5) N(bsolhsub, 27c8)
	N(bull, 2022) N(bullet, 2022) N(bump, 224e) N(bumpE, 2aae)
	N(bumpe, 224f) N(bumpeq, 224f) N(cacute, 107) N(cap, 2229)
	N(capand, 2a44) N(capbrcup, 2a49) N(capcap, 2a4b) N(capcup, 2a47)
	N(capdot, 2a40) P(caps, 2229, fe00) N(caret, 2041) N(caron, 2c7)
	N(ccaps, 2a4d) N(ccaron, 10d) S(ccedil, e7) N(ccirc, 109) N(ccups, 2a4c)
	N(ccupssm, 2a50) N(cdot, 10b) S(cedil, b8) N(cemptyv, 29b2) S(cent, a2)
	N(centerdot, b7) N(cfr, 1d520) N(chcy, 447) N(check, 2713)
	N(checkmark, 2713) N(chi, 3c7) N(cir, 25cb) N(cirE, 29c3) N(circ, 2c6)
	N(circeq, 2257) N(circlearrowleft, 21ba) N(circlearrowright, 21bb)
	N(circledR, ae) N(circledS, 24c8) N(circledast, 229b)
	N(circledcirc, 229a) N(circleddash, 229d) N(cire, 2257)
	N(cirfnint, 2a10) N(cirmid, 2aef) N(cirscir, 29c2) N(clubs, 2663)
	N(clubsuit, 2663) N(colon, 3a) N(colone, 2254) N(coloneq, 2254)
	N(comma, 2c) N(commat, 40) N(comp, 2201) N(compfn, 2218)
	N(complement, 2201) N(complexes, 2102) N(cong, 2245) N(congdot, 2a6d)
	N(conint, 222e) N(copf, 1d554) N(coprod, 2210) S(copy, a9)
	N(copysr, 2117) N(crarr, 21b5) N(cross, 2717) N(cscr, 1d4b8)
	N(csub, 2acf) N(csube, 2ad1) N(csup, 2ad0) N(csupe, 2ad2) N(ctdot, 22ef)
	N(cudarrl, 2938) N(cudarrr, 2935) N(cuepr, 22de) N(cuesc, 22df)
	N(cularr, 21b6) N(cularrp, 293d) N(cup, 222a) N(cupbrcap, 2a48)
	N(cupcap, 2a46) N(cupcup, 2a4a) N(cupdot, 228d) N(cupor, 2a45)
	P(cups, 222a, fe00) N(curarr, 21b7) N(curarrm, 293c)
	N(curlyeqprec, 22de) N(curlyeqsucc, 22df) N(curlyvee, 22ce)
	N(curlywedge, 22cf) S(curren, a4) N(curvearrowleft, 21b6)
	N(curvearrowright, 21b7) N(cuvee, 22ce) N(cuwed, 22cf) N(cwconint, 2232)
	N(cwint, 2231) N(cylcty, 232d) N(dArr, 21d3) N(dHar, 2965)
	N(dagger, 2020) N(daleth, 2138) N(darr, 2193) N(dash, 2010)
	N(dashv, 22a3) N(dbkarow, 290f) N(dblac, 2dd) N(dcaron, 10f) N(dcy, 434)
	N(dd, 2146) N(ddagger, 2021) N(ddarr, 21ca) N(ddotseq, 2a77) S(deg, b0)
	N(delta, 3b4) N(demptyv, 29b1) N(dfisht, 297f) N(dfr, 1d521)
	N(dharl, 21c3) N(dharr, 21c2) N(diam, 22c4) N(diamond, 22c4)
	N(diamondsuit, 2666) N(diams, 2666) N(die, a8) N(digamma, 3dd)
	N(disin, 22f2) N(div, f7) S(divide, f7) N(divideontimes, 22c7)
	N(divonx, 22c7) N(djcy, 452) N(dlcorn, 231e) N(dlcrop, 230d)
	N(dollar, 24) N(dopf, 1d555) N(dot, 2d9) N(doteq, 2250)
	N(doteqdot, 2251) N(dotminus, 2238) N(dotplus, 2214) N(dotsquare, 22a1)
	N(doublebarwedge, 2306) N(downarrow, 2193) N(downdownarrows, 21ca)
	N(downharpoonleft, 21c3) N(downharpoonright, 21c2) N(drbkarow, 2910)
	N(drcorn, 231f) N(drcrop, 230c) N(dscr, 1d4b9) N(dscy, 455)
	N(dsol, 29f6) N(dstrok, 111) N(dtdot, 22f1) N(dtri, 25bf) N(dtrif, 25be)
	N(duarr, 21f5) N(duhar, 296f) N(dwangle, 29a6) N(dzcy, 45f)
	N(dzigrarr, 27ff) N(eDDot, 2a77) N(eDot, 2251) S(eacute, e9)
	N(easter, 2a6e) N(ecaron, 11b) N(ecir, 2256) S(ecirc, ea)
	N(ecolon, 2255) N(ecy, 44d) N(edot, 117) N(ee, 2147) N(efDot, 2252)
	N(efr, 1d522) N(eg, 2a9a) S(egrave, e8) N(egs, 2a96) N(egsdot, 2a98)
	N(el, 2a99) N(elinters, 23e7) N(ell, 2113) N(els, 2a95) N(elsdot, 2a97)
	N(emacr, 113) N(empty, 2205) N(emptyset, 2205) N(emptyv, 2205)
	N(emsp, 2003) N(emsp13, 2004) N(emsp14, 2005) N(eng, 14b) N(ensp, 2002)
	N(eogon, 119) N(eopf, 1d556) N(epar, 22d5) N(eparsl, 29e3)
	N(eplus, 2a71) N(epsi, 3b5) N(epsilon, 3b5) N(epsiv, 3f5)
	N(eqcirc, 2256) N(eqcolon, 2255) N(eqsim, 2242) N(eqslantgtr, 2a96)
	N(eqslantless, 2a95) N(equals, 3d) N(equest, 225f) N(equiv, 2261)
	N(equivDD, 2a78) N(eqvparsl, 29e5) N(erDot, 2253) N(erarr, 2971)
	N(escr, 212f) N(esdot, 2250) N(esim, 2242) N(eta, 3b7) S(eth, f0)
	S(euml, eb) N(euro, 20ac) N(excl, 21) N(exist, 2203)
	N(expectation, 2130) N(exponentiale, 2147) N(fallingdotseq, 2252)
	N(fcy, 444) N(female, 2640) N(ffilig, fb03) N(fflig, fb00)
	N(ffllig, fb04) N(ffr, 1d523) N(filig, fb01) P(fjlig, 66, 6a)
	N(flat, 266d) N(fllig, fb02) N(fltns, 25b1) N(fnof, 192) N(fopf, 1d557)
	N(forall, 2200) N(fork, 22d4) N(forkv, 2ad9) N(fpartint, 2a0d)
	S(frac12, bd) N(frac13, 2153) S(frac14, bc) N(frac15, 2155)
	N(frac16, 2159) N(frac18, 215b) N(frac23, 2154) N(frac25, 2156)
	S(frac34, be) N(frac35, 2157) N(frac38, 215c) N(frac45, 2158)
	N(frac56, 215a) N(frac58, 215d) N(frac78, 215e) N(frasl, 2044)
	N(frown, 2322) N(fscr, 1d4bb) N(gE, 2267) N(gEl, 2a8c) N(gacute, 1f5)
	N(gamma, 3b3) N(gammad, 3dd) N(gap, 2a86) N(gbreve, 11f) N(gcirc, 11d)
	N(gcy, 433) N(gdot, 121) N(ge, 2265) N(gel, 22db) N(geq, 2265)
	N(geqq, 2267) N(geqslant, 2a7e) N(ges, 2a7e) N(gescc, 2aa9)
	N(gesdot, 2a80) N(gesdoto, 2a82) N(gesdotol, 2a84) P(gesl, 22db, fe00)
	N(gesles, 2a94) N(gfr, 1d524) N(gg, 226b) N(ggg, 22d9) N(gimel, 2137)
	N(gjcy, 453) N(gl, 2277) N(glE, 2a92) N(gla, 2aa5) N(glj, 2aa4)
	N(gnE, 2269) N(gnap, 2a8a) N(gnapprox, 2a8a) N(gne, 2a88) N(gneq, 2a88)
	N(gneqq, 2269) N(gnsim, 22e7) N(gopf, 1d558) N(grave, 60) N(gscr, 210a)
	N(gsim, 2273) N(gsime, 2a8e) N(gsiml, 2a90) S(gt, 3e) N(gtcc, 2aa7)
	N(gtcir, 2a7a) N(gtdot, 22d7) N(gtlPar, 2995) N(gtquest, 2a7c)
	N(gtrapprox, 2a86) N(gtrarr, 2978) N(gtrdot, 22d7) N(gtreqless, 22db)
	N(gtreqqless, 2a8c) N(gtrless, 2277) N(gtrsim, 2273)
	P(gvertneqq, 2269, fe00) P(gvnE, 2269, fe00) N(hArr, 21d4)
	N(hairsp, 200a) N(half, bd) N(hamilt, 210b) N(hardcy, 44a) N(harr, 2194)
	N(harrcir, 2948) N(harrw, 21ad) N(hbar, 210f) N(hcirc, 125)
	N(hearts, 2665) N(heartsuit, 2665) N(hellip, 2026) N(hercon, 22b9)
	N(hfr, 1d525) N(hksearow, 2925) N(hkswarow, 2926) N(hoarr, 21ff)
	N(homtht, 223b) N(hookleftarrow, 21a9) N(hookrightarrow, 21aa)
	N(hopf, 1d559) N(horbar, 2015) N(hscr, 1d4bd) N(hslash, 210f)
	N(hstrok, 127) N(hybull, 2043) N(hyphen, 2010) S(iacute, ed) N(ic, 2063)
	S(icirc, ee) N(icy, 438) N(iecy, 435) S(iexcl, a1) N(iff, 21d4)
	N(ifr, 1d526) S(igrave, ec) N(ii, 2148) N(iiiint, 2a0c) N(iiint, 222d)
	N(iinfin, 29dc) N(iiota, 2129) N(ijlig, 133) N(imacr, 12b)
	N(image, 2111) N(imagline, 2110) N(imagpart, 2111) N(imath, 131)
	N(imof, 22b7) N(imped, 1b5) N(in, 2208) N(incare, 2105) N(infin, 221e)
	N(infintie, 29dd) N(inodot, 131) N(int, 222b) N(intcal, 22ba)
	N(integers, 2124) N(intercal, 22ba) N(intlarhk, 2a17) N(intprod, 2a3c)
	N(iocy, 451) N(iogon, 12f) N(iopf, 1d55a) N(iota, 3b9) N(iprod, 2a3c)
	S(iquest, bf) N(iscr, 1d4be) N(isin, 2208) N(isinE, 22f9)
	N(isindot, 22f5) N(isins, 22f4) N(isinsv, 22f3) N(isinv, 2208)
	N(it, 2062) N(itilde, 129) N(iukcy, 456) S(iuml, ef) N(jcirc, 135)
	N(jcy, 439) N(jfr, 1d527) N(jmath, 237) N(jopf, 1d55b) N(jscr, 1d4bf)
	N(jsercy, 458) N(jukcy, 454) N(kappa, 3ba) N(kappav, 3f0) N(kcedil, 137)
	N(kcy, 43a) N(kfr, 1d528) N(kgreen, 138) N(khcy, 445) N(kjcy, 45c)
	N(kopf, 1d55c) N(kscr, 1d4c0) N(lAarr, 21da) N(lArr, 21d0)
	N(lAtail, 291b) N(lBarr, 290e) N(lE, 2266) N(lEg, 2a8b) N(lHar, 2962)
	N(lacute, 13a) N(laemptyv, 29b4) N(lagran, 2112) N(lambda, 3bb)
	N(lang, 27e8) N(langd, 2991) N(langle, 27e8) N(lap, 2a85) S(laquo, ab)
	N(larr, 2190) N(larrb, 21e4) N(larrbfs, 291f) N(larrfs, 291d)
	N(larrhk, 21a9) N(larrlp, 21ab) N(larrpl, 2939) N(larrsim, 2973)
	N(larrtl, 21a2) N(lat, 2aab) N(latail, 2919) N(late, 2aad)
	P(lates, 2aad, fe00) N(lbarr, 290c) N(lbbrk, 2772) N(lbrace, 7b)
	N(lbrack, 5b) N(lbrke, 298b) N(lbrksld, 298f) N(lbrkslu, 298d)
	N(lcaron, 13e) N(lcedil, 13c) N(lceil, 2308) N(lcub, 7b) N(lcy, 43b)
	N(ldca, 2936) N(ldquo, 201c) N(ldquor, 201e) N(ldrdhar, 2967)
	N(ldrushar, 294b) N(ldsh, 21b2) N(le, 2264) N(leftarrow, 2190)
	N(leftarrowtail, 21a2) N(leftharpoondown, 21bd) N(leftharpoonup, 21bc)
	N(leftleftarrows, 21c7) N(leftrightarrow, 2194) N(leftrightarrows, 21c6)
	N(leftrightharpoons, 21cb) N(leftrightsquigarrow, 21ad)
	N(leftthreetimes, 22cb) N(leg, 22da) N(leq, 2264) N(leqq, 2266)
	N(leqslant, 2a7d) N(les, 2a7d) N(lescc, 2aa8) N(lesdot, 2a7f)
	N(lesdoto, 2a81) N(lesdotor, 2a83) P(lesg, 22da, fe00) N(lesges, 2a93)
	N(lessapprox, 2a85) N(lessdot, 22d6) N(lesseqgtr, 22da)
	N(lesseqqgtr, 2a8b) N(lessgtr, 2276) N(lesssim, 2272) N(lfisht, 297c)
	N(lfloor, 230a) N(lfr, 1d529) N(lg, 2276) N(lgE, 2a91) N(lhard, 21bd)
	N(lharu, 21bc) N(lharul, 296a) N(lhblk, 2584) N(ljcy, 459) N(ll, 226a)
	N(llarr, 21c7) N(llcorner, 231e) N(llhard, 296b) N(lltri, 25fa)
	N(lmidot, 140) N(lmoust, 23b0) N(lmoustache, 23b0) N(lnE, 2268)
	N(lnap, 2a89) N(lnapprox, 2a89) N(lne, 2a87) N(lneq, 2a87)
	N(lneqq, 2268) N(lnsim, 22e6) N(loang, 27ec) N(loarr, 21fd)
	N(lobrk, 27e6) N(longleftarrow, 27f5) N(longleftrightarrow, 27f7)
	N(longmapsto, 27fc) N(longrightarrow, 27f6) N(looparrowleft, 21ab)
	N(looparrowright, 21ac) N(lopar, 2985) N(lopf, 1d55d) N(loplus, 2a2d)
	N(lotimes, 2a34) N(lowast, 2217) N(lowbar, 5f) N(loz, 25ca)
	N(lozenge, 25ca) N(lozf, 29eb) N(lpar, 28) N(lparlt, 2993)
	N(lrarr, 21c6) N(lrcorner, 231f) N(lrhar, 21cb) N(lrhard, 296d)
	N(lrm, 200e) N(lrtri, 22bf) N(lsaquo, 2039) N(lscr, 1d4c1) N(lsh, 21b0)
	N(lsim, 2272) N(lsime, 2a8d) N(lsimg, 2a8f) N(lsqb, 5b) N(lsquo, 2018)
	N(lsquor, 201a) N(lstrok, 142) S(lt, 3c) N(ltcc, 2aa6) N(ltcir, 2a79)
	N(ltdot, 22d6) N(lthree, 22cb) N(ltimes, 22c9) N(ltlarr, 2976)
	N(ltquest, 2a7b) N(ltrPar, 2996) N(ltri, 25c3) N(ltrie, 22b4)
	N(ltrif, 25c2) N(lurdshar, 294a) N(luruhar, 2966)
	P(lvertneqq, 2268, fe00) P(lvnE, 2268, fe00) N(mDDot, 223a) S(macr, af)
	N(male, 2642) N(malt, 2720) N(maltese, 2720) N(map, 21a6)
	N(mapsto, 21a6) N(mapstodown, 21a7) N(mapstoleft, 21a4)
	N(mapstoup, 21a5) N(marker, 25ae) N(mcomma, 2a29) N(mcy, 43c)
	N(mdash, 2014) N(measuredangle, 2221) N(mfr, 1d52a) N(mho, 2127)
	S(micro, b5) N(mid, 2223) N(midast, 2a) N(midcir, 2af0) S(middot, b7)
	N(minus, 2212) N(minusb, 229f) N(minusd, 2238) N(minusdu, 2a2a)
	N(mlcp, 2adb) N(mldr, 2026) N(mnplus, 2213) N(models, 22a7)
	N(mopf, 1d55e) N(mp, 2213) N(mscr, 1d4c2) N(mstpos, 223e) N(mu, 3bc)
	N(multimap, 22b8) N(mumap, 22b8) P(nGg, 22d9, 338) P(nGt, 226b, 20d2)
	P(nGtv, 226b, 338) N(nLeftarrow, 21cd) N(nLeftrightarrow, 21ce)
	P(nLl, 22d8, 338) P(nLt, 226a, 20d2) P(nLtv, 226a, 338)
	N(nRightarrow, 21cf) N(nVDash, 22af) N(nVdash, 22ae) N(nabla, 2207)
	N(nacute, 144) P(nang, 2220, 20d2) N(nap, 2249) P(napE, 2a70, 338)
	P(napid, 224b, 338) N(napos, 149) N(napprox, 2249) N(natur, 266e)
	N(natural, 266e) N(naturals, 2115) S(nbsp, a0) P(nbump, 224e, 338)
	P(nbumpe, 224f, 338) N(ncap, 2a43) N(ncaron, 148) N(ncedil, 146)
	N(ncong, 2247) P(ncongdot, 2a6d, 338) N(ncup, 2a42) N(ncy, 43d)
	N(ndash, 2013) N(ne, 2260) N(neArr, 21d7) N(nearhk, 2924) N(nearr, 2197)
	N(nearrow, 2197) P(nedot, 2250, 338) N(nequiv, 2262) N(nesear, 2928)
	P(nesim, 2242, 338) N(nexist, 2204) N(nexists, 2204) N(nfr, 1d52b)
	P(ngE, 2267, 338) N(nge, 2271) N(ngeq, 2271) P(ngeqq, 2267, 338)
	P(ngeqslant, 2a7e, 338) P(nges, 2a7e, 338) N(ngsim, 2275) N(ngt, 226f)
	N(ngtr, 226f) N(nhArr, 21ce) N(nharr, 21ae) N(nhpar, 2af2) N(ni, 220b)
	N(nis, 22fc) N(nisd, 22fa) N(niv, 220b) N(njcy, 45a) N(nlArr, 21cd)
	P(nlE, 2266, 338) N(nlarr, 219a) N(nldr, 2025) N(nle, 2270)
	N(nleftarrow, 219a) N(nleftrightarrow, 21ae) N(nleq, 2270)
	P(nleqq, 2266, 338) P(nleqslant, 2a7d, 338) P(nles, 2a7d, 338)
	N(nless, 226e) N(nlsim, 2274) N(nlt, 226e) N(nltri, 22ea)
	N(nltrie, 22ec) N(nmid, 2224) N(nopf, 1d55f) S(not, ac) N(notin, 2209)
	P(notinE, 22f9, 338) P(notindot, 22f5, 338) N(notinva, 2209)
	N(notinvb, 22f7) N(notinvc, 22f6) N(notni, 220c) N(notniva, 220c)
	N(notnivb, 22fe) N(notnivc, 22fd) N(npar, 2226) N(nparallel, 2226)
	P(nparsl, 2afd, 20e5) P(npart, 2202, 338) N(npolint, 2a14) N(npr, 2280)
	N(nprcue, 22e0) P(npre, 2aaf, 338) N(nprec, 2280) P(npreceq, 2aaf, 338)
	N(nrArr, 21cf) N(nrarr, 219b) P(nrarrc, 2933, 338) P(nrarrw, 219d, 338)
	N(nrightarrow, 219b) N(nrtri, 22eb) N(nrtrie, 22ed) N(nsc, 2281)
	N(nsccue, 22e1) P(nsce, 2ab0, 338) N(nscr, 1d4c3) N(nshortmid, 2224)
	N(nshortparallel, 2226) N(nsim, 2241) N(nsime, 2244) N(nsimeq, 2244)
	N(nsmid, 2224) N(nspar, 2226) N(nsqsube, 22e2) N(nsqsupe, 22e3)
	N(nsub, 2284) P(nsubE, 2ac5, 338) N(nsube, 2288) P(nsubset, 2282, 20d2)
	N(nsubseteq, 2288) P(nsubseteqq, 2ac5, 338) N(nsucc, 2281)
	P(nsucceq, 2ab0, 338) N(nsup, 2285) P(nsupE, 2ac6, 338) N(nsupe, 2289)
	P(nsupset, 2283, 20d2) N(nsupseteq, 2289) P(nsupseteqq, 2ac6, 338)
	N(ntgl, 2279) S(ntilde, f1) N(ntlg, 2278) N(ntriangleleft, 22ea)
	N(ntrianglelefteq, 22ec) N(ntriangleright, 22eb)
	N(ntrianglerighteq, 22ed) N(nu, 3bd) N(num, 23) N(numero, 2116)
	N(numsp, 2007) N(nvDash, 22ad) N(nvHarr, 2904) P(nvap, 224d, 20d2)
	N(nvdash, 22ac) P(nvge, 2265, 20d2) P(nvgt, 3e, 20d2) N(nvinfin, 29de)
	N(nvlArr, 2902) P(nvle, 2264, 20d2) P(nvlt, 3c, 20d2)
	P(nvltrie, 22b4, 20d2) N(nvrArr, 2903) P(nvrtrie, 22b5, 20d2)
	P(nvsim, 223c, 20d2) N(nwArr, 21d6) N(nwarhk, 2923) N(nwarr, 2196)
	N(nwarrow, 2196) N(nwnear, 2927) N(oS, 24c8) S(oacute, f3) N(oast, 229b)
	N(ocir, 229a) S(ocirc, f4) N(ocy, 43e) N(odash, 229d) N(odblac, 151)
	N(odiv, 2a38) N(odot, 2299) N(odsold, 29bc) N(oelig, 153) N(ofcir, 29bf)
	N(ofr, 1d52c) N(ogon, 2db) S(ograve, f2) N(ogt, 29c1) N(ohbar, 29b5)
	N(ohm, 3a9) N(oint, 222e) N(olarr, 21ba) N(olcir, 29be) N(olcross, 29bb)
	N(oline, 203e) N(olt, 29c0) N(omacr, 14d) N(omega, 3c9) N(omicron, 3bf)
	N(omid, 29b6) N(ominus, 2296) N(oopf, 1d560) N(opar, 29b7)
	N(operp, 29b9) N(oplus, 2295) N(or, 2228) N(orarr, 21bb) N(ord, 2a5d)
	N(order, 2134) N(orderof, 2134) S(ordf, aa) S(ordm, ba) N(origof, 22b6)
	N(oror, 2a56) N(orslope, 2a57) N(orv, 2a5b) N(oscr, 2134) S(oslash, f8)
	N(osol, 2298) S(otilde, f5) N(otimes, 2297) N(otimesas, 2a36)
	S(ouml, f6) N(ovbar, 233d) N(par, 2225) S(para, b6) N(parallel, 2225)
	N(parsim, 2af3) N(parsl, 2afd) N(part, 2202) N(pcy, 43f) N(percnt, 25)
	N(period, 2e) N(permil, 2030) N(perp, 22a5) N(pertenk, 2031)
	N(pfr, 1d52d) N(phi, 3c6) N(phiv, 3d5) N(phmmat, 2133) N(phone, 260e)
	N(pi, 3c0) N(pitchfork, 22d4) N(piv, 3d6) N(planck, 210f)
	N(planckh, 210e) N(plankv, 210f) N(plus, 2b) N(plusacir, 2a23)
	N(plusb, 229e) N(pluscir, 2a22) N(plusdo, 2214) N(plusdu, 2a25)
	N(pluse, 2a72) S(plusmn, b1) N(plussim, 2a26) N(plustwo, 2a27) N(pm, b1)
	N(pointint, 2a15) N(popf, 1d561) S(pound, a3) N(pr, 227a) N(prE, 2ab3)
	N(prap, 2ab7) N(prcue, 227c) N(pre, 2aaf) N(prec, 227a)
	N(precapprox, 2ab7) N(preccurlyeq, 227c) N(preceq, 2aaf)
	N(precnapprox, 2ab9) N(precneqq, 2ab5) N(precnsim, 22e8)
	N(precsim, 227e) N(prime, 2032) N(primes, 2119) N(prnE, 2ab5)
	N(prnap, 2ab9) N(prnsim, 22e8) N(prod, 220f) N(profalar, 232e)
	N(profline, 2312) N(profsurf, 2313) N(prop, 221d) N(propto, 221d)
	N(prsim, 227e) N(prurel, 22b0) N(pscr, 1d4c5) N(psi, 3c8)
	N(puncsp, 2008) N(qfr, 1d52e) N(qint, 2a0c) N(qopf, 1d562)
	N(qprime, 2057) N(qscr, 1d4c6) N(quaternions, 210d) N(quatint, 2a16)
	N(quest, 3f) N(questeq, 225f) S(quot, 22) N(rAarr, 21db) N(rArr, 21d2)
	N(rAtail, 291c) N(rBarr, 290f) N(rHar, 2964) P(race, 223d, 331)
	N(racute, 155) N(radic, 221a) N(raemptyv, 29b3) N(rang, 27e9)
	N(rangd, 2992) N(range, 29a5) N(rangle, 27e9) S(raquo, bb) N(rarr, 2192)
	N(rarrap, 2975) N(rarrb, 21e5) N(rarrbfs, 2920) N(rarrc, 2933)
	N(rarrfs, 291e) N(rarrhk, 21aa) N(rarrlp, 21ac) N(rarrpl, 2945)
	N(rarrsim, 2974) N(rarrtl, 21a3) N(rarrw, 219d) N(ratail, 291a)
	N(ratio, 2236) N(rationals, 211a) N(rbarr, 290d) N(rbbrk, 2773)
	N(rbrace, 7d) N(rbrack, 5d) N(rbrke, 298c) N(rbrksld, 298e)
	N(rbrkslu, 2990) N(rcaron, 159) N(rcedil, 157) N(rceil, 2309)
	N(rcub, 7d) N(rcy, 440) N(rdca, 2937) N(rdldhar, 2969) N(rdquo, 201d)
	N(rdquor, 201d) N(rdsh, 21b3) N(real, 211c) N(realine, 211b)
	N(realpart, 211c) N(reals, 211d) N(rect, 25ad) S(reg, ae)
	N(rfisht, 297d) N(rfloor, 230b) N(rfr, 1d52f) N(rhard, 21c1)
	N(rharu, 21c0) N(rharul, 296c) N(rho, 3c1) N(rhov, 3f1)
	N(rightarrow, 2192) N(rightarrowtail, 21a3) N(rightharpoondown, 21c1)
	N(rightharpoonup, 21c0) N(rightleftarrows, 21c4)
	N(rightleftharpoons, 21cc) N(rightrightarrows, 21c9)
	N(rightsquigarrow, 219d) N(rightthreetimes, 22cc) N(ring, 2da)
	N(risingdotseq, 2253) N(rlarr, 21c4) N(rlhar, 21cc) N(rlm, 200f)
	N(rmoust, 23b1) N(rmoustache, 23b1) N(rnmid, 2aee) N(roang, 27ed)
	N(roarr, 21fe) N(robrk, 27e7) N(ropar, 2986) N(ropf, 1d563)
	N(roplus, 2a2e) N(rotimes, 2a35) N(rpar, 29) N(rpargt, 2994)
	N(rppolint, 2a12) N(rrarr, 21c9) N(rsaquo, 203a) N(rscr, 1d4c7)
	N(rsh, 21b1) N(rsqb, 5d) N(rsquo, 2019) N(rsquor, 2019) N(rthree, 22cc)
	N(rtimes, 22ca) N(rtri, 25b9) N(rtrie, 22b5) N(rtrif, 25b8)
	N(rtriltri, 29ce) N(ruluhar, 2968) N(rx, 211e) N(sacute, 15b)
	N(sbquo, 201a) N(sc, 227b) N(scE, 2ab4) N(scap, 2ab8) N(scaron, 161)
	N(sccue, 227d) N(sce, 2ab0) N(scedil, 15f) N(scirc, 15d) N(scnE, 2ab6)
	N(scnap, 2aba) N(scnsim, 22e9) N(scpolint, 2a13) N(scsim, 227f)
	N(scy, 441) N(sdot, 22c5) N(sdotb, 22a1) N(sdote, 2a66) N(seArr, 21d8)
	N(searhk, 2925) N(searr, 2198) N(searrow, 2198) S(sect, a7) N(semi, 3b)
	N(seswar, 2929) N(setminus, 2216) N(setmn, 2216) N(sext, 2736)
	N(sfr, 1d530) N(sfrown, 2322) N(sharp, 266f) N(shchcy, 449) N(shcy, 448)
	N(shortmid, 2223) N(shortparallel, 2225) S(shy, ad) N(sigma, 3c3)
	N(sigmaf, 3c2) N(sigmav, 3c2) N(sim, 223c) N(simdot, 2a6a) N(sime, 2243)
	N(simeq, 2243) N(simg, 2a9e) N(simgE, 2aa0) N(siml, 2a9d) N(simlE, 2a9f)
	N(simne, 2246) N(simplus, 2a24) N(simrarr, 2972) N(slarr, 2190)
	N(smallsetminus, 2216) N(smashp, 2a33) N(smeparsl, 29e4) N(smid, 2223)
	N(smile, 2323) N(smt, 2aaa) N(smte, 2aac) P(smtes, 2aac, fe00)
	N(softcy, 44c) N(sol, 2f) N(solb, 29c4) N(solbar, 233f) N(sopf, 1d564)
	N(spades, 2660) N(spadesuit, 2660) N(spar, 2225) N(sqcap, 2293)
	P(sqcaps, 2293, fe00) N(sqcup, 2294) P(sqcups, 2294, fe00)
	N(sqsub, 228f) N(sqsube, 2291) N(sqsubset, 228f) N(sqsubseteq, 2291)
	N(sqsup, 2290) N(sqsupe, 2292) N(sqsupset, 2290) N(sqsupseteq, 2292)
	N(squ, 25a1) N(square, 25a1) N(squarf, 25aa) N(squf, 25aa)
	N(srarr, 2192) N(sscr, 1d4c8) N(ssetmn, 2216) N(ssmile, 2323)
	N(sstarf, 22c6) N(star, 2606) N(starf, 2605) N(straightepsilon, 3f5)
	N(straightphi, 3d5) N(strns, af) N(sub, 2282) N(subE, 2ac5)
	N(subdot, 2abd) N(sube, 2286) N(subedot, 2ac3) N(submult, 2ac1)
	N(subnE, 2acb) N(subne, 228a) N(subplus, 2abf) N(subrarr, 2979)
	N(subset, 2282) N(subseteq, 2286) N(subseteqq, 2ac5) N(subsetneq, 228a)
	N(subsetneqq, 2acb) N(subsim, 2ac7) N(subsub, 2ad5) N(subsup, 2ad3)
	N(succ, 227b) N(succapprox, 2ab8) N(succcurlyeq, 227d) N(succeq, 2ab0)
	N(succnapprox, 2aba) N(succneqq, 2ab6) N(succnsim, 22e9)
	N(succsim, 227f) N(sum, 2211) N(sung, 266a) N(sup, 2283) S(sup1, b9)
	S(sup2, b2) S(sup3, b3) N(supE, 2ac6) N(supdot, 2abe) N(supdsub, 2ad8)
	N(supe, 2287) N(supedot, 2ac4) N(suphsol, 27c9) N(suphsub, 2ad7)
	N(suplarr, 297b) N(supmult, 2ac2) N(supnE, 2acc) N(supne, 228b)
	N(supplus, 2ac0) N(supset, 2283) N(supseteq, 2287) N(supseteqq, 2ac6)
	N(supsetneq, 228b) N(supsetneqq, 2acc) N(supsim, 2ac8) N(supsub, 2ad4)
	N(supsup, 2ad6) N(swArr, 21d9) N(swarhk, 2926) N(swarr, 2199)
	N(swarrow, 2199) N(swnwar, 292a) S(szlig, df) N(target, 2316)
	N(tau, 3c4) N(tbrk, 23b4) N(tcaron, 165) N(tcedil, 163) N(tcy, 442)
	N(tdot, 20db) N(telrec, 2315) N(tfr, 1d531) N(there4, 2234)
	N(therefore, 2234) N(theta, 3b8) N(thetasym, 3d1) N(thetav, 3d1)
	N(thickapprox, 2248) N(thicksim, 223c) N(thinsp, 2009) N(thkap, 2248)
	N(thksim, 223c) S(thorn, fe) N(tilde, 2dc) S(times, d7) N(timesb, 22a0)
	N(timesbar, 2a31) N(timesd, 2a30) N(tint, 222d) N(toea, 2928)
	N(top, 22a4) N(topbot, 2336) N(topcir, 2af1) N(topf, 1d565)
	N(topfork, 2ada) N(tosa, 2929) N(tprime, 2034) N(trade, 2122)
	N(triangle, 25b5) N(triangledown, 25bf) N(triangleleft, 25c3)
	N(trianglelefteq, 22b4) N(triangleq, 225c) N(triangleright, 25b9)
	N(trianglerighteq, 22b5) N(tridot, 25ec) N(trie, 225c) N(triminus, 2a3a)
	N(triplus, 2a39) N(trisb, 29cd) N(tritime, 2a3b) N(trpezium, 23e2)
	N(tscr, 1d4c9) N(tscy, 446) N(tshcy, 45b) N(tstrok, 167) N(twixt, 226c)
	N(twoheadleftarrow, 219e) N(twoheadrightarrow, 21a0) N(uArr, 21d1)
	N(uHar, 2963) S(uacute, fa) N(uarr, 2191) N(ubrcy, 45e) N(ubreve, 16d)
	S(ucirc, fb) N(ucy, 443) N(udarr, 21c5) N(udblac, 171) N(udhar, 296e)
	N(ufisht, 297e) N(ufr, 1d532) S(ugrave, f9) N(uharl, 21bf)
	N(uharr, 21be) N(uhblk, 2580) N(ulcorn, 231c) N(ulcorner, 231c)
	N(ulcrop, 230f) N(ultri, 25f8) N(umacr, 16b) S(uml, a8) N(uogon, 173)
	N(uopf, 1d566) N(uparrow, 2191) N(updownarrow, 2195)
	N(upharpoonleft, 21bf) N(upharpoonright, 21be) N(uplus, 228e)
	N(upsi, 3c5) N(upsih, 3d2) N(upsilon, 3c5) N(upuparrows, 21c8)
	N(urcorn, 231d) N(urcorner, 231d) N(urcrop, 230e) N(uring, 16f)
	N(urtri, 25f9) N(uscr, 1d4ca) N(utdot, 22f0) N(utilde, 169)
	N(utri, 25b5) N(utrif, 25b4) N(uuarr, 21c8) S(uuml, fc) N(uwangle, 29a7)
	N(vArr, 21d5) N(vBar, 2ae8) N(vBarv, 2ae9) N(vDash, 22a8)
	N(vangrt, 299c) N(varepsilon, 3f5) N(varkappa, 3f0) N(varnothing, 2205)
	N(varphi, 3d5) N(varpi, 3d6) N(varpropto, 221d) N(varr, 2195)
	N(varrho, 3f1) N(varsigma, 3c2) P(varsubsetneq, 228a, fe00)
	P(varsubsetneqq, 2acb, fe00) P(varsupsetneq, 228b, fe00)
	P(varsupsetneqq, 2acc, fe00) N(vartheta, 3d1) N(vartriangleleft, 22b2)
	N(vartriangleright, 22b3) N(vcy, 432) N(vdash, 22a2) N(vee, 2228)
	N(veebar, 22bb) N(veeeq, 225a) N(vellip, 22ee) N(verbar, 7c) N(vert, 7c)
	N(vfr, 1d533) N(vltri, 22b2) P(vnsub, 2282, 20d2) P(vnsup, 2283, 20d2)
	N(vopf, 1d567) N(vprop, 221d) N(vrtri, 22b3) N(vscr, 1d4cb)
	P(vsubnE, 2acb, fe00) P(vsubne, 228a, fe00) P(vsupnE, 2acc, fe00)
	P(vsupne, 228b, fe00) N(vzigzag, 299a) N(wcirc, 175) N(wedbar, 2a5f)
	N(wedge, 2227) N(wedgeq, 2259) N(weierp, 2118) N(wfr, 1d534)
	N(wopf, 1d568) N(wp, 2118) N(wr, 2240) N(wreath, 2240) N(wscr, 1d4cc)
	N(xcap, 22c2) N(xcirc, 25ef) N(xcup, 22c3) N(xdtri, 25bd) N(xfr, 1d535)
	N(xhArr, 27fa) N(xharr, 27f7) N(xi, 3be) N(xlArr, 27f8) N(xlarr, 27f5)
	N(xmap, 27fc) N(xnis, 22fb) N(xodot, 2a00) N(xopf, 1d569)
	N(xoplus, 2a01) N(xotime, 2a02) N(xrArr, 27f9) N(xrarr, 27f6)
	N(xscr, 1d4cd) N(xsqcup, 2a06) N(xuplus, 2a04) N(xutri, 25b3)
	N(xvee, 22c1) N(xwedge, 22c0) S(yacute, fd) N(yacy, 44f) N(ycirc, 177)
	N(ycy, 44b) S(yen, a5) N(yfr, 1d536) N(yicy, 457) N(yopf, 1d56a)
	N(yscr, 1d4ce) N(yucy, 44e) S(yuml, ff) N(zacute, 17a) N(zcaron, 17e)
	N(zcy, 437) N(zdot, 17c) N(zeetrf, 2128) N(zeta, 3b6) N(zfr, 1d537)
	N(zhcy, 436) N(zigrarr, 21dd) N(zopf, 1d56b) N(zscr, 1d4cf) N(zwj, 200d)
	N(zwnj, 200c)
};
#undef N
#undef S
#undef P
#define NAMES (sizeof(names) / sizeof(names[0]))

/* The code points of &#128; to &#159;: those of windows-1252 where defined. */
static const uint16_t c1[32] = {
	0x20ac, 0x81, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021,
	0x2c6, 0x2030, 0x160, 0x2039, 0x152, 0x8d, 0x17d, 0x8f,
	0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
	0x2dc, 0x2122, 0x161, 0x203a, 0x153, 0x9d, 0x17e, 0x178,
};

static uint32_t settle_number(uint32_t c, enum cfs_reference_rules rules)
{
	if (c == 0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return CFS_UTF8_REPLACEMENT;
	if (c < 0x80 || c >= 0xa0 || rules == CFS_REFERENCE_XML)
		return c;
	return c1[c - 0x80];
}

/* Decodes "&#" and digits, or "&#x" and hexadecimal digits.  Returns the length
 * of the reference, or 0. */
static size_t parse_number(struct cfs_slice s, enum cfs_reference_rules rules,
			   uint8_t *out, size_t *out_n)
{
	bool is_hex = s.n > 2 && (s.p[2] | 0x20) == 'x';
	size_t i = is_hex ? 3 : 2, first = i;
	uint32_t c = 0;

	for (; i < s.n; i++) {
		int v = cfs_xdigit_value(s.p[i]);

		if (v < 0 || (v > 9 && !is_hex))
			break;
		if (c <= 0x10ffff)	/* larger values are all invalid */
			c = c * (is_hex ? 16 : 10) + (uint32_t)v;
	}
	if (i == first)
		return 0;
	*out_n = cfs_utf8_put(out, settle_number(c, rules));
	return i < s.n && s.p[i] == ';' ? i + 1 : i;
}

/* Byte i of a name; 0, which is less than every letter, behind its end. */
static unsigned letter(const struct reference_name *name, size_t i)
{
	return i < name->n ? (uint8_t)name->text[i] : 0;
}

/* The first of names[lo..hi) whose letter i is at least c. */
static size_t bound(size_t lo, size_t hi, size_t i, unsigned c)
{
	CFS_LOWER_BOUND(lo, hi, k, letter(&names[k], i) < c);
	return lo;
}

/* The longest name at the start of s, which is the text behind '&'.  *n is its
 * length, with the semicolon if there is one.  NULL if there is none. */
static const struct reference_name *find_name(struct cfs_slice s, size_t *n)
{
	const struct reference_name *found = NULL;
	size_t lo = 0, hi = NAMES;

	for (size_t i = 0; i < s.n && cfs_is_alnum(s.p[i]); i++) {
		lo = bound(lo, hi, i, s.p[i]);
		hi = bound(lo, hi, i, s.p[i] + 1u);
		if (lo == hi)
			break;
		if (names[lo].n != i + 1)
			continue;
		if (i + 1 < s.n && s.p[i + 1] == ';') {
			*n = i + 2;
			return &names[lo];
		}
		if (names[lo].may_lack_semicolon) {
			*n = i + 1;
			found = &names[lo];
		}
	}
	return found;
}

/* True if the rules let the name, which is followed by the rest of s from n on,
 * stand for something. */
static bool is_allowed(struct cfs_slice s, size_t n,
		       const struct reference_name *name,
		       enum cfs_reference_rules rules)
{
	bool has_semicolon = s.p[n - 1] == ';';

	switch (rules) {
	case CFS_REFERENCE_ATTR:
		return has_semicolon || n == s.n ||
		       (s.p[n] != '=' && !cfs_is_alnum(s.p[n]));
	case CFS_REFERENCE_FEED:
		return has_semicolon;
	case CFS_REFERENCE_XML:		/* HTML also has &AMP; */
		return has_semicolon && name->text[0] >= 'a' &&
		       cfs_slice_in_words(cfs_slice_of(name->text, name->n),
					  "amp lt gt quot apos");
	case CFS_REFERENCE_HTML:
	default:
		return true;
	}
}

size_t cfs_reference_parse(struct cfs_slice s, enum cfs_reference_rules rules,
			   uint8_t out[CFS_REFERENCE_BYTES], size_t *out_n)
{
	const struct reference_name *name;
	size_t n = 0;

	*out_n = 0;
	if (s.n < 2)
		return 0;
	if (s.p[1] == '#')
		return parse_number(s, rules, out, out_n);
	s = cfs_slice_from(s, 1);
	name = find_name(s, &n);
	if (name == NULL || !is_allowed(s, n, name, rules))
		return 0;
	*out_n = cfs_utf8_put(out, name->c);
	if (name->d != 0)
		*out_n += cfs_utf8_put(out + *out_n, name->d);
	return n + 1;
}
