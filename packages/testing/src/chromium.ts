import { existsSync } from 'node:fs'
import type { Browser } from 'playwright-core'

/** Paths to Chromium and Chrome on Debian and macOS. */
const CHROMIUM_PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/**
 * `--no-sandbox` is necessary because containers forbid the sandbox. The other arguments suppress the browser's own requests.
 */
const QUIET_ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Time limit for a launch, which takes one second on an idle machine, but much longer on a busy one. */
const LAUNCH_TIMEOUT_MS = 150_000

/** Options of `launchChromium`. */
export interface ChromiumOptions {
  /** Additional command-line arguments. */
  readonly args?: readonly string[]
  /** `host:port` for which to use HTTP/3 from the first request, without `alt-svc`; write 127.0.0.1, not localhost. */
  readonly quicOrigin?: string
  /** `spkiSha256` of the certificate to trust. */
  readonly spki?: string
}

/**
 * Returns the path to the installed Chromium or Chrome.
 *
 * @throws {Error} with the install command if neither is installed
 */
export function findChromium(): string {
  const path = CHROMIUM_PATHS.find((candidate) => existsSync(candidate))
  if (path === undefined) throw new Error('Chromium is not installed. Run: bash scripts/install-test-tools.sh')
  return path
}

/** Starts a headless Chromium with a temporary profile, which is deleted when the browser closes. */
export async function launchChromium(options: ChromiumOptions = {}): Promise<Browser> {
  const executablePath = findChromium()
  const { chromium } = await import('playwright-core')
  const args = chromiumArguments(options)
  return chromium.launch({ executablePath, headless: true, chromiumSandbox: false, args, timeout: LAUNCH_TIMEOUT_MS })
}

/** Returns the command-line arguments for the given options. */
export function chromiumArguments({ args = [], quicOrigin, spki }: ChromiumOptions): string[] {
  const trust = spki === undefined ? [] : [`--ignore-certificate-errors-spki-list=${spki}`]
  // Over QUIC, Chromium rejects a certificate from an unknown root, except for the hosts in this argument. An entry with port 1
  // lists the host without forcing QUIC, so the browser can still discover HTTP/3 through `alt-svc`.
  const quic = quicOrigin ?? (spki === undefined ? undefined : '127.0.0.1:1')
  return [...QUIET_ARGUMENTS, ...trust, ...(quic === undefined ? [] : [`--origin-to-force-quic-on=${quic}`]), ...args]
}
