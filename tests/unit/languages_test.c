/* languages_test.c - the languages of a page: of its text, by what it says of
 * itself, and by what a record states.
 *
 * The texts were written for this test, and the languages they are in are
 * known.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "view_fixture.h"

#include "index/language_codes.h"
#include "view/cld2.h"
#include "view/doc.h"
#include "view/languages.h"

#define HTML "text/html; charset=utf-8"

#define ICELANDIC \
	"Í gær fór ég út að ganga með hundinum mínum og við sáum marga fugla á " \
	"tjörninni. Veðrið var gott þótt það væri svolítið kalt, og þegar við " \
	"komum heim aftur fengum við okkur heitt kakó. Á morgun ætlum við að " \
	"heimsækja ömmu sem býr í litlu þorpi við sjóinn. "
#define GERMAN \
	"Gestern bin ich mit meinem Hund spazieren gegangen, und wir haben viele " \
	"Vögel auf dem Teich gesehen. Das Wetter war schön, obwohl es ein wenig " \
	"kalt war, und als wir wieder zu Hause waren, haben wir heiße Schokolade " \
	"getrunken. Morgen besuchen wir meine Großmutter am Meer. "
#define ENGLISH \
	"Yesterday I went for a walk with my dog, and we saw many birds on the " \
	"pond. The weather was fine although it was a little cold, and when we " \
	"came home again we had a cup of hot chocolate. Tomorrow we are going to " \
	"visit my grandmother, who lives in a small village by the sea. "
#define FRENCH \
	"Hier je suis allé me promener avec mon chien et nous avons vu beaucoup " \
	"d'oiseaux sur l'étang. Il faisait beau, même s'il faisait un peu froid, " \
	"et quand nous sommes rentrés, nous avons bu un chocolat chaud. Demain " \
	"nous allons rendre visite à ma grand-mère au bord de la mer. "
#define RUSSIAN \
	"Вчера я гулял со своей собакой, и мы видели много птиц на пруду. Погода " \
	"была хорошая, хотя было немного холодно, а когда мы вернулись домой, мы " \
	"выпили горячего шоколада. Завтра мы поедем к бабушке, она живёт у моря. "
#define GREEK \
	"Χθες πήγα βόλτα με τον σκύλο μου και είδαμε πολλά πουλιά στη λίμνη. Ο " \
	"καιρός ήταν καλός, αν και έκανε λίγο κρύο, και όταν γυρίσαμε στο σπίτι " \
	"ήπιαμε ζεστή σοκολάτα. "
#define CHINESE \
	"昨天我和我的狗出去散步，我们在池塘里看到了很多鸟。天气很好，虽然有点冷。" \
	"回家以后，我们喝了热巧克力。明天我们要去看望住在海边小村庄里的奶奶。"
#define JAPANESE \
	"昨日は犬と一緒に散歩に出かけて、池でたくさんの鳥を見ました。少し寒かったけれど、" \
	"天気はよかったです。家に帰ってから、温かいココアを飲みました。"

static bool has_finder(void)
{
	if (cfs_languages_finder() != NULL)
		return true;
	print_message("SKIP: this program was built without CLD2\n");
	skip();
	return false;
}

/* The languages as they are found; those of the whole text must be the same. */
static struct cfs_languages languages_of(const struct fixture *f)
{
	struct cfs_languages alone, beside;
	struct cfs_slice text;
	struct cfs_doc doc;
	struct cfs_buf out;

	cfs_doc_find(&f->in, &doc);
	cfs_buf_init(&out, (size_t)1 << 30);
	assert_int_equal(cfs_text_of_doc(&doc, &out, NULL, CFS_CTX(NULL, NULL)),
			 CFS_OK);
	text = cfs_buf_slice(&out);
	assert_int_equal(cfs_languages_find(&f->in, &doc, NULL, &alone,
					    CFS_CTX(NULL, NULL)), CFS_OK);
	assert_int_equal(cfs_languages_find(&f->in, &doc, &text, &beside,
					    CFS_CTX(NULL, NULL)), CFS_OK);
	assert_string_equal(alone.text, beside.text);
	cfs_buf_release(&out);
	return alone;
}

static void has_languages(const struct fixture *f, const char *want)
{
	struct cfs_languages got = languages_of(f);

	assert_string_equal(got.text, want);
}

/* ---- pages --------------------------------------------------------------- */

struct page_case {
	const char *name, *type, *body, *want;
};

