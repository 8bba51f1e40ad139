/* urls.c - hosts, directories and pages of a made-up web (see urls.h).
 *
 * A host's popularity follows Zipf's law.  Its directories are numbered and
 * form a tree of FANOUT children a node, so that their depths are spread as
 * real ones are; a page lies in one of them and has a name in one of the
 * styles that content systems use.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "urls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FANOUT 9u
#define RECORDS_PER_HOST 60u
#define URLS_FILE_MAX (UINT64_C(1) << 40)

/* ---- the file of --urls ---- */

static void map_file(struct mk_urls *u, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *p = NULL;

	if (fd < 0 || fstat(fd, &st) != 0)
		mk_die("cannot read '%s': %s", path, strerror(errno));
	if ((uint64_t)st.st_size > URLS_FILE_MAX)
		mk_die("'%s' is too big", path);
	if (st.st_size > 0)
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		mk_die("cannot read '%s': %s", path, strerror(errno));
	u->file = p == NULL ? CFS_SLICE_EMPTY
			    : cfs_slice_of(p, (size_t)st.st_size);
}

static void find_lines(struct mk_urls *u)
{
	uint64_t cap = 0;

	for (size_t at = 0; at < u->file.n;) {
		ptrdiff_t end = cfs_slice_find(cfs_slice_from(u->file, at), '\n');

		if (u->n_lines == cap) {
			cap = cap == 0 ? 1024 : cap * 2;
			u->line = realloc(u->line, cap * sizeof(*u->line));
			if (u->line == NULL)
				mk_die("out of memory");
		}
		u->line[u->n_lines++] = at;
		at = end < 0 ? u->file.n : at + (size_t)end + 1;
	}
}

struct cfs_slice mk_urls_line(const struct mk_urls *u, uint64_t n)
{
	uint64_t at = u->line[n];
	uint64_t end = n + 1 < u->n_lines ? u->line[n + 1] : u->file.n;
	struct cfs_slice s = cfs_slice_sub(u->file, at, end - at);

	if (s.n > 0 && s.p[s.n - 1] == '\n')
		s.n--;
	return s;
}

void mk_urls_init(struct mk_urls *u, const struct mk_config *cfg,
		  const struct mk_words *words)
{
	uint64_t hosts = cfg->hosts;

	*u = (struct mk_urls){ .cfg = cfg, .words = words,
			       .file = CFS_SLICE_EMPTY };
	if (hosts == 0)
		hosts = cfg->records / RECORDS_PER_HOST + 5;
	if (hosts > MK_HOSTS_MAX)
		hosts = MK_HOSTS_MAX;
	if (mk_zipf_init(&u->hosts, (uint32_t)hosts) != 0)
		mk_die("out of memory");
	if (cfg->urls != NULL) {
		map_file(u, cfg->urls);
		find_lines(u);
	}
}

void mk_urls_release(struct mk_urls *u)
{
	if (u->file.n > 0)
		munmap((void *)(uintptr_t)u->file.p, u->file.n);
	free(u->line);
	mk_zipf_release(&u->hosts);
}

/* ---- one URL ---- */

void mk_url_init(struct mk_url *url)
{
	memset(url, 0, sizeof(*url));
	cfs_buf_init(&url->host, MK_URL_BYTES);
	cfs_buf_init(&url->path, MK_URL_BYTES);
	mk_url_reset(url);
}

void mk_url_release(struct mk_url *url)
{
	cfs_buf_release(&url->host);
	cfs_buf_release(&url->path);
}

void mk_url_reset(struct mk_url *url)
{
	url->scheme = "http";
	url->userinfo[0] = '\0';
	url->port[0] = '\0';
	url->type = MK_HTML;
	url->host_id = 0;
	cfs_buf_reset(&url->host);
	cfs_buf_reset(&url->path);
}

