# installed.sh - packages of npm and PyPI that tests use. Sourced.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034
#
# Each set of packages has a folder below $CFS_INSTALLED (tests/installed of the
# build folder, which make clean removes).  The test that comes first fills it,
# others wait for it; with other packages it is filled anew.

installed=${CFS_INSTALLED:-$CFS_BUILDDIR/tests/installed}
INSTALL_SECONDS=420
INSTALL_AGAIN_MINUTES=60	# after a failure, other tests do not wait for the next

# Node has certificates of its own, and with these the machine's.
if [ -r /etc/ssl/certs/ca-certificates.crt ]; then
	NODE_EXTRA_CA_CERTS=${NODE_EXTRA_CA_CERTS:-/etc/ssl/certs/ca-certificates.crt}
	export NODE_EXTRA_CA_CERTS
fi
# npm asks three times, and waits for a minute between, for each package.
npm_config_fetch_retry_mintimeout=1000 npm_config_fetch_retry_maxtimeout=5000
npm_config_fetch_timeout=60000
export npm_config_fetch_retry_mintimeout npm_config_fetch_retry_maxtimeout \
	npm_config_fetch_timeout

# install_once NAME PACKAGES COMMAND...: COMMAND fills $installed/NAME with
# PACKAGES, unless it holds them; 1: it could not, $install_problem says why.
install_once() {
	install_folder=$installed/$1 install_packages=$2
	shift 2
	mkdir -p "$installed"
	if (
		flock 9
		if [ "$(cat "$install_folder/packages" 2>/dev/null)" = \
			"$install_packages" ]; then
			true
		elif [ "$(find "$install_folder.failed" -mmin \
			"-$INSTALL_AGAIN_MINUTES" -exec cat {} + 2>/dev/null)" = \
			"$install_packages" ]; then
			false
		else
			fill_folder "$@"
		fi
	) 9>"$install_folder.lock"; then
		return 0
	fi
	install_problem=$(grep -v 'complete log' "$install_folder.log" | tail -n 1)
	return 1
}
fill_folder() {	# COMMAND...
	rm -rf "${install_folder:?}" "$install_folder.failed"
	if mkdir "$install_folder" && "$@" >"$install_folder.log" 2>&1; then
		printf '%s' "$install_packages" >"$install_folder/packages"
	else
		printf '%s' "$install_packages" >"$install_folder.failed"
		false
	fi
}

# npm_packages NAME PACKAGE...: $npm_folder has them in its node_modules
npm_packages() {
	npm_folder=$installed/$1
	npm_name=$1
	shift
	command -v node >/dev/null && command -v npm >/dev/null || {
		install_problem="there is no npm"
		return 1
	}
	install_once "$npm_name" "$*" timeout "$INSTALL_SECONDS" npm install \
		--prefix "$npm_folder" --no-audit --no-fund --loglevel=error "$@"
}

# pip_packages NAME PACKAGE...: $pip_folder/bin has their programs, and a python
# that imports them
pip_packages() {
	pip_folder=$installed/$1
	pip_name=$1
	shift
	install_once "$pip_name" "$*" pip_install "$@"
}
pip_install() {
	python3 -m venv "$pip_folder" &&
		timeout "$INSTALL_SECONDS" "$pip_folder/bin/python" -m pip install -q \
			--disable-pip-version-check --no-compile --retries 1 "$@"
}
