// Compares the cost of calls that read the state of a file, with 1 and 16 calls per event-loop turn.
// Usage: node src/static/stat-cost.ts [rounds]
import { closeSync, existsSync, fstatSync, openSync, statSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { minimumCosts, printCosts } from '../minimum-cost.ts'
import { FILES } from './files.ts'

const scratch = await mkdtemp(join(tmpdir(), 'fw-stat-cost-'))
const path = join(scratch, '1k.css')
await writeFile(path, FILES['1k.css'])
const bytes = Buffer.from(path)
const fd = openSync(path, 'r')
try {
  const candidates = {
    'no call': () => {},
    'stat, nanoseconds': () => void statSync(path, { bigint: true, throwIfNoEntry: false })?.mtimeNs,
    'stat, milliseconds': () => void statSync(path, { throwIfNoEntry: false })?.mtimeMs,
    'stat, path as bytes': () => void statSync(bytes, { bigint: true, throwIfNoEntry: false })?.mtimeNs,
    exists: () => void existsSync(path),
    // The path can refer to a different file than the descriptor.
    'open file, nanoseconds': () => void fstatSync(fd, { bigint: true }).mtimeNs,
  }
  for (const perTurn of [1, 16]) {
    process.stdout.write(`${perTurn} per turn:\n`)
    printCosts(await minimumCosts(candidates, Number(process.argv[2] ?? 100), perTurn))
  }
} finally {
  closeSync(fd)
  await rm(scratch, { recursive: true, force: true })
}
