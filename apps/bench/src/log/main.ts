/** Compares `@fw/log` with other loggers: `node src/log/main.ts [--quick]`. Alternating; every line is verified. */
import { strict as assert } from 'node:assert'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { CANDIDATES } from './candidates.ts'

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } })
const [rounds, lines, disabledCalls] = values.quick ? [1, 30_000, 2_000_000] : [3, 100_000, 5_000_000]

const directory = mkdtempSync(join(tmpdir(), 'fw-bench-log-'))
process.on('exit', () => rmSync(directory, { recursive: true }))

async function measure(name: string, what: string, count: number): Promise<number> {
  const path = join(directory, 'app.log')
  rmSync(path, { force: true })
  const script = join(import.meta.dirname, 'measure.ts')
  const flags = name.endsWith('marked') ? ['--import', '@fw/log/register-location'] : []
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, script, name, what, path, String(count)])
  if (what !== 'disabled') verify(name, path, count)
  return Number(stdout)
}

/** Every line must be there, in order, once. */
function verify(name: string, path: string, count: number): void {
  const numbers = [...readFileSync(path, 'utf8').matchAll(/127\.0\.0\.1['"]?:(\d+)/g)].map(([, n]) => Number(n))
  assert.equal(numbers.length, count, `${name} wrote ${numbers.length} of ${count} lines`)
  assert(
    numbers.every((n, at) => n === at),
    `${name} wrote lines out of order`,
  )
}

function median(measured: readonly number[]): number {
  return measured.toSorted((a, b) => a - b)[measured.length >> 1] ?? NaN
}

async function compare(title: string, what: string, names: readonly string[], count: number): Promise<void> {
  const present = names.filter((name) => !name.startsWith('spdlog') || process.env.FW_BENCH_SPDLOG !== undefined)
  const results = new Map<string, number[]>(present.map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const name of present) {
      try {
        results.get(name)?.push(await measure(name, what, count))
      } catch (error) {
        process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`)
      }
    }
  }
  process.stdout.write(`\n${title}, median of ${rounds} [least, most]\n\n| logger | |\n|---|---|\n`)
  for (const [name, measured] of results) {
    const digits = what === 'disabled' ? 1 : 0
    const [least, most] = [Math.min(...measured), Math.max(...measured)]
    process.stdout.write(
      `| ${name} | ${median(measured).toFixed(digits)} [${least.toFixed(digits)}, ${most.toFixed(digits)}] |\n`,
    )
  }
}

const all = Object.keys(CANDIDATES)
const plain = all.filter((name) => !/location|caller/.test(name))
const located = all.filter((name) => /location|caller/.test(name))
await compare('Nanoseconds of a call, 100 calls to a turn, in the median turn', 'chunk', plain, lines)
await compare('Lines per second, in one go until all are in the file', 'burst', plain, lines)
await compare('Nanoseconds of a call with the location of the caller', 'chunk', located, Math.min(lines, 60_000))
await compare(
  'Nanoseconds of a call below the threshold',
  'disabled',
  plain.filter((name) => !/async|worker|roarr/.test(name)),
  disabledCalls,
)
