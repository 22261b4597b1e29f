#!/usr/bin/env bash
# Installs the programs that the tests run and that no npm package brings along. Says nothing when all are there.
set -euo pipefail

# One line for each: a command or a path, the Debian package that has it, and what the tests do with it.
tools='
ab apache2-utils a load generator that speaks HTTP/1.0
curl curl the client that tests HTTP/1.0, HTTP/1.1 and HTTP/2 with
openssl openssl makes the certificate of an example
python3 python3 a client of another make, and a parent that passes sockets
wrk wrk a load generator, whose figures the benchmarks read
wget wget another
chromium chromium the browser that tests pages, server-sent events and HTTP/3
h2load nghttp2-client HTTP/2 clients by the makers of nghttp2, one of them a load generator
gtlsclient ngtcp2-client the HTTP/3 client of ngtcp2
nginx nginx-light a proxy in front of the server
go golang-go compiles the HTTP/3 client of quic-go
/usr/share/gocode/src/github.com/lucas-clemente/quic-go golang-github-lucas-clemente-quic-go-dev an HTTP/3 client of another make
redis-server redis-server the Redis that tests of event channels across processes start and kill
'

missing=()
reasons=()
while read -r command package reason; do
  [ -n "$command" ] || continue
  [[ $command == /* && -e $command ]] || command -v "$command" >/dev/null || {
    missing+=("$package")
    reasons+=("  $package: $reason")
  }
done <<<"$tools"
[ "${#missing[@]}" -gt 0 ] || exit 0

give_up() {
  echo "The tests need ${missing[*]}, and $1. Install it by hand and run them again." >&2
  exit 1
}

# macOS has its browser elsewhere; packages/testing looks for it there.
if [ "$(uname -s)" = Darwin ]; then
  for browser in Chromium 'Google Chrome'; do
    [ -d "/Applications/$browser.app" ] && exit 0
  done
fi

command -v apt-get >/dev/null || give_up 'there is no apt-get here'
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  sudo -n true 2>/dev/null || give_up 'installing them takes root or sudo without a password'
  as_root=(sudo -n)
fi

echo "Installing with apt-get what the tests need:"
printf '%s\n' "${reasons[@]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@" </dev/null >>"$log" 2>&1; }
install() { apt install --yes --no-install-recommends "${missing[@]}"; }

# The package lists may be missing or stale; they are fetched only if that stands in the way.
install || { apt update && install; } || {
  tail -n 20 "$log" >&2
  give_up 'apt-get could not install it'
}
