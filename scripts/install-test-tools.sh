#!/usr/bin/env bash
# Installs the programs that the tests need and that npm does not provide. Prints nothing if all of them are installed.
set -euo pipefail

# One line per program: a command or path, its Debian package, and its use in the tests.
tools='
ab apache2-utils load generator for HTTP/1.0
curl curl client for HTTP/1.0, HTTP/1.1 and HTTP/2
openssl openssl generates the certificate of an example
python3 python3 HTTP client, and parent process that passes sockets
wrk wrk load generator of the benchmarks
wget wget HTTP client
chromium chromium browser for pages, server-sent events and HTTP/3
h2load nghttp2-client HTTP/2 client and load generator of nghttp2
gtlsclient ngtcp2-client HTTP/3 client of ngtcp2
nginx nginx-light proxy in front of the server
go golang-go compiles the HTTP/3 client of quic-go
/usr/share/gocode/src/github.com/lucas-clemente/quic-go golang-github-lucas-clemente-quic-go-dev source of the HTTP/3 client of quic-go
redis-server redis-server server for the tests of event channels across processes
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
  echo "The tests need ${missing[*]}. $1. Install them manually and run the tests again." >&2
  exit 1
}

# On macOS, packages/testing finds the browser in /Applications.
if [ "$(uname -s)" = Darwin ]; then
  for browser in Chromium 'Google Chrome'; do
    [ -d "/Applications/$browser.app" ] && exit 0
  done
fi

command -v apt-get >/dev/null || give_up 'apt-get is not available'
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  sudo -n true 2>/dev/null || give_up 'The installation needs root or passwordless sudo'
  as_root=(sudo -n)
fi

echo "Installing test tools with apt-get:"
printf '%s\n' "${reasons[@]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@" </dev/null >>"$log" 2>&1; }
install() { apt install --yes --no-install-recommends "${missing[@]}"; }

# Update the package lists only if the installation fails, because they can be missing or stale.
install || { apt update && install; } || {
  tail -n 20 "$log" >&2
  give_up 'apt-get failed'
}
