#!/usr/bin/env bash
# Installs the programs of the benchmarks: load generators, and servers and a logger to compare with. Says nothing when
# all are there.
set -euo pipefail

# Servers are in a folder that is often not in the PATH of users.
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
  echo "The benchmarks use ${missing[*]}, and there is no apt-get here. Install them by hand." >&2
  exit 1
}
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
install() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "${missing[@]}"
}

echo "Installing ${missing[*]}"
# The package lists may be missing or stale; they are fetched only if that stands in the way.
install || { "${as_root[@]}" apt-get update && install; }
