import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { runScript, temporaryDirectory } from '../../test/run-script.ts'
import { callerLocation } from './location.ts'

function here(): ReturnType<typeof callerLocation> {
  return callerLocation(here)
}

function outer(): ReturnType<typeof callerLocation> {
  return here()
}

const settings = { ...Object.getOwnPropertyDescriptors(Error) }
afterEach(() => void Object.defineProperties(Error, settings))

describe('callerLocation', () => {
  it("returns the file's absolute path and the function name", () => {
    expect(outer()).toMatchObject({ file: fileURLToPath(import.meta.url), functionName: 'outer' })
    expect(outer()?.line).toBeGreaterThan(1)
  })

  it('distinguishes two calls on one line from calls on two lines', () => {
    const [first, second] = [here(), here()]
    const third = here()
    expect(first?.line).toBe(second?.line)
    expect(third?.line).toBeGreaterThan(first?.line ?? Infinity)
  })

  it('returns undefined if only Node.js code is on the stack', async () => {
    const found = await new Promise((resolve) => {
      queueMicrotask(() => resolve(undefined))
    }).then(here)
    expect(found).toBeUndefined()
  })

  it('does not change the settings on Error', () => {
    Error.prepareStackTrace = ({ message }) => `prepared ${message}`
    Error.stackTraceLimit = 3
    expect(here()?.functionName).toEqual(expect.any(String))
    expect(new Error('mine').stack).toBe('prepared mine')
    expect(Error.stackTraceLimit).toBe(3)
  })

  it('returns a location even if stackTraceLimit is 0', () => {
    Error.stackTraceLimit = 0
    expect(here()).toBeDefined()
    expect(Error.stackTraceLimit).toBe(0)
  })
})

describe('callerLocation in a new process', () => {
  it('finds the line in TypeScript that Node.js runs directly', () => {
    const { stdout } = runScript(`
interface Gone { never: string }
function handler(): void {
  log.info('in a function')
}
handler()
class Job { run(): void { log.info('in a method') } }
new Job().run()
log.info('at the top')
log.FW_LOG_INFO('as a macro')
log.with({}).info('in a child')
log.logger.log(2, 'by level')
const { info } = log
info('as a copy')`)
    const places = Array.from(stdout.matchAll(/\[script\.ts:(\d+)\] (.*)/g), ([, line, message]) => [line, message])
    expect(places).toEqual([
      ['5', 'in a function'],
      ['8', 'in a method'],
      ['10', 'at the top'],
      ['11', 'as a macro'],
      ['12', 'in a child'],
      ['13', 'by level'],
      ['15', 'as a copy'],
    ])
  })

  it('returns function names', () => {
    const { stdout } = runScript(`
const sink = new log.MemorySink()
log.init({ sinks: [sink] })
function handler(): void { log.info('a') }
handler()
class Job { run(): void { log.info('b') } }
new Job().run()
log.info('c')
console.log(JSON.stringify(sink.records().map(({ location }) => location?.functionName)))`)
    expect(JSON.parse(stdout)).toEqual(['handler', 'run', ''])
  })

  it('logs without a location while Error is frozen', () => {
    const { stdout, status } = runScript(`Object.freeze(Error); log.info('frozen')`)
    expect(stdout).toMatch(/\[INFO \] frozen\n$/)
    expect(status).toBe(0)
  })

  it('uses source maps if Node.js does', () => {
    const directory = temporaryDirectory()
    const source = join(directory, 'app.ts')
    const entry = new URL('../index.ts', import.meta.url).href
    const lines = [`import * as log from '${entry}'`, 'interface Gone {', '  a: 1', '}', `log.info('mapped')`]
    writeFileSync(source, lines.join('\n'))
    writeFileSync(join(directory, 'package.json'), '{ "type": "module" }')
    const compiler = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))
    const flags = ['--sourceMap', '--noResolve', '--noCheck', '--module', 'esnext', '--target', 'esnext']
    spawnSync(process.execPath, [compiler, ...flags, source], { cwd: directory })
    const run = (...nodeFlags: string[]): string =>
      spawnSync(process.execPath, [...nodeFlags, join(directory, 'app.js')], { encoding: 'utf8' }).stdout
    expect(run()).toContain('[app.js:2] mapped')
    expect(run('--enable-source-maps')).toContain(`[${basename(source)}:5] mapped`)
  })
})
