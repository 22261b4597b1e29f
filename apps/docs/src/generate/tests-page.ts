import { globSync, readFileSync, readdirSync } from 'node:fs'
import type { Body } from './repository-page.ts'
import { ROOT } from './sources.ts'

const PACKAGES = readdirSync(new URL('packages/', ROOT))

/** Returns the page about tests. Counts the files in the repository, so that no number becomes stale. */
export function testsPage(): Body {
  const rows = PACKAGES.map((name) => countsOf(name)).filter(({ files }) => files > 0)
  const sum = rows.reduce((total, { files, targets, corpus }) => ({
    name: '**all**',
    files: total.files + files,
    targets: total.targets + targets,
    corpus: total.corpus + corpus,
  }))
  const table = [
    '| package | files with tests | fuzz targets | inputs that fuzzing found |',
    '| --- | --- | --- | --- |',
    ...[...rows, sum].map(({ name, files, targets, corpus }) => `| ${name} | ${files} | ${targets} | ${corpus} |`),
  ].join('\n')
  return {
    title: 'How it is tested',
    description:
      'Counts the tests of each package, and explains how suites, fuzzers, other implementations and browsers find bugs.',
    markdown: TEXT.replace('{table}', table),
  }
}

interface Counts {
  readonly name: string
  readonly files: number
  readonly targets: number
  readonly corpus: number
}

function countsOf(name: string): Counts {
  const count = (pattern: string): number => globSync(pattern, { cwd: new URL(`packages/${name}/`, ROOT) }).length
  const targets = globSync('fuzz/*.ts', { cwd: new URL(`packages/${name}/`, ROOT) }).filter((file) =>
    /^export default /m.test(readFileSync(new URL(`packages/${name}/${file}`, ROOT), 'utf8')),
  )
  return {
    name: `\`@fw/${name}\``,
    files: count('{src,test}/**/*.test.ts'),
    targets: targets.length,
    corpus: count('fuzz/corpus/**/*.json'),
  }
}

const TEXT = `\`\`\`sh
npx --yes pnpm@12 test
\`\`\`

This command runs every test on your machine. \`.ci/run\` also checks types, style, spelling and the published packages.

{table}

## One suite for every protocol

Each test of requests or responses runs on HTTP/1.1 and HTTP/2, each with and without TLS, and on HTTP/3. The clients reject
responses that the protocols do not allow. [Protocol support](/reference/protocols/) names the test for each RFC section.

## Real sockets

Tests use sockets on a free port and files in a temporary folder. They use the machine's clock only where a timeout is not the
subject. They wait for conditions, so they also pass on a busy machine. A test asserts the order of events, never a speed.

## Fuzzing

Each parser of peer input has a fuzz target. It generates almost valid inputs, and compares the result with that of another
implementation, with each split of the same input, or with the inverse function. \`pnpm test\` runs each target with a new seed,
and repeats every input that once found a fault.

\`\`\`sh
pnpm fuzz --list
pnpm fuzz hpack --seconds 600
\`\`\`

## Other implementations

- Test requests from eleven other servers and parsers: [HTTP/1.1](/reference/http1/) shows how six servers respond to them.
- Clients: curl, wget, \`ab\`, \`h2load\`, Python, ngtcp2, quic-go and Chromium.
- Redis for events across processes, and nginx as a proxy in front.

## Attacks and long runs

Some tests open hostile connections next to a well-behaved client, which must get every response. Others run for a long time and
check that no socket, exchange or memory leaks.

## The documentation

Tests run every program on this site and compare its output exactly. They also check the types of each block. The option tables
and the messages of the [error codes](/reference/errors/) come from the sources. A browser test checks accessibility, size and
layout shifts of the pages.
`
