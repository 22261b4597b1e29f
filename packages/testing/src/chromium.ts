import { existsSync } from 'node:fs'
import type { Browser } from 'playwright-core'

/** Where Debian and macOS have it. */
const CHROMIUM_PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** No sandbox: containers forbid it. The rest keeps the browser from talking to anybody but the server under test. */
const QUIET_ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** On a machine that is busy with something else it takes many times longer than the second that it takes alone. */
const LAUNCH_TIMEOUT_MS = 150_000

/** How the browser is started. */
export interface ChromiumOptions {
  /** Further command-line arguments. */
  readonly args?: readonly string[]
  /** `host:port` to speak HTTP/3 with from the first request on, without waiting for `alt-svc`; use 127.0.0.1, not localhost. */
  readonly quicOrigin?: string
  /** `spkiSha256` of the certificate to trust. */
  readonly spki?: string
}

/**
 * The path of the machine's Chromium.
 *
 * @throws {Error} saying how to install it
 */
export function findChromium(): string {
  const path = CHROMIUM_PATHS.find((candidate) => existsSync(candidate))
  if (path === undefined) throw new Error('Chromium is not installed; run: bash scripts/install-test-tools.sh')
  return path
}

/** Starts a headless Chromium with a profile of its own, which is removed when the browser is closed. */
export async function launchChromium(options: ChromiumOptions = {}): Promise<Browser> {
  const executablePath = findChromium()
  const { chromium } = await import('playwright-core')
  const args = chromiumArguments(options)
  return chromium.launch({ executablePath, headless: true, chromiumSandbox: false, args, timeout: LAUNCH_TIMEOUT_MS })
}

/** The command line for some options. */
export function chromiumArguments({ args = [], quicOrigin, spki }: ChromiumOptions): string[] {
  const trust = spki === undefined ? [] : [`--ignore-certificate-errors-spki-list=${spki}`]
  // Only a host that is named here may use QUIC with a certificate of an unknown root. Port 1 names the host without
  // forcing anything, so that the browser can still find HTTP/3 by `alt-svc`.
  const quic = quicOrigin ?? (spki === undefined ? undefined : '127.0.0.1:1')
  return [...QUIET_ARGUMENTS, ...trust, ...(quic === undefined ? [] : [`--origin-to-force-quic-on=${quic}`]), ...args]
}
