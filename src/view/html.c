/* html.c - Gumbo on a leash, and the walk over its tree.
 *
 * Gumbo 0.10 follows the HTML standard, whose tree construction looks through
 * the stack of open elements (and the list of open formatting elements, and
 * the attributes of one tag) again and again: hostile input costs quadratic
 * time, and nodes by the million.  It has no limits of its own and does not
 * check its allocator's answer.  So crawlfs gives it an allocator that
 *
 *   - hands out memory from one mapping of fixed size, thrown away whole
 *     (Gumbo's recursive gumbo_destroy_output is never called);
 *   - counts work: every allocation costs by the depth of the tree at that
 *     point, an attribute what comparing it with its elders costs, a
 *     formatting element what comparing it with the open ones costs (these
 *     two touch more memory, so they count more).  A tag,
 *     an attribute and a text all allocate, so nothing Gumbo does goes
 *     unnoticed, and the count depends on the document alone, never on the
 *     machine: a view has the same bytes every time it is made;
 *   - leaves the parser by longjmp when memory or work is used up.  That is
 *     safe because Gumbo owns nothing but this memory.
 *
 * The depth comes from the public GumboNode: when a node is made, those made
 * before it have been put into the tree, all but the last or so.  Nodes are
 * known by the size of their blocks; one that only looks like a node gives a
 * wrong depth, never a bad access, because each pointer is checked to lie
 * inside the mapping.
 *
 * The tree is walked with a stack of our own: no recursion on data.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "html.h"

#include <setjmp.h>
#include <string.h>
#include <sys/mman.h>

#include "charset.h"

/* Memory for one parse and the document in UTF-8;
 * pages take 4 to 9 times their size.  With the view itself it stays within
 * 10 times the body and 16 MiB. */
#define ARENA_BASE ((size_t)10 << 20)
#define ARENA_PER_BYTE 9
/* Work for one parse; a unit is at most 2 ns.  Real pages take 1 to 5 a byte. */
#define WORK_BASE ((uint64_t)8 << 20)
#define WORK_PER_BYTE 36
/* Weights of comparing two names, and two elements. */
#define WORK_ATTR 3
#define WORK_FORMAT 12
/* In SVG and MathML an end tag is compared, name by name, with all elements up
 * to the nearest of HTML, and then looked up once more. */
#define WORK_FOREIGN 2
/* For each character inside a formatting element that element is looked for,
 * from the root on.  A text is allocated three times its length, bit by bit. */
#define WORK_TEXT 8
#define WORK_TEXT_MIN 32u	/* bytes; less is in every element */
#define WORK_IDLE 3	/* of a tag that is thrown away, for each open element */
/* Blocks that an element with a text takes beside its nodes, about. */
#define IDLE_MAX 8
/* Allocations, or steps of the walk, between two looks at the cancel token. */
#define CANCEL_EVERY 256
/* Nodes that wait to be put into the tree: an element does while the text in
 * front of it is made. */
#define FRESH_MAX 4

#define SMALL_MAX 512u		/* bytes; blocks of exact size up to here */
#define SMALL_CLASSES (SMALL_MAX / 8 + 1)
#define CLASSES (SMALL_CLASSES + 32)

/* In front of every block. */
struct block {
	uint32_t size;		/* as asked for */
	uint16_t depth;		/* of a settled node */
	uint16_t formats;	/* formatting elements from the root to it */
};
_Static_assert(sizeof(struct block) == 8, "blocks stay aligned to 8");

struct leash {
	uint8_t *base;
	size_t used, size;
	void *free_list[CLASSES];
	uint64_t work, work_max;
	unsigned depth;		/* where the parser is, about */
	unsigned formats;	/* formatting elements open there */
	bool in_foreign;	/* and that is in SVG or MathML */
	unsigned attr_run;	/* attributes since the last node */
	unsigned idle;		/* blocks since the last node or attribute */
	unsigned root_attrs;	/* on <html> and <body>: tags add to them */
	unsigned until_check;
	const GumboNode *fresh[FRESH_MAX];	/* nodes not settled yet */
	unsigned n_fresh;
	const GumboOutput *output;
	const struct cfs_cancel *cancel;
	jmp_buf stop;
};

enum { STOP_LIMIT = 1, STOP_CANCEL = 2 };

static struct block *block_of(const void *p)
{
	return (struct block *)((uintptr_t)p - sizeof(struct block));
}

static unsigned class_of(size_t size)
{
	if (size <= SMALL_MAX)
		return (unsigned)((size + 7) / 8);
	return SMALL_CLASSES + 63 - (unsigned)__builtin_clzll(size - 1) - 8;
}

