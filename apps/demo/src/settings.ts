import { parseLevel, type Level } from '@fw/log'
import { AccessLogFormat } from '@fw/access-log'
import type { TrafficLevel } from './live/messages.ts'

/** The demo's settings. */
export interface Settings {
  readonly host: string
  readonly port: number
  readonly tlsPort: number
  readonly http3: boolean
  readonly certFile: string | undefined
  readonly keyFile: string | undefined
  readonly dataDir: string
  readonly logFile: string | undefined
  readonly logLevel: Level
  readonly accessLog: AccessLogFormat
  readonly filesDir: string | undefined
  readonly names: readonly string[]
  readonly docsUrl: string | undefined
  readonly traffic: TrafficLevel
  readonly drainMs: number
  readonly workers: number
  readonly proxies: number
}

/** Error for an invalid setting. Its one-line message states the fix. */
class SettingsError extends Error {
  override readonly name = 'SettingsError'
}

interface Variable {
  readonly name: string
  readonly fallback: string
  readonly text: string
}

const VARIABLES = {
  host: variable(
    'DEMO_HOST',
    '127.0.0.1',
    'IP address to listen on; an address other than loopback turns on public mode',
  ),
  port: variable('DEMO_PORT', '8080', 'port without TLS: HTTP/1.1, and HTTP/2 with prior knowledge'),
  tlsPort: variable('DEMO_TLS_PORT', '8443', 'TLS port: HTTP/1.1 and HTTP/2 on TCP, HTTP/3 on UDP'),
  http3: variable('DEMO_HTTP3', 'on', 'on or off; needs the package @matrixai/quic'),
  certFile: variable('DEMO_CERT_FILE', '', 'certificate in PEM; if empty, a self-signed one in DEMO_DATA_DIR'),
  keyFile: variable('DEMO_KEY_FILE', '', 'private key of DEMO_CERT_FILE in PEM'),
  dataDir: variable('DEMO_DATA_DIR', 'data', "folder for the demo's files, relative to apps/demo"),
  logFile: variable('DEMO_LOG_FILE', 'demo.log', 'log file, relative to DEMO_DATA_DIR; - for none'),
  logLevel: variable('DEMO_LOG_LEVEL', 'info', 'trace, debug, info, warn, error, fatal or off'),
  accessLog: variable('DEMO_ACCESS_LOG', 'combined', 'combined, common or json'),
  filesDir: variable('DEMO_FILES_DIR', '', 'folder to serve under /files/'),
  names: variable('DEMO_NAMES', '', 'host names of the demo in addition to localhost, separated by commas'),
  docsUrl: variable('DEMO_DOCS_URL', '', 'http(s) address of the documentation site; if empty, /docs shows the README'),
  traffic: variable('DEMO_TRAFFIC', 'gentle', 'requests that the demo sends to itself: off, gentle or busy'),
  drainMs: variable('DEMO_DRAIN_MS', '5000', 'milliseconds for in-flight requests after Ctrl-C'),
  workers: variable(
    'DEMO_WORKERS',
    '0',
    'worker processes, each with its own feed and without demo traffic; 0 for none',
  ),
  proxies: variable('DEMO_PROXIES', '0', 'number of trusted proxies in front that append to x-forwarded-for'),
} satisfies Record<keyof Settings, Variable>

/**
 * Reads the settings from environment variables.
 *
 * @throws {SettingsError} for an unknown `DEMO_` variable or an invalid value
 */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const known: ReadonlySet<string> = new Set(Object.values(VARIABLES).map(({ name }) => name))
  for (const name of Object.keys(environment)) {
    if (name.startsWith('DEMO_') && !known.has(name)) {
      throw new SettingsError(`Unknown variable ${name}. --help lists the known variables.`)
    }
  }
  const read = ({ name, fallback }: Variable): string => environment[name] ?? fallback
  const logFile = read(VARIABLES.logFile)
  return {
    // An empty value, for example from an unset variable, must not expose the demo to other machines.
    host: read(VARIABLES.host) || VARIABLES.host.fallback,
    port: readNumber(VARIABLES.port, read, 65_535),
    tlsPort: readNumber(VARIABLES.tlsPort, read, 65_535),
    http3: readChoice(VARIABLES.http3, read, ['on', 'off']) === 'on',
    certFile: read(VARIABLES.certFile) || undefined,
    keyFile: read(VARIABLES.keyFile) || undefined,
    dataDir: read(VARIABLES.dataDir),
    logFile: logFile === '-' ? undefined : logFile,
    logLevel: readLevel(VARIABLES.logLevel, read),
    accessLog: readChoice(VARIABLES.accessLog, read, [
      AccessLogFormat.Combined,
      AccessLogFormat.Common,
      AccessLogFormat.Json,
    ]),
    filesDir: read(VARIABLES.filesDir) || undefined,
    names: read(VARIABLES.names)
      .split(',')
      .map((name) => name.trim().toLowerCase())
      .filter((name) => name !== ''),
    docsUrl: readAddress(VARIABLES.docsUrl, read),
    traffic: readChoice(VARIABLES.traffic, read, ['off', 'gentle', 'busy']),
    drainMs: readNumber(VARIABLES.drainMs, read, 3_600_000),
    workers: readNumber(VARIABLES.workers, read, 1024),
    proxies: readNumber(VARIABLES.proxies, read, 100),
  }
}

/** Returns the text that `--help` prints. */
export function helpText(): string {
  const lines = Object.values(VARIABLES).map(
    ({ name, fallback, text }) => `  ${name.padEnd(16)} ${text}${fallback === '' ? '' : ` (${fallback})`}`,
  )
  return `The demo of fw: a page, a live feed and an access log over HTTP/1.1, HTTP/2 and HTTP/3.

Usage: node src/main.ts [--help]

Options are environment variables, defaults in brackets:
${lines.join('\n')}
`
}

function variable(name: string, fallback: string, text: string): Variable {
  return { name, fallback, text }
}

type Read = (from: Variable) => string

function readNumber(from: Variable, read: Read, max: number): number {
  const text = read(from)
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Infinity
  if (value > max) throw new SettingsError(`${from.name} must be an integer from 0 to ${max}, got "${text}".`)
  return value
}

function readAddress(from: Variable, read: Read): string | undefined {
  const text = read(from)
  if (text === '') return undefined
  const url = URL.parse(text)
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url.href
  throw new SettingsError(`${from.name} must be an http or https URL, got "${text}".`)
}

function readChoice<const T extends string>(from: Variable, read: Read, choices: readonly T[]): T {
  const text = read(from)
  const choice = choices.find((candidate) => candidate === text)
  if (choice === undefined) throw new SettingsError(`${from.name} must be one of ${choices.join(', ')}, got "${text}".`)
  return choice
}

function readLevel(from: Variable, read: Read): Level {
  const level = parseLevel(read(from))
  if (level !== undefined) return level
  throw new SettingsError(
    `${from.name} must be one of trace, debug, info, warn, error, fatal, off, got "${read(from)}".`,
  )
}
