import { globSync, readFileSync, readdirSync } from 'node:fs'
import type { Body } from './repository-page.ts'
import { ROOT } from './sources.ts'

const PACKAGES = readdirSync(new URL('packages/', ROOT))

/** Returns the page about tests. It counts the files of the repository, so that no number is stale. */
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
      'Shows the tests of each package, and how suites, fuzzers, other implementations and browsers find bugs.',
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

A test about a request or a response runs on HTTP/1.1 and HTTP/2, each with and without TLS, and on HTTP/3. The clients refuse
responses that the protocols do not allow. [Protocol support](/reference/protocols/) names the test of each section of the RFCs.

## Real sockets

Tests use sockets on a free port, files in a temporary folder and the clock of the machine only where a timeout is not the
subject. They wait for conditions, so they also pass on a busy machine. A test states the order of events and never a speed.

## Fuzzing

Each parser of peer input has a fuzz target. It generates inputs that are almost valid, and compares the result with another
implementation, with each split of the same input, or with the inverse function. \`pnpm test\` runs each target from a fresh seed,
and repeats every input that once found a fault.

\`\`\`sh
pnpm fuzz --list
pnpm fuzz hpack --seconds 600
\`\`\`

## Other implementations

- Requests of eleven other servers and parsers: [HTTP/1.1](/reference/http1/) shows how six servers judge them.
- Clients: curl, wget, \`ab\`, \`h2load\`, Python, ngtcp2, quic-go and Chromium.
- Redis for events across processes, nginx as a proxy in front.

## Attacks and long runs

Tests open hostile connections next to a well-behaved client, which must get each response. Others run for a long time, and
check that no socket, exchange or memory remains.

## The documentation

Every program of this site runs in a test, and its output must be exact. The types of each block are checked. The option tables
and the messages of the [error codes](/reference/errors/) come from the sources. A browser checks accessibility, size and
movement of pages.
`
