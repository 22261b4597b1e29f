// Runs every black-box case for static files, or those whose names match: node test/run-cases.ts [pattern]
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { sharedCaseFile } from '@fw/testing'

const cases = sharedCaseFile('static.json')
const runner = sharedCaseFile('run-static.mjs')
if (cases !== undefined && runner !== undefined) {
  const server = fileURLToPath(new URL('server.ts', import.meta.url))
  const command = `${process.execPath} ${server} {port} {root} {options}`
  const filter = process.argv[2] === undefined ? [] : ['--filter', process.argv[2]]
  // The runner's first port. It uses consecutive ports, below the system's ephemeral ports and those of `freePort`.
  const port = String(10_000 + (process.pid % 9000))
  const args = ['--name', 'fw', '--cases', cases, '--port', port, ...filter, '--verbose', '--cmd', command]
  const child = spawn(process.execPath, [runner, ...args], { stdio: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number | null]
  process.exitCode = code ?? 1
}