static size_t class_bytes(unsigned c)
{
	return c < SMALL_CLASSES ? (size_t)c * 8
				 : (size_t)1 << (c - SMALL_CLASSES + 9);
}

/* p points at a block in the mapping that is as large as a node. */
static bool is_node(const struct leash *l, const void *p)
{
	uintptr_t off = (uintptr_t)p - (uintptr_t)l->base;

	return off >= sizeof(struct block) && off % 8 == 0 &&
	       off < l->used && l->used - off >= sizeof(GumboNode) &&
	       block_of(p)->size == sizeof(GumboNode);
}

static bool is_formatting(GumboTag tag)
{
	switch (tag) {
	case GUMBO_TAG_A:
	case GUMBO_TAG_B:
	case GUMBO_TAG_BIG:
	case GUMBO_TAG_CODE:
	case GUMBO_TAG_EM:
	case GUMBO_TAG_FONT:
	case GUMBO_TAG_I:
	case GUMBO_TAG_NOBR:
	case GUMBO_TAG_S:
	case GUMBO_TAG_SMALL:
	case GUMBO_TAG_STRIKE:
	case GUMBO_TAG_STRONG:
	case GUMBO_TAG_TT:
	case GUMBO_TAG_U:
		return true;
	default:
		return false;
	}
}

static unsigned clamp_u16(unsigned v)
{
	return v < UINT16_MAX ? v : UINT16_MAX;
}

static bool is_foreign(const struct leash *l, const GumboNode *n)
{
	return is_node(l, n) && n->type == GUMBO_NODE_ELEMENT &&
	       n->v.element.tag_namespace != GUMBO_NAMESPACE_HTML;
}

/* A node is in the tree now: note its depth, and what it cost. */
static void settle(struct leash *l, const GumboNode *n)
{
	unsigned depth = 0, formats = 0;
	struct block *b = block_of(n);

	if (is_node(l, n->parent)) {
		depth = block_of(n->parent)->depth + 1u;
		formats = block_of(n->parent)->formats;
	}
	if (n->type == GUMBO_NODE_ELEMENT && is_formatting(n->v.element.tag)) {
		uint64_t attrs = clamp_u16(n->v.element.attributes.length);

		formats++;
		l->work += WORK_FORMAT * formats * (1 + attrs * attrs);
	}
	if (n->type == GUMBO_NODE_ELEMENT)
		l->in_foreign = is_foreign(l, n) || is_foreign(l, n->parent);
	b->depth = (uint16_t)clamp_u16(depth);
	b->formats = (uint16_t)clamp_u16(formats);
	/* a comment after </body> is put far up, and yet the parser has not
	 * left where it was */
	if (n->type == GUMBO_NODE_COMMENT)
		return;
	l->formats = formats;
	l->depth -= l->depth / 16 + (l->depth > 0);
	if (l->depth < depth)
		l->depth = depth;
}

/* Before a node is made: settles those that have got their place. */
static void settle_fresh(struct leash *l)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < l->n_fresh; i++) {
		if (l->fresh[i]->parent != NULL)
			settle(l, l->fresh[i]);
		else
			l->fresh[kept++] = l->fresh[i];
	}
	l->n_fresh = kept;
	if (kept == FRESH_MAX) {	/* the eldest will get none */
		memmove(l->fresh, l->fresh + 1,
			(FRESH_MAX - 1) * sizeof(l->fresh[0]));
		l->n_fresh--;
	}
}

static void forget_fresh(struct leash *l, const void *p)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < l->n_fresh; i++)
		if (l->fresh[i] != p)
			l->fresh[kept++] = l->fresh[i];
	l->n_fresh = kept;
}

/* Attributes of repeated <html> and <body> tags pile up on the first ones. */
static unsigned count_root_attrs(const struct leash *l)
{
	const GumboNode *doc = l->output != NULL ? l->output->document : NULL;
	const GumboNode *node = doc;
	unsigned most = 0;

	for (int level = 0; level < 2 && is_node(l, node); level++) {
		const GumboVector *v = level == 0 ? &node->v.document.children
						  : &node->v.element.children;
		const GumboNode *found = NULL;

		if ((uintptr_t)v->data - (uintptr_t)l->base >= l->used)
			break;
		for (unsigned i = 0; i < v->length && i < 8; i++) {
			const GumboNode *c = v->data[i];

			if (is_node(l, c) && c->type == GUMBO_NODE_ELEMENT &&
			    (c->v.element.tag == GUMBO_TAG_HTML ||
			     c->v.element.tag == GUMBO_TAG_BODY))
				found = c;
		}
		node = found;
		if (found != NULL && found->v.element.attributes.length > most)
			most = found->v.element.attributes.length;
	}
	return most;
}

