#!/usr/bin/env bash
# Installs the load generators, servers and logging library that the benchmarks use. Prints nothing if all of them are
# installed.
set -euo pipefail

# Debian installs servers into /usr/sbin, which is often not in a user's PATH.
export PATH=$PATH:/usr/sbin

missing=()
need() { command -v "$1" >/dev/null || missing+=("$2"); }
need wrk wrk
need h2load nghttp2-client
need nginx nginx-light
need caddy caddy
need taskset util-linux
need g++ g++
[ -e /usr/include/spdlog/spdlog.h ] || missing+=(libspdlog-dev)
[ "${#missing[@]}" -gt 0 ] || exit 0

command -v apt-get >/dev/null || {
  echo "The benchmarks need ${missing[*]}. apt-get is not available: install them manually." >&2
  exit 1
}
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
install() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "${missing[@]}"
}

echo "Installing ${missing[*]}"
# Update the package lists only if the installation fails, because they can be missing or stale.
install || { "${as_root[@]}" apt-get update && install; }
