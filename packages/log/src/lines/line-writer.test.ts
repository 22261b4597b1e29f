import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../test/run-script.ts'

const WRITER = new URL('./line-writer.ts', import.meta.url).href

/** The imports of a script that writes lines. */
const WRITE = `
const write = (text) => {
  const bytes = Buffer.from(text + '\\n')
  writer.write({ bytes, length: bytes.length })
}`

/** Starts a process that writes numbered lines to stdout and reports the result on stderr. */
function startWriter(lines: number, setUp = ''): ReturnType<typeof spawn> {
  const source = `
import { LineWriter } from ${JSON.stringify(WRITER)}
${setUp}
const writer = new LineWriter(1)
${WRITE}
let errors = 0
for (let at = 0; at < ${lines}; at++) {
  try { write(at + ':' + 'x'.repeat(1000)) } catch (error) { errors++; console.error(error.code) }
}
console.error('errors: ' + errors)`
  return spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: ['ignore', 'pipe', 'pipe'] })
}

async function textOf(stream: AsyncIterable<Buffer> | null, delayMs = 0): Promise<string> {
  let text = ''
  for await (const chunk of stream ?? []) {
    text += chunk.toString()
    if (delayMs > 0) await new Promise((resolve) => void setTimeout(resolve, delayMs))
  }
  return text
}

describe('LineWriter', () => {
  it.each([
    ['blocking', ''],
    // When the stream is accessed, Node.js sets the pipe to non-blocking mode. Writes to a full pipe then fail with EAGAIN.
    ['non-blocking', 'process.stdout.write("")'],
  ])('writes complete lines to a slow reader of a %s pipe', async (_mode, setUp) => {
    const child = startWriter(2000, setUp)
    const [stdout, stderr] = await Promise.all([textOf(child.stdout, 1), textOf(child.stderr)])
    const lines = stdout.split('\n').slice(0, -1)
    expect(lines).toHaveLength(2000)
    lines.forEach((line, at) => expect(line).toBe(`${at}:${'x'.repeat(1000)}`))
    expect(stderr).toBe('errors: 0\n')
  })

  it('throws only once after the reader has closed the pipe', async () => {
    const child = startWriter(2000)
    child.stdout?.destroy()
    const [stderr] = await Promise.all([textOf(child.stderr), once(child, 'exit')])
    expect(stderr).toBe('EPIPE\nerrors: 1\n')
  })

  it('starts a new line after an incomplete one', () => {
    const path = join(temporaryDirectory(), 'app.log')
    const source = `
import { LineWriter } from ${JSON.stringify(WRITER)}
import { openSync, truncateSync } from 'node:fs'
process.on('SIGXFSZ', () => {})
const writer = new LineWriter(openSync(process.argv[1], 'a'))
${WRITE}
write('a'.repeat(1000))
try { write('b'.repeat(1000)) } catch (error) { console.log(error.code) }
truncateSync(process.argv[1], 1003)
write('next')
write('last')`
    // The shell's file size limit, two blocks of 512 bytes, falls within the second line.
    const limited = ['-c', 'ulimit -f 2 && exec "$0" "$@"', process.execPath, '--input-type=module', '-e', source, path]
    const { stdout } = spawnSync('sh', limited, { encoding: 'utf8' })
    expect(stdout).toBe('EFBIG\n')
    expect(readFileSync(path, 'utf8')).toBe(`${'a'.repeat(1000)}\nbb\nnext\nlast\n`)
  })
})