static struct page_case pages[] = {
	{ "Icelandic", HTML, "<p>" ICELANDIC, "isl" },
	{ "German", HTML, "<p>" GERMAN, "deu" },
	{ "English", HTML, "<p>" ENGLISH, "eng" },
	{ "French", HTML, "<p>" FRENCH, "fra" },
	{ "Russian", HTML, "<p>" RUSSIAN, "rus" },
	{ "Greek", HTML, "<p>" GREEK, "ell" },
	{ "Chinese", HTML, "<p>" CHINESE, "zho" },
	{ "Japanese", HTML, "<p>" JAPANESE, "jpn" },
	{ "two languages", HTML,
	  "<p>" GERMAN GERMAN "<p>" RUSSIAN, "deu,rus" },
	{ "the other way round", HTML,
	  "<p>" GERMAN "<p>" RUSSIAN RUSSIAN RUSSIAN, "rus,deu" },
	{ "markup is not a text", HTML,
	  "<style>" ENGLISH "</style><script>" ENGLISH ENGLISH "</script><p>"
	  GERMAN "<p hidden>" ENGLISH, "deu" },
	{ "a wrong lang", HTML, "<html lang=en><body><p>" ICELANDIC, "isl" },
	{ "a feed", "application/rss+xml",
	  "<rss><channel><language>de</language><title>x</title><item>"
	  "<description>" GERMAN "</description></item></channel></rss>", "deu" },
	{ "a plain text", "text/plain; charset=utf-8", FRENCH, "fra" },
	{ "windows-1252", "text/plain; charset=windows-1252",
	  "Gestern bin ich mit meinem Hund spazieren gegangen, und wir haben "
	  "viele V\xf6gel gesehen. Morgen besuchen wir meine Gro\xdfmutter am "
	  "Meer, die in einem kleinen Dorf lebt.", "deu" },
	{ "a style sheet", "text/css", ENGLISH, "" },
	{ "a program", "text/javascript", ENGLISH, "" },
	{ "JSON", "application/json", "{\"a\": \"" ENGLISH "\"}", "" },
	{ "a picture", "image/png", ENGLISH, "" },
	{ "no words", HTML, "<p>12 345 67.8", "" },
	{ "nothing", HTML, "", "" },
	{ "bytes that are no text", "text/plain; charset=utf-8",
	  "\x01\x02 \xff\xfe " GERMAN "\x7f\xc2\x80\xef\xbf\xbe", "deu" },
};

static void page_case(void **state)
{
	const struct page_case *tc = *state;
	struct fixture f;

	if (!has_finder())
		return;
	fixture_page(&f, tc->type, tc->body, strlen(tc->body));
	has_languages(&f, tc->want);
}

/* A long page whose beginning is in another language than most of it. */
static void sampled_all_over(void **state)
{
	struct cfs_buf b;
	struct fixture f;

	(void)state;
	if (!has_finder())
		return;
	cfs_buf_init(&b, (size_t)1 << 20);
	for (unsigned i = 0; i < 20; i++)
		cfs_buf_adds(&b, "<p>" ENGLISH);
	for (unsigned i = 0; i < 200; i++)
		cfs_buf_adds(&b, "<p>" ICELANDIC);
	fixture_page(&f, HTML, b.p, b.n);
	has_languages(&f, "isl,eng");
	cfs_buf_release(&b);
}

/* Words without any blank, and characters that a piece may not divide. */
static void no_blanks(void **state)
{
	struct cfs_buf b;
	struct fixture f;

	(void)state;
	if (!has_finder())
		return;
	cfs_buf_init(&b, (size_t)1 << 20);
	for (unsigned i = 0; i < 300; i++)
		cfs_buf_adds(&b, CHINESE);
	for (size_t cut = 0; cut < 40; cut++) {
		fixture_page(&f, "text/plain; charset=utf-8", b.p, b.n - cut);
		has_languages(&f, "zho");
	}
	cfs_buf_release(&b);
}

/* ---- what is stated ------------------------------------------------------ */

static void stated_by_record(void **state)
{
	struct fixture f;

	(void)state;
	fixture_page(&f, "text/plain", GERMAN, strlen(GERMAN));
	fixture_field(&f.r.warc, "WARC-Identified-Content-Language",
		      "kal,dan,eng");
	has_languages(&f, "kal,dan,eng");
}

struct list_case {
	const char *name, *list, *want;
};

static struct list_case lists[] = {
	{ "one", "isl", "isl" },
	{ "three", "isl,eng,deu", "isl,eng,deu" },
	{ "four", "isl,eng,deu,fra", "isl,eng,deu" },
	{ "one twice", "isl,isl,eng", "isl,eng" },
	{ "two letters", "is,eng", "eng" },
	{ "upper case", "ISL,eng", "eng" },
	{ "blanks", "isl, eng", "isl" },
	{ "nothing", "", "" },
	{ "commas", ",,,isl", "isl" },
	{ "cut", "isl,eng,de", "isl,eng" },
	{ "any bytes", "\xff\xff\xff,a\"b,isl", "isl" },
	{ "long", "islandicislandicislandic", "" },
};

static void list_case(void **state)
{
	const struct list_case *tc = *state;
	struct cfs_slice in = exact_copy(tc->list, strlen(tc->list));
	struct cfs_languages got;

	cfs_languages_take(&got, in);
	assert_string_equal(got.text, tc->want);
	exact_free(in);
}

/* ---- hints --------------------------------------------------------------- */

struct hint_case {
	const char *name, *type, *http, *body, *want;
	enum cfs_cld2_charset charset;
};

