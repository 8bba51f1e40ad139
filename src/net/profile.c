/* profile.c - reads the files of the AWS tools and finds the chosen profile.
 *
 *     line     = blank / comment / "[" section "]" / setting
 *     comment  = ("#" / ";") ...
 *     setting  = name ("=" / ":") value
 *     nested   = 1*blank setting          below a setting without a value
 *     section  = NAME                     of the credentials file
 *              = "default" / "profile" NAME / "services" NAME / ...
 * As the AWS SDKs and Tools Reference Guide describes them, "Shared config and
 * credentials files", and as the AWS CLI reads them, which takes ':' too.  The
 * section [profile default] goes before [default].
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/fileio.h"

/* ---- the format --------------------------------------------------------- */

void cfs_ini_init(struct cfs_ini *it, struct cfs_slice text)
{
	const struct cfs_slice mark = CFS_SLICE_LIT("\xef\xbb\xbf");

	*it = (struct cfs_ini){
		.rest = cfs_slice_starts(text, mark) ?
			cfs_slice_from(text, mark.n) : text,
		.section = CFS_SLICE_EMPTY, .parent = CFS_SLICE_EMPTY,
		.name = CFS_SLICE_EMPTY, .value = CFS_SLICE_EMPTY,
	};
}

/* Parses [section]; anything behind it is ignored. */
static bool take_heading(struct cfs_ini *it, struct cfs_slice line)
{
	ptrdiff_t end = cfs_slice_find(line, ']');

	if (end < 0)
		return false;
	it->section = cfs_slice_trim(cfs_slice_sub(line, 1, (size_t)end - 1));
	it->parent = it->name = it->value = CFS_SLICE_EMPTY;
	return true;
}

static bool take_setting(struct cfs_ini *it, struct cfs_slice line)
{
	size_t at = cfs_slice_find_any(line, 0, "=:");

	it->name = cfs_slice_trim(cfs_slice_sub(line, 0, at));
	it->value = cfs_slice_trim(cfs_slice_from(line, at + 1));
	return at < line.n && it->name.n > 0;
}

bool cfs_ini_next(struct cfs_ini *it)
{
	/* The setting that nested ones below it belong to. */
	struct cfs_slice parent = it->parent;

	if (parent.n == 0 && it->value.n == 0)
		parent = it->name;
	while (it->rest.n > 0) {
		struct cfs_slice line = cfs_slice_split(&it->rest, '\n');
		bool is_indented = line.n > 0 && cfs_is_blank(line.p[0]);

		line = cfs_slice_trim(line);
		if (line.n == 0 || line.p[0] == ';' || line.p[0] == '#')
			continue;
		if (!is_indented)
			parent = CFS_SLICE_EMPTY;
		it->parent = parent;
		if (!is_indented && line.p[0] == '[') {
			if (take_heading(it, line))
				return true;
		} else if ((!is_indented || parent.n > 0) &&
			   take_setting(it, line)) {
			return true;
		}
	}
	return false;
}

static struct cfs_slice profile_unquoted(struct cfs_slice s)
{
	if (s.n >= 2 && (s.p[0] == '"' || s.p[0] == '\'') &&
	    s.p[s.n - 1] == s.p[0])
		return cfs_slice_sub(s, 1, s.n - 2);
	return s;
}

/* Is the section [NAME] or, if kind is not "", [KIND NAME]?  Extra
 * blanks between words do not matter; NAME may be in quotes.  Names are
 * compared exactly. */
static bool ini_is_section(struct cfs_slice section, const char *kind,
			   const char *name)
{
	struct cfs_slice k = cfs_slice_str(kind);

	if (k.n > 0) {
		if (!cfs_slice_starts(section, k) || section.n == k.n ||
		    !cfs_is_blank(section.p[k.n]))
			return false;
		section = profile_unquoted(
			cfs_slice_trim(cfs_slice_from(section, k.n)));
	}
	return cfs_slice_eq(section, cfs_slice_str(name));
}

bool cfs_ini_find(struct cfs_slice text, const char *kind, const char *section,
		  const char *parent, const char *name, struct cfs_slice *out)
{
	struct cfs_ini it;
	bool found = false;

	cfs_ini_init(&it, text);
	while (cfs_ini_next(&it)) {
		if (!cfs_slice_eq_nocase(it.name, cfs_slice_str(name)) ||
		    !cfs_slice_eq_nocase(it.parent, cfs_slice_str(parent)) ||
		    !ini_is_section(it.section, kind, section))
			continue;
		*out = it.value;
		found = true;
	}
	return found;
}

bool cfs_ini_has_section(struct cfs_slice text, const char *kind,
			 const char *section)
{
	struct cfs_ini it;

	cfs_ini_init(&it, text);
	while (cfs_ini_next(&it))
		if (ini_is_section(it.section, kind, section))
			return true;
	return false;
}

/* ---- the environment ---------------------------------------------------- */

const char *cfs_profile_env(const char *name)
{
	const char *v = getenv(name);

	return v != NULL && v[0] != '\0' ? v : NULL;
}

bool cfs_profile_is_true(const char *text)
{
	return text != NULL && cfs_slice_eq_nocase(cfs_slice_str(text),
						   CFS_SLICE_LIT("true"));
}

/* ---- the files ---------------------------------------------------------- */

/* Finds the path of a file.  As for the AWS CLI, "~/" at the beginning of a
 * variable is the home folder. */