void mk_url_join(const struct mk_url *url, struct cfs_buf *out)
{
	cfs_buf_addf(out, "%s://", url->scheme);
	if (url->userinfo[0] != '\0')
		cfs_buf_addf(out, "%s@", url->userinfo);
	cfs_buf_add(out, cfs_buf_slice(&url->host));
	if (url->port[0] != '\0')
		cfs_buf_addf(out, ":%s", url->port);
	cfs_buf_add(out, cfs_buf_slice(&url->path));
}

static void add_word(const struct mk_urls *u, uint64_t k, struct cfs_buf *out)
{
	cfs_buf_add(out, mk_words_ascii(u->words, k));
}

/* A host's name is a function of its rank: three of five are domains, the
 * others sub-domains of one of them. */
static void make_host(const struct mk_urls *u, uint64_t rank, struct cfs_buf *out)
{
	static const char *const tlds[] = {
		"com", "com", "com", "com", "com", "com", "org", "net", "de",
		"co.uk", "ru", "org", "net", "jp", "fr", "com", "info", "nl",
		"edu", "co.jp", "com.br", "cn", "it", "pl", "gov", "museum",
	};
	static const char *const subs[] = {
		"blog.", "en.", "shop.", "m.", "forum.", "news.", "images.",
		"static.cdn.", "de.", "a.b.c.",
	};
	struct mk_rng r = mk_rng_at(u->cfg->seed, rank, MK_SALT_HOST);
	uint64_t domain = rank;

	if (rank % 5 >= 3) {
		cfs_buf_adds(out, subs[mk_rng_below(&r, sizeof(subs) / sizeof(*subs))]);
		domain = mk_rng_below(&r, rank);
		domain -= domain % 5 >= 3 ? domain % 5 - 2 : 0;
		r = mk_rng_at(u->cfg->seed, domain, MK_SALT_HOST);
	} else if (mk_rng_chance(&r, 60)) {
		cfs_buf_adds(out, "www.");
	}
	r = mk_rng_at(u->cfg->seed, domain, MK_SALT_HOST + 100);
	add_word(u, mk_rng_next(&r), out);
	if (mk_rng_chance(&r, 40))
		cfs_buf_addc(out, '-');
	add_word(u, mk_rng_next(&r), out);
	if (domain >= 1000)	/* few words, many hosts: keep them apart */
		cfs_buf_addf(out, "%u", (unsigned)(domain / 1000));
	cfs_buf_addf(out, ".%s", tlds[mk_rng_below(&r, sizeof(tlds) / sizeof(*tlds))]);
}

/* Directory number k of a host, with both slashes. */
static void make_dir(const struct mk_urls *u, uint64_t host, uint64_t k,
		     struct cfs_buf *out)
{
	uint64_t chain[64];
	unsigned n = 0;

	for (; k > 0 && n < 64; k = (k - 1) / FANOUT)
		chain[n++] = k;
	cfs_buf_addc(out, '/');
	while (n-- > 0) {
		uint64_t id = chain[n];
		struct mk_rng r = mk_rng_at(u->cfg->seed ^ host, id, MK_SALT_DIR);

		if (mk_rng_chance(&r, 12))
			cfs_buf_addf(out, "%u", 1998 + (unsigned)(id % 15));
		else
			add_word(u, mk_rng_below(&r, 500), out);
		cfs_buf_addc(out, '/');
	}
}

static void slug(const struct mk_urls *u, struct mk_rng *r, unsigned n, char sep,
		 struct cfs_buf *out)
{
	for (unsigned i = 0; i < n; i++) {
		if (i > 0)
			cfs_buf_addc(out, (uint8_t)sep);
		add_word(u, mk_rng_below(r, 1500), out);
	}
}

/* The page's own name; most have the number in them, to be distinct. */
static void make_name(const struct mk_urls *u, uint64_t n, struct mk_rng *r,
		      struct mk_url *out)
{
	struct cfs_buf *p = &out->path;
	unsigned id = (unsigned)n, words = 1 + (unsigned)mk_rng_below(r, 5);
	unsigned style = (unsigned)mk_rng_below(r, 100);

