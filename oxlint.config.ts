import { defineConfig } from 'oxlint'
import base from './.oxlintrc.base.json' with { type: 'json' }

// Without this order, the folders of core formed one import cycle. dependency-cruiser and ESLint cannot read the sources with
// TypeScript 7 alone, and plain JSON would repeat the rules, because overrides replace each other.
/** The folders in `packages/core/src` that each folder can import, besides itself. Imports only point downward. */
const ladder = {
  options: [],
  engine: ['options'],
  http1: ['engine', 'options'],
  http2: ['engine', 'options'],
  http3: ['engine', 'options'],
  memory: ['engine', 'options'],
  routing: ['options'],
  response: ['engine', 'options'],
  context: ['response', 'engine', 'options'],
  app: ['context', 'response', 'routing', 'memory', 'engine', 'options'],
  adapters: ['app', 'memory', 'engine', 'options'],
  tls: ['engine', 'options'],
  listening: ['tls', 'http1', 'http2', 'http3', 'engine', 'options'],
  workers: ['listening', 'tls', 'options'],
  lifecycle: [],
}

/** The folders in core that must not use sockets: they see a `Transport`, or QUIC. */
const withoutSockets = new Set(['engine', 'http1', 'http2', 'http3', 'memory'])
/** The files that implement transports. `transport.ts` and `tunnel.ts` name the `Duplex` that they hand over. */
const transports = [
  'packages/core/src/engine/transport.ts',
  'packages/core/src/engine/exchange/tunnel.ts',
  'packages/core/src/engine/socket/{socket-transport,memory-transport,receive-buffer,node-read-buffer}.ts',
]

const sockets = {
  group: ['net', 'tls', 'stream', 'node:net', 'node:tls', 'node:stream'],
  // Pure string functions, which every folder can import.
  allowImportNames: ['isIP', 'isIPv4', 'isIPv6'],
  message: 'Engines see a Transport, not a socket (docs/decisions/0103).',
}

const foreignInternals = { group: ['@fw/*/src/*', '@fw/*/dist/*'], message: 'Import what the package exports.' }

/**
 * Forbids imports that match patterns in some files. Later overrides replace earlier ones, so each repeats the first
 * rule.
 */
function forbid(files: string[], group: string[], message: string, ...others: object[]): object {
  return {
    files,
    rules: { 'no-restricted-imports': ['error', { patterns: [{ group, message }, ...others, foreignInternals] }] },
  }
}

/**
 * Returns patterns for every folder of core that `folder` may not import. The patterns match the text of an import
 * specifier.
 */
function above(folder: string, below: readonly string[]): string[] {
  const others = Object.keys(ladder).filter((each) => each !== folder && !below.includes(each))
  return [...others.map((each) => `../**/${each}/**`), '../**/server.ts', '../**/index.ts']
}

const rungs = Object.entries(ladder).map(([folder, below]) =>
  forbid(
    [`packages/core/src/${folder}/**`],
    above(folder, below),
    `${folder}/ may import: ${below.join(', ') || 'nothing'}`,
    ...(withoutSockets.has(folder) ? [sockets] : []),
  ),
)

const transportsMeetSockets = forbid(
  transports,
  above('engine', ladder.engine),
  `engine/ may import: ${ladder.engine.join(', ')}`,
)

const quicKnowsNoHttp3 = [
  forbid(
    ['packages/core/src/http3/quic/*.ts'],
    [...above('http3', ladder.http3), '../*.ts', '../qpack/**'],
    'QUIC must not depend on HTTP/3.',
    sockets,
  ),
  forbid(
    ['packages/core/src/http3/quic/quiche/**'],
    [...above('http3', ladder.http3), '../../*.ts', '../../qpack/**'],
    'QUIC must not depend on HTTP/3.',
  ),
]

const [packages, ...rest] = base.overrides
export default defineConfig({
  ...base,
  overrides: [packages, ...rungs, transportsMeetSockets, ...quicKnowsNoHttp3, ...rest],
} as never)
