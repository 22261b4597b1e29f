import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type BuildOptions } from 'esbuild'
import { afterAll, describe, expect, it } from 'vitest'

const ENTRY = fileURLToPath(new URL('../src/index.ts', import.meta.url))

const directory = mkdtempSync(join(tmpdir(), 'fw-log-bundle-'))
afterAll(() => rmSync(directory, { recursive: true }))

/** Logs, waits for the writer thread and kills itself with SIGKILL, so that no other thread can write the lines. */
const PROGRAM = `
import * as log from ${JSON.stringify(ENTRY)}
const path = process.argv[2] ?? ''
const threads = []
process.on('worker', (thread) => threads.push(thread))
log.init({ async: true, flushIntervalMs: 1, sinks: [new log.FileSink({ path, showLocation: false })] })
for (let at = 0; at < 1000; at++) log.info('line {}', at)
const timer = setInterval(() => {
  if (log.stats().queued > 0) return
  clearInterval(timer)
  console.log(threads.length, log.stats().sinkErrors)
  process.kill(process.pid, 'SIGKILL')
}, 5)`

const EXPECTED = Array.from({ length: 1000 }, (_, at) => `line ${at}`)

async function bundle(name: string, options: BuildOptions): Promise<string> {
  const outfile = join(directory, name)
  await build({
    stdin: { contents: PROGRAM, loader: 'ts', resolveDir: directory },
    outfile,
    bundle: true,
    platform: 'node',
    logLevel: 'error',
    ...options,
  })
  return outfile
}

function run(command: string, args: readonly string[]): { stdout: string; messages: string[] } {
  const path = join(directory, 'app.log')
  rmSync(path, { force: true })
  const { stdout } = spawnSync(command, [...args, path], { cwd: directory, encoding: 'utf8', timeout: 60_000 })
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
  return { stdout, messages: lines.map((line) => line.replace(/^.*\] /, '')) }
}

describe('the writer thread in a bundle', () => {
  it.each<[string, BuildOptions]>([
    ['a module', { format: 'esm' }],
    ['a minified module that keeps names', { format: 'esm', minify: true, keepNames: true }],
    ['a minified script', { format: 'cjs', minify: true }],
  ])('does not need a second file in %s', async (_what, options) => {
    const file = await bundle(`app.${options.format === 'esm' ? 'mjs' : 'cjs'}`, options)
    expect(run(process.execPath, [file])).toEqual({ stdout: '1 0\n', messages: EXPECTED })
  })

  it('does not need a file in a single executable', async () => {
    const main = await bundle('sea.cjs', { format: 'cjs' })
    const output = join(directory, 'app')
    const config = join(directory, 'sea.json')
    writeFileSync(config, JSON.stringify({ main, output, disableExperimentalSEAWarning: true }))
    const built = spawnSync(process.execPath, ['--build-sea', config], { encoding: 'utf8', cwd: directory })
    expect(built).toMatchObject({ status: 0 })
    // In an executable, the first argument replaces the script path.
    expect(run(output, [])).toEqual({ stdout: '1 0\n', messages: EXPECTED })
    // The executable is a copy of Node.js larger than 100 MB, and the disk can be busy.
  }, 240_000)
})