static struct hint_case hints[] = {
	{ "none", HTML, NULL, "<p>x", "", CFS_CLD2_ANY },
	{ "HTTP", HTML, "de-AT, en", "<p>x", "de-at,en", CFS_CLD2_ANY },
	{ "html", HTML, NULL, "<!doctype html><html lang='pt-BR'><p>x", "pt-br",
	  CFS_CLD2_ANY },
	{ "XHTML", HTML, NULL, "<html xml:lang=\"nl\"><p>x", "nl", CFS_CLD2_ANY },
	{ "meta", HTML, NULL,
	  "<meta http-equiv=Content-Language content='sr_Latn'>", "sr-latn",
	  CFS_CLD2_ANY },
	{ "body", HTML, NULL, "<html><body lang=fi><p lang=sv>x", "fi",
	  CFS_CLD2_ANY },
	{ "others", HTML, NULL, "<a lang=fi>x</a><link hreflang=sv>", "",
	  CFS_CLD2_ANY },
	{ "in a comment", HTML, NULL, "<!-- <html lang=fi> --><p>x", "",
	  CFS_CLD2_ANY },
	{ "at most four", HTML, "aa,bb,cc,dd,ee", "<html lang=ff>",
	  "aa,bb,cc,dd", CFS_CLD2_ANY },
	{ "not like tags", HTML, "x, 12, d\x01, a-very-long-language, '\", *",
	  "<html lang='&lt;b>'>", "", CFS_CLD2_ANY },
	{ "RSS", "application/rss+xml", NULL,
	  "<rss><channel><language>is</language><item>", "is", CFS_CLD2_ANY },
	{ "Atom", "application/atom+xml", NULL,
	  "<feed xml:lang='is-IS'><entry xml:lang=en>", "is-is", CFS_CLD2_ANY },
	{ "Shift_JIS", "text/html; charset=shift_jis", NULL, "<p>x", "",
	  CFS_CLD2_JAPANESE },
	{ "Big5", "text/html; charset=big5", NULL, "<p>x", "",
	  CFS_CLD2_CHINESE_TRADITIONAL },
	{ "GBK", "text/html; charset=gb2312", NULL, "<p>x", "",
	  CFS_CLD2_CHINESE },
	{ "EUC-KR", "text/html; charset=euc-kr", NULL, "<p>x", "",
	  CFS_CLD2_KOREAN },
};

static void hint_case(void **state)
{
	const struct hint_case *tc = *state;
	struct cfs_language_hints h;
	struct cfs_doc doc;
	struct fixture f;

	fixture_page(&f, tc->type, tc->body, strlen(tc->body));
	if (tc->http != NULL)
		fixture_field(&f.r.http, "Content-Language", tc->http);
	cfs_doc_find(&f.in, &doc);
	assert_int_equal(cfs_language_hints_find(&f.in, &doc, &h, NULL), CFS_OK);
	assert_string_equal(h.tags, tc->want);
	assert_int_equal(h.charset, tc->charset);
}

/* A text too short to be sure of follows its hints. */
static void hints_help(void **state)
{
	static const char page[] = "<html lang=%s><p>Menneskerettigheder er vigtige";
	char body[128];
	struct fixture f;

	(void)state;
	if (!has_finder())
		return;
	snprintf(body, sizeof(body), page, "da");
	fixture_page(&f, HTML, body, strlen(body));
	has_languages(&f, "dan");
}

/* ---- CLD2 ---------------------------------------------------------------- */

/* Each character that it refuses a text for would hide all of the text. */
static void refused_characters(void **state)
{
	static const uint32_t refused[] = { 1, 8, 0xb, 0xc, 0xe, 0x1f, 0x7f, 0x80,
		0x9f, 0xfdd0, 0xfdef, 0xfffe, 0xffff, 0x1fffe, 0x10ffff };
	struct fixture f;

	(void)state;
	if (!has_finder())
		return;
	for (size_t i = 0; i < COUNT(refused); i++) {
		struct cfs_buf b;

		cfs_buf_init(&b, 4096);
		cfs_utf8_add(&b, refused[i]);
		cfs_buf_adds(&b, " " GERMAN);
		fixture_page(&f, "text/plain; charset=utf-8", b.p, b.n);
		has_languages(&f, "deu");
		cfs_buf_release(&b);
	}
}

/* The larger tables are in use where they are installed beside the others. */
static void version(void **state)
{
	(void)state;
	if (has_finder())
		assert_non_null(strstr(cfs_languages_finder(), "V2"));
	else
		assert_null(cfs_languages_finder());
}

UNIT_PROGRAM
{
	UNIT_ROWS(pages, page_case);
	UNIT_TEST(sampled_all_over);
	UNIT_TEST(no_blanks);
	UNIT_TEST(stated_by_record);
	UNIT_ROWS(lists, list_case);
	UNIT_ROWS(hints, hint_case);
	UNIT_TEST(hints_help);
	UNIT_TEST(refused_characters);
	UNIT_TEST(version);
	return unit_run("languages");
}
