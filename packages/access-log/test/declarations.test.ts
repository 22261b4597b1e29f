import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'

/** Exports values with inferred types, as a library that uses these packages would. */
const CONSUMER = `
import * as log from '@fw/log'
import { accessLog, RequestLogger, type AccessLogConfig, type RouteAccessLog } from '@fw/access-log'
import { believedAddress, claimedAddress, compileTrust, peerAddress } from '@fw/client-address'
import { Server } from '@fw/core'

declare function resultOf<Result>(call: (...args: never[]) => Result): Result
declare function argumentsOf<Args extends unknown[]>(call: (...args: Args) => unknown): Args

export const { info, logger } = log
export const named = logger.with({ a: 1 }).withPrefix('x')
export const created = log.createLogger()
export const stats = created.stats()
export const options = argumentsOf(log.init)
export const levelOptions = argumentsOf(log.setLevel)
export const parsed = log.parseLevel('info')
export const site = log.callSite('a.ts', 1, 'f')
export const format = log.runtime('{}')
export const sinks = [new log.ConsoleSink(), new log.FileSink('a'), new log.JsonSink(), new log.MemorySink()]
export const records = new log.MemorySink().records()
export const place = records[0]?.location
export const abilities = (null as unknown as log.LogSink)[log.sinkAbilities]
export const call = argumentsOf(abilities!.writeCall!)
export const queue = argumentsOf(abilities!.useQueue!)

export const middleware = accessLog()
export const refused = argumentsOf(middleware.refused!)
export const formatterArguments = argumentsOf((null as unknown as AccessLogConfig).customFormatter!)
export const captured = formatterArguments[2].requestHeaders
export const trace = formatterArguments[2].trace
export const requestLogger = new RequestLogger(logger, () => '').with({})
export const route = (null as unknown as Exclude<RouteAccessLog, string | number>)

export const trust = compileTrust(['10.0.0.0/8'])
export const address = resultOf(believedAddress)
export const addressArguments = [argumentsOf(believedAddress), argumentsOf(claimedAddress), argumentsOf(peerAddress)]

const router = new Server().router()
export const { get, onError } = router
export const group = router.group('/users/:id')
export const handlerContext = argumentsOf(argumentsOf(group.onError)[0])[1]
export const { headers, responseHeaders, cookies, valid, route: matched } = handlerContext
export const body = handlerContext.startResponse()
export const outcome = argumentsOf(argumentsOf(handlerContext.onFinish)[0])
`

it('emits declarations that name only exported types', () => {
  const folder = mkdtempSync(fileURLToPath(new URL('../.declarations-', import.meta.url)))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'consumer.ts'), CONSUMER)
  const compilerOptions = {
    strict: true,
    declaration: true,
    emitDeclarationOnly: true,
    module: 'nodenext',
    target: 'esnext',
    outDir: 'out',
    rootDir: '../../..',
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    types: ['node'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }))
  const compiler = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url))
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' })
  // The compiler also reports errors in the packages' sources, because their compiler options do not apply here.
  expect(stdout.split('\n').filter((line) => line.includes('consumer.ts'))).toEqual([])
  const output = join(folder, 'out', 'packages', 'access-log', folder.slice(folder.lastIndexOf('/') + 1))
  const declarations = readFileSync(join(output, 'consumer.d.ts'), 'utf8')
  expect(declarations).toContain('log.PlainCall')
  expect(declarations.match(/import\("(?!@fw\/|node:)[^"]*"\)[.\w]*/g)).toBe(null)
})