static void look_around(struct leash *l)
{
	l->until_check = CANCEL_EVERY;
	l->root_attrs = count_root_attrs(l);
	if (cfs_cancelled(l->cancel))
		longjmp(l->stop, STOP_CANCEL);
}

static void charge(struct leash *l, size_t size)
{
	/* tags that make a node look through part of the stack at most times,
	 * those that are thrown away through all of it, some twice */
	l->idle++;
	l->work += 1 + (l->in_foreign ? l->depth * WORK_FOREIGN
			: l->idle > IDLE_MAX ? l->depth * WORK_IDLE
					      : l->depth * 3 / 8);
	if (l->formats > 0 && size >= WORK_TEXT_MIN &&
	    size != sizeof(GumboNode) && size != sizeof(GumboAttribute))
		l->work += size * l->depth / WORK_TEXT;
	if (size == sizeof(GumboAttribute)) {
		l->idle = 0;
		l->attr_run++;
		l->work += WORK_ATTR * (l->attr_run + l->root_attrs);
	}
	if (l->work > l->work_max)
		longjmp(l->stop, STOP_LIMIT);
	if (--l->until_check == 0)
		look_around(l);
}

static void *leash_alloc(void *arg, size_t size)
{
	struct leash *l = arg;
	struct block *b;
	unsigned c;
	size_t bytes;

	if (size > SMALL_MAX)	/* a text grows, behind what is not settled */
		settle_fresh(l);
	charge(l, size);
	if (size > l->size)
		longjmp(l->stop, STOP_LIMIT);
	c = class_of(size ? size : 1);
	bytes = class_bytes(c) + sizeof(*b);
	if (l->free_list[c] != NULL) {
		b = block_of(l->free_list[c]);
		memcpy(&l->free_list[c], b + 1, sizeof(void *));
	} else {
		if (bytes > l->size - l->used)
			longjmp(l->stop, STOP_LIMIT);
		b = (struct block *)(l->base + l->used);
		l->used += bytes;
	}
	*b = (struct block){ .size = (uint32_t)size };
	if (size == sizeof(GumboNode)) {
		settle_fresh(l);
		memset(b + 1, 0, size);
		l->fresh[l->n_fresh++] = (GumboNode *)(b + 1);
		l->attr_run = 0;
		l->idle = 0;
	} else if (l->output == NULL && size == sizeof(GumboOutput)) {
		memset(b + 1, 0, size);
		l->output = (GumboOutput *)(b + 1);
	}
	return b + 1;
}

static void leash_free(void *arg, void *p)
{
	struct leash *l = arg;
	unsigned c;

	if (p == NULL)
		return;
	if (block_of(p)->size == sizeof(GumboNode))
		forget_fresh(l, p);
	c = class_of(block_of(p)->size ? block_of(p)->size : 1);
	memcpy(p, &l->free_list[c], sizeof(void *));
	l->free_list[c] = p;
}

/* NULL where the leash pulled; *why then says which way. */
static GumboOutput *parse(struct leash *l, struct cfs_slice s, int *why)
{
	GumboOptions o = kGumboDefaultOptions;

	o.allocator = leash_alloc;
	o.deallocator = leash_free;
	o.userdata = l;
	o.max_errors = 0;	/* each would copy the stack of open elements */
	*why = setjmp(l->stop);
	if (*why != 0)
		return NULL;
	return gumbo_parse_with_options(&o, (const char *)s.p, s.n);
}

/* A string of the tree.  Gumbo lets huge character references (&#x99999999;)
 * overflow and makes broken UTF-8 of some: each such byte becomes '?', in
 * place, as the memory is ours. */
static struct cfs_slice mended(const char *text)
{
	struct cfs_slice all = cfs_slice_str(text), s = all;

	if (cfs_utf8_is_valid(all))
		return all;
	while (s.n > 0) {
		size_t n = cfs_utf8_len(s);

		if (n == 0)
			*(uint8_t *)(uintptr_t)s.p = '?';
		s = cfs_slice_from(s, n > 0 ? n : 1);
	}
	return all;
}

struct cfs_html_attr cfs_html_attr_at(const struct cfs_html_el *el, unsigned i)
{
	const GumboAttribute *a;

	if (el->tree_attrs == NULL)
		return el->flat_attrs[i];
	a = el->tree_attrs->data[i];
	return (struct cfs_html_attr){ mended(a->name), mended(a->value) };
}

bool cfs_html_attr_get(const struct cfs_html_el *el, const char *name,
		       struct cfs_slice *value)
{
	struct cfs_slice want = cfs_slice_str(name);