static void set_path(struct cfs_profile_file *f, const char *variable,
		     const char *below_home)
{
	const char *path = cfs_profile_env(variable);
	const char *home = cfs_profile_env("HOME");
	int n = 0;

	if (path == NULL && home != NULL)
		n = snprintf(f->path, sizeof(f->path), "%s/%s", home,
			     below_home);
	else if (path != NULL && home != NULL && strncmp(path, "~/", 2) == 0)
		n = snprintf(f->path, sizeof(f->path), "%s%s", home, path + 1);
	else if (path != NULL)
		n = snprintf(f->path, sizeof(f->path), "%s", path);
	if (n <= 0 || (size_t)n >= sizeof(f->path))
		f->path[0] = '\0';
}

/* Reads a file.  A missing one has no settings; one that cannot be read is an
 * error, because its credentials would be missed. */
static int profile_read_file(struct cfs_profile_file *f, struct cfs_error *err)
{
	int rc;

	cfs_buf_init(&f->text, CFS_PROFILE_FILE_MAX);
	if (f->path[0] == '\0' || stat(f->path, &f->st) != 0 ||
	    !S_ISREG(f->st.st_mode)) {
		memset(&f->st, 0, sizeof(f->st));
		return CFS_OK;
	}
	rc = cfs_file_read(f->path, &f->text);
	if (rc == CFS_OK)
		return CFS_OK;
	if (rc == CFS_ELIMIT)
		return cfs_error_at(err, CFS_EFORMAT, f->path, 0, "is larger "
				    "than any file of credentials");
	return cfs_error_at(err, CFS_EFORMAT, f->path, 0, "cannot be read: %s",
			    strerror(errno));
}

static bool exists(const struct cfs_profile *p)
{
	return cfs_ini_has_section(cfs_buf_slice(&p->credentials.text), "",
				   p->name) ||
	       cfs_ini_has_section(cfs_buf_slice(&p->config.text), "profile",
				   p->name) ||
	       strcmp(p->name, "default") == 0;
}

int cfs_profile_read(struct cfs_profile *p, struct cfs_error *err)
{
	const char *name = cfs_profile_env("AWS_PROFILE");
	int rc;

	memset(p, 0, sizeof(*p));
	if (name == NULL)
		name = cfs_profile_env("AWS_DEFAULT_PROFILE");
	p->is_named = name != NULL;
	if (name == NULL)
		name = "default";
	set_path(&p->credentials, "AWS_SHARED_CREDENTIALS_FILE",
		 ".aws/credentials");
	set_path(&p->config, "AWS_CONFIG_FILE", ".aws/config");
	if (snprintf(p->name, sizeof(p->name), "%s", name) >=
	    (int)sizeof(p->name))
		return cfs_error_set(err, CFS_EFORMAT,
				     "the name in AWS_PROFILE is too long");
	rc = profile_read_file(&p->credentials, err);
	if (rc == CFS_OK)
		rc = profile_read_file(&p->config, err);
	if (rc == CFS_OK && !exists(p))
		rc = cfs_error_set(err, CFS_EFORMAT,
			"no credentials file has AWS_PROFILE '%.60s'", p->name);
	return rc;
}

void cfs_profile_release(struct cfs_profile *p)
{
	cfs_buf_release(&p->credentials.text);
	cfs_buf_release(&p->config.text);
}

static bool has_changed(const struct cfs_profile_file *f)
{
	struct stat st;

	if (f->path[0] == '\0')
		return false;
	if (stat(f->path, &st) != 0 || !S_ISREG(st.st_mode))
		return f->st.st_nlink != 0;
	return st.st_dev != f->st.st_dev || st.st_ino != f->st.st_ino ||
	       st.st_size != f->st.st_size ||
	       st.st_mtim.tv_sec != f->st.st_mtim.tv_sec ||
	       st.st_mtim.tv_nsec != f->st.st_mtim.tv_nsec ||
	       st.st_ctim.tv_sec != f->st.st_ctim.tv_sec ||
	       st.st_ctim.tv_nsec != f->st.st_ctim.tv_nsec;
}

bool cfs_profile_changed(const struct cfs_profile *p)
{
	return has_changed(&p->credentials) || has_changed(&p->config);
}

bool cfs_profile_get_of(const struct cfs_profile *p, const char *profile,
			const char *name, struct cfs_slice *out)
{
	struct cfs_slice config = cfs_buf_slice(&p->config.text);

	if (cfs_ini_find(cfs_buf_slice(&p->credentials.text), "", profile, "",
			 name, out))
		return true;
	if (strcmp(profile, "default") == 0 &&
	    !cfs_ini_has_section(config, "profile", profile))
		return cfs_ini_find(config, "", profile, "", name, out);
	return cfs_ini_find(config, "profile", profile, "", name, out);
}

bool cfs_profile_get(const struct cfs_profile *p, const char *name,
		     struct cfs_slice *out)
{
	return cfs_profile_get_of(p, p->name, name, out);
}

bool cfs_profile_get_service(const struct cfs_profile *p, const char *service,
			     const char *name, struct cfs_slice *out)
{
	struct cfs_slice section;
	char text[CFS_PROFILE_NAME_MAX];

	if (!cfs_profile_get(p, "services", &section) ||
	    section.n >= sizeof(text) || cfs_slice_find(section, '\0') >= 0)
		return false;
	memcpy(text, section.p, section.n);
	text[section.n] = '\0';
	return cfs_ini_find(cfs_buf_slice(&p->config.text), "services", text,
			    service, name, out);
}
