// What the ways to ask for the state of a file cost, alone in a turn of the event loop and 16 in one: node src/static/looks.ts [rounds]
import { closeSync, existsSync, fstatSync, openSync, statSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { leastCosts, printCosts } from '../least-cost.ts'
import { FILES } from './files.ts'

const scratch = await mkdtemp(join(tmpdir(), 'fw-looks-'))
const path = join(scratch, '1k.css')
await writeFile(path, FILES['1k.css'])
const bytes = Buffer.from(path)
const fd = openSync(path, 'r')
try {
  const candidates = {
    'no look': () => {},
    'stat, nanoseconds': () => void statSync(path, { bigint: true, throwIfNoEntry: false })?.mtimeNs,
    'stat, milliseconds': () => void statSync(path, { throwIfNoEntry: false })?.mtimeMs,
    'stat, path as bytes': () => void statSync(bytes, { bigint: true, throwIfNoEntry: false })?.mtimeNs,
    'whether it is there': () => void existsSync(path),
    // Not of the file that the path leads to now.
    'open file, nanoseconds': () => void fstatSync(fd, { bigint: true }).mtimeNs,
  }
  for (const perTurn of [1, 16]) {
    process.stdout.write(`${perTurn} in a turn:\n`)
    printCosts(await leastCosts(candidates, Number(process.argv[2] ?? 100), perTurn))
  }
} finally {
  closeSync(fd)
  await rm(scratch, { recursive: true, force: true })
}