	for (unsigned i = 0; i < el->n_attrs; i++) {
		bool is_it;

		if (el->tree_attrs != NULL)
			is_it = strcmp(((const GumboAttribute *)
					el->tree_attrs->data[i])->name, name) == 0;
		else
			is_it = cfs_slice_eq(el->flat_attrs[i].name, want);
		if (is_it) {
			*value = cfs_html_attr_at(el, i).value;
			return true;
		}
	}
	return false;
}

/* -- the walk -- */

struct step {
	const GumboNode *node;	/* an element that was started */
	unsigned next;		/* child to visit */
};

static struct cfs_html_el element_of(const GumboNode *n)
{
	const GumboElement *e = &n->v.element;

	return (struct cfs_html_el){
		.tag = e->tag,
		.is_html = e->tag_namespace == GUMBO_NAMESPACE_HTML,
		.n_attrs = e->attributes.length,
		.tree_attrs = &e->attributes,
	};
}

static int push(struct cfs_buf *stack, const GumboNode *n)
{
	struct step s = { n, 0 };

	return cfs_buf_append(stack, &s, sizeof(s));
}

/* Sends one node's start; pushes it if it is to be entered. */
static int visit(struct cfs_buf *stack, const GumboNode *n,
		 const struct cfs_html_sink *sink)
{
	struct cfs_html_el el;

	switch (n->type) {
	case GUMBO_NODE_TEXT:
	case GUMBO_NODE_WHITESPACE:
	case GUMBO_NODE_CDATA:
		sink->text(sink->arg, mended(n->v.text.text));
		return CFS_OK;
	case GUMBO_NODE_ELEMENT:
	case GUMBO_NODE_TEMPLATE:
		el = element_of(n);
		return sink->start(sink->arg, &el) ? push(stack, n) : CFS_OK;
	default:
		return CFS_OK;
	}
}

static int walk(const GumboNode *doc, const struct cfs_html_sink *sink,
		const struct cfs_cancel *cancel)
{
	struct cfs_buf stack;
	unsigned steps = 0;
	int rc;

	cfs_buf_init(&stack, SIZE_MAX / 2);
	rc = push(&stack, doc);
	while (rc == CFS_OK && stack.n > 0) {
		struct step *top = (struct step *)(stack.p + stack.n) - 1;
		const GumboVector *children =
			top->node->type == GUMBO_NODE_DOCUMENT
				? &top->node->v.document.children
				: &top->node->v.element.children;

		if (++steps % CANCEL_EVERY == 0 && cfs_cancelled(cancel)) {
			rc = CFS_EINTR;
		} else if (top->next < children->length) {
			rc = visit(&stack, children->data[top->next++], sink);
		} else {
			if (top->node->type != GUMBO_NODE_DOCUMENT) {
				struct cfs_html_el el = element_of(top->node);

				sink->end(sink->arg, &el);
			}
			stack.n -= sizeof(*top);
		}
	}
	cfs_buf_release(&stack);
	return rc;
}

/* Sizes go by the body as it was archived, not by its length in UTF-8. */
static int leash_init(struct leash *l, struct cfs_slice utf8, size_t body_bytes,
		      const struct cfs_cancel *cancel)
{
	*l = (struct leash){
		.size = ARENA_BASE + body_bytes * ARENA_PER_BYTE,
		.work_max = WORK_BASE + (uint64_t)body_bytes * WORK_PER_BYTE,
		.until_check = CANCEL_EVERY,
		.cancel = cancel,
	};
	if (utf8.n <= body_bytes * (ARENA_PER_BYTE / 2))
		l->size -= utf8.n;
	l->base = mmap(NULL, l->size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return l->base == MAP_FAILED ? CFS_ENOMEM : CFS_OK;
}

int cfs_html_walk(struct cfs_slice utf8, size_t body_bytes,
		  const struct cfs_html_sink *sink,
		  const struct cfs_cancel *cancel, struct cfs_error *err)
{
	const GumboOutput *tree;
	struct leash l;
	int why, rc;

	utf8 = cfs_slice_sub(utf8, 0, CFS_HTML_TEXT_MAX);
	if (body_bytes > CFS_HTML_BYTES_MAX)
		body_bytes = CFS_HTML_BYTES_MAX;
	if (leash_init(&l, utf8, body_bytes, cancel) != CFS_OK)
		return cfs_error_nomem(err);
	tree = parse(&l, utf8, &why);
	if (tree != NULL)
		rc = walk(tree->document, sink, cancel);
	else
		rc = why == STOP_CANCEL ? CFS_EINTR : CFS_OK;
	munmap(l.base, l.size);
	if (rc == CFS_OK && tree == NULL)
		return cfs_html_walk_flat(utf8, sink, cancel, err);
	if (rc == CFS_EINTR)
		return cfs_error_set(err, rc, "interrupted");
	return rc == CFS_OK ? rc : cfs_error_nomem(err);
}