	if (style < 4)
		return;				/* the directory itself */
	if (style < 30) {
		slug(u, r, words, '-', p);
		cfs_buf_addf(p, "-%u.html", id);
	} else if (style < 45) {
		cfs_buf_addf(p, "index.php?id=%u&cat=", id);
		slug(u, r, 1, '+', p);
	} else if (style < 60) {
		slug(u, r, words, '-', p);
		cfs_buf_addf(p, "-%u/", id);
	} else if (style < 72) {
		slug(u, r, words, '_', p);
		cfs_buf_addf(p, "%u", id);
	} else if (style < 82) {
		cfs_buf_addf(p, "%u.htm", id);
	} else if (style < 88) {
		cfs_buf_addf(p, "showthread.php?t=%u&page=%u", id,
			     1 + (unsigned)mk_rng_below(r, 20));
	} else if (style < 90) {
		slug(u, r, 1, '-', p);
		cfs_buf_addf(p, "%u/feed/", id);
		out->type = MK_RSS;
	} else if (style < 91) {
		cfs_buf_addf(p, "atom%u.xml", id);
		out->type = MK_ATOM;
	} else if (style < 94) {
		slug(u, r, 1, '-', p);
		cfs_buf_addf(p, "%u.txt", id);
		out->type = MK_TEXT;
	} else if (style < 98) {
		cfs_buf_addf(p, "img_%04u.jpg", id);
		out->type = MK_JPEG;
	} else if (style < 99) {
		slug(u, r, 2, '_', p);
		cfs_buf_addf(p, "%%20%u.pdf", id);
		out->type = MK_PDF;
	} else {
		slug(u, r, 1, '-', p);
		cfs_buf_addf(p, "-%u.tar.gz", id);
		out->type = MK_GZIP;
	}
}

static void make_web(const struct mk_urls *u, uint64_t n, struct mk_url *out)
{
	struct mk_rng r = mk_rng_at(u->cfg->seed, n, MK_SALT_URL);
	uint32_t rank = mk_zipf_draw(&u->hosts, &r);
	double pages = (double)u->cfg->records * mk_zipf_share(&u->hosts, rank);
	uint64_t dirs = (uint64_t)(pages / (double)u->cfg->pages_per_dir) + 1;

	out->host_id = rank;
	make_host(u, rank, &out->host);
	if (mk_rng_chance(&r, 12) && !u->cfg->arc)
		out->scheme = "https";
	make_dir(u, rank, mk_rng_below(&r, dirs), &out->path);
	make_name(u, n, &r, out);
}

void mk_urls_plain(const struct mk_urls *u, uint64_t n, struct mk_url *out)
{
	const struct mk_config *cfg = u->cfg;

	mk_url_reset(out);
	switch (cfg->shape) {
	case MK_SHAPE_FLAT:
		cfs_buf_adds(&out->host, "flat.example.com");
		cfs_buf_addf(&out->path, "/pages/p%08u.html", (unsigned)n);
		break;
	case MK_SHAPE_DIRS:
		cfs_buf_adds(&out->host, "dirs.example.com");
		cfs_buf_addf(&out->path, "/d%06u/p%07u.html",
			     (unsigned)(n % cfg->dirs), (unsigned)(n / cfg->dirs));
		break;
	default:
		make_web(u, n, out);
	}
	mk_check(&out->host);
	mk_check(&out->path);
}

void mk_urls_get(const struct mk_urls *u, uint64_t n, struct mk_url *out)
{
	struct mk_rng r = mk_rng_at(u->cfg->seed, n, MK_SALT_HOSTILE);

	mk_urls_plain(u, n, out);
	if (mk_rng_chance(&r, u->cfg->hostile))
		mk_url_spoil(u, n, out);
	mk_check(&out->host);
	mk_check(&out->path);
}
